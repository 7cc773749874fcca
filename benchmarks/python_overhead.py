"""The overhead of Python: one gradient at the size of Porto's road network, in Python and in Rust.

    python benchmarks/python_overhead.py target/release/revealed-bench [--rounds 15] [--threads 1 2]

The overhead of the binding is measured within each call: the time of the Python call minus the time of the engine
(`Likelihood::evaluate`, as a Rust program calls it). For comparison, a Rust program with the same world evaluates
alternately with Python, and each goes first in every other round. It shows whether the engine is slower under Python, up
to the noise of the machine and of the memory layout of each process. The results are compared bit by bit. Prints
Markdown.
"""

import argparse
import json
import statistics
import subprocess
import time

import numpy as np
import revealed

STATES, TRANSITIONS, HORIZON = 292_604, 594_933, 400


class Engine:
    """The Rust program, which evaluates on request."""

    def __init__(self, program, threads):
        command = [program, "answer", "--threads", str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.about = json.loads(self.process.stdout.readline())

    def evaluate(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["seconds"], answer["log_likelihood"], np.array(answer["gradient"])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Package:
    """The Python package."""

    def __init__(self, world, threads):
        start = int(np.flatnonzero(world.start)[0])
        self.likelihood = revealed.LogLikelihood(world, [[(start, None)]], horizon=HORIZON, threads=threads)
        self.theta = world.true_theta
        # The first evaluation also touches every page for the first time.
        self.likelihood.value_and_grad(self.theta)
        self.added = []

    def evaluate(self):
        begun = time.perf_counter()
        value, gradient = self.likelihood.value_and_grad(self.theta)
        took = time.perf_counter() - begun
        self.added.append(took - self.likelihood._native.engine_seconds)
        return took, -value, -gradient


def measure(world, program, threads, rounds):
    engine, package = Engine(program, threads), Package(world, threads)
    if (engine.about["states"], engine.about["transitions"]) != (world.n_states, world.n_transitions):
        raise SystemExit(f"the worlds differ: {engine.about} and {world}")
    seconds = {engine: [], package: []}
    try:
        for at in range(rounds):
            answers = []
            for one in (engine, package) if at % 2 else (package, engine):
                took, *answer = one.evaluate()
                seconds[one].append(took)
                answers.append(answer)
            (first, of_first), (second, of_second) = answers
            if first != second or not np.array_equal(of_first, of_second):
                raise SystemExit(f"the answers differ: {first} and {second}")
    finally:
        engine.close()
    return seconds[engine], seconds[package], package.added


def row(threads, engine, package, added):
    share = statistics.median(more / (took - more) for more, took in zip(added, package))
    own = f"{1e3 * statistics.median(added):.3f} ms | {100 * share:+.3f} %"
    middle = [statistics.median(times) for times in (engine, package)]
    least = [min(times) for times in (engine, package)]
    paired = statistics.median(python / rust for rust, python in zip(engine, package))
    cells = [f"{1e3 * value:.1f} ms" for pair in (middle, least) for value in pair]
    ratios = [middle[1] / middle[0], least[1] / least[0], paired]
    order = [cells[0], cells[1], f"{100 * (ratios[0] - 1):+.1f} %", cells[2], cells[3], f"{100 * (ratios[1] - 1):+.1f} %"]
    return f"| {threads} | {own} | {' | '.join(order)} | {100 * (ratios[2] - 1):+.1f} % |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="the built crates/bench")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    world = revealed.worlds.road_like(STATES, TRANSITIONS, seed=1)
    print(f"### One gradient at {STATES} states, L = {HORIZON}, discount 1: through Python and in Rust\n")
    print("| threads | added by the binding | share | Rust, median | Python, median | | Rust, fastest | Python, fastest | | by rounds |")
    print("|" + "---|" * 10)
    for threads in arguments.threads:
        print(row(threads, *measure(world, arguments.program, threads, arguments.rounds)), flush=True)
    print(f"\n{arguments.rounds} rounds. The binding adds the time of `LogLikelihood.value_and_grad` minus that of the engine in the same call")
    print("(medians). The other columns compare two processes alternately, with the same bits (asserted), and show the machine's noise.")


if __name__ == "__main__":
    main()
