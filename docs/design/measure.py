"""Prints the table of docs/design/measurements.md as Markdown: `python docs/design/measure.py`.

Needs the package revealed and numpy, and takes a minute. The two things of a row are timed in turns, and the fastest of several
rounds counts. Times are those of the processor, of all threads together, so that other programs disturb them less. Where a row
says "elapsed", it is the time that passed.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import revealed

Work = Callable[[], object]


def used() -> float:
    """Seconds of the processor so far, with those of processes that were started."""
    started = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + started.ru_utime + started.ru_stime


def fastest(first: Work, second: Work, rounds: int, clock: Callable[[], float] = used) -> tuple[float, float]:
    """The least seconds of each; both in turns."""
    least = [float("inf"), float("inf")]
    for _ in range(rounds):
        for place, work in enumerate((first, second)):
            begun = clock()
            work()
            least[place] = min(least[place], clock() - begun)
    return least[0], least[1]


def print_row(what: str, first: float, second: float) -> None:
    cells = [f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms" for seconds in (first, second)]
    print(f"| {what} | {cells[0]} | {cells[1]} | {second / first:.2g} |", flush=True)


def logarithms() -> None:
    """One backward step over CSR rows in numpy."""
    world = revealed.worlds.road_like(292_604, 594_933, seed=1)
    source, _, target, _ = world.transitions
    first = np.searchsorted(source, np.arange(world.n_states))
    degree = np.diff(np.append(first, len(source)))
    reward = world.reward(world.true_theta)
    weight, after, log_after = np.exp(reward), np.ones(world.n_states), np.zeros(world.n_states)

    def products() -> np.ndarray:
        return 1.0 + np.add.reduceat((weight * after)[target], first)

    def log_sum_exp() -> np.ndarray:
        terms = (reward + log_after)[target]
        largest = np.maximum(np.maximum.reduceat(terms, first), 0.0)
        return largest + np.log(np.exp(-largest) + np.add.reduceat(np.exp(terms - np.repeat(largest, degree)), first))

    assert np.allclose(np.log(products()), log_sum_exp())
    print_row("a backward step in numpy, 292,604 states: products; log-sum-exp", *fastest(products, log_sum_exp, 20))


def wide_numbers() -> None:
    """One state of reward -1000 is enough for wide numbers."""
    world = revealed.worlds.road_like(100_000, 203_324, seed=1)
    near = world.reward(world.true_theta)
    far = near.copy()
    far[0] = -1000.0
    partition = revealed.LogPartition(world, horizon=400, threads=1)
    times = fastest(lambda: partition.value_and_grad(near), lambda: partition.value_and_grad(far), 7)
    print_row("log Z and its gradient, 100,000 states, L = 400, one thread: plain numbers; wide numbers", *times)


def destinations() -> None:
    """The likelihood of trips given their ends: one elimination for all, or a pass for each destination."""
    side, least = 100, -1.5
    state = np.arange(side * side).reshape(side, side)
    edges = [(state[:, :-1], state[:, 1:]), (state[:, 1:], state[:, :-1]), (state[:-1], state[1:]), (state[1:], state[:-1])]
    source, target = (np.concatenate([pair[end].ravel() for pair in edges]) for end in (0, 1))
    action = np.repeat(np.arange(4), side * (side - 1))
    streets = revealed.Mdp(
        side**2, 4, transitions=(source, action, target, np.ones(len(source))), start=np.full(side**2, side**-2.0),
        features=np.ones((side**2, 1)),
    )  # fmt: skip
    trips = revealed.MaxEntIRL.from_theta(streets, [least], ends="anywhere", horizon=100).sample(1000, seed=1)
    last = len(set(trips.states[trips.offsets[1:] - 1]))
    goal = revealed.LogLikelihood(streets, trips, ends="goal", horizon=100)
    logit = revealed.MaxEntIRL(inference="recursive-logit", max_iter=0)
    times = fastest(lambda: logit.fit(streets, trips, start=[least]), lambda: goal([least]), 3)
    print_row(f"1,000 trips to {last} destinations in a grid of 100 × 100: elimination; a pass for each destination", *times)


def handing_over() -> None:
    """50,000 transitions times horizon is the most that runs where it stands; a little more is handed to another thread."""

    def evaluate(n: int) -> Work:
        partition = revealed.LogPartition(revealed.worlds.linear_chain(n), horizon=20)
        return lambda: partition.value_and_grad(np.zeros(n))

    times = fastest(evaluate(2501), evaluate(2502), 3000, time.perf_counter)
    print_row("log Z of a chain of 2,501 states, L = 20 (elapsed): in place; handed over", *times)


def importing() -> None:
    """In a process of its own, with the time that Python itself takes to start."""

    def start(line: str) -> Work:
        return lambda: subprocess.run([sys.executable, "-c", line], check=True)

    print_row("a new Python: `import revealed`; `import numpy`", *fastest(start("import revealed"), start("import numpy"), 9))


if __name__ == "__main__":
    print("| what: first; second | first | second | second / first |")
    print("|---|---|---|---|")
    for measure in (logarithms, wide_numbers, destinations, handing_over, importing):
        measure()
