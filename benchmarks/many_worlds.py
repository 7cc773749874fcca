"""One reward in many worlds on Ray: the overhead of workers, what a node holds, and 20 regions with a million states.

    benchmarks/many_worlds.py [overhead] [memory] [regions] [--scale S] [--seed N]

It needs the package, ray and scipy, and prints Markdown. Trips are drawn with SciPy's sparse LU, not with revealed: at
each state the next one is drawn with the probabilities of the recursive logit. `--scale 0.1` is a tenth of the sizes. `--seed`
changes the networks and trips of the regions.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import ray
import revealed
from ray.cluster_utils import Cluster
from revealed.engines import ThreadEngine
from revealed.ray import RayEngine
from scipy.sparse import csc_array, identity
from scipy.sparse.linalg import splu

NAMES = ["minutes", "crossing", "link"]
TRUTH = np.array([-1.0, -0.6, -1.2])
TURNS = 2.033


def region(n: int, seed: int) -> revealed.Mdp:
    """A road-like network with three features of segments. Paths begin anywhere."""
    roads = revealed.worlds.road_like(n, int(TURNS * n), seed=seed)
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.lognormal(-0.5, 0.5, n), rng.random(n) < 0.3, np.ones(n)])
    features = revealed.Features(state=values, names=NAMES)
    start = np.full(n, 1 / n)
    source, action, target, p = roads.transitions
    rows = (source, action, target, p)
    return revealed.Mdp(n, int(action.max()) + 1, transitions=rows, start=start, terminal=roads.terminal, features=features)


def trips(world: revealed.Mdp, goals: int, starts: int, each: int, seed: int) -> revealed.Trajectories:
    """Draws `each` trips from each of `starts` places to each of `goals`, by the recursive logit with the true weights."""
    rng = np.random.default_rng(1000 + seed)
    n = world.n_states
    source, action, target, _ = world.transitions
    reward = world.reward(TRUTH)
    weights = csc_array((np.exp(reward[target]), (source, target)), shape=(n, n))
    back = weights.tocsc()
    lu = splu((identity(n, format="csc") - weights).tocsc())
    first = np.searchsorted(source, np.arange(n + 1))
    paths = []
    for goal in rng.choice(n, goals, replace=False):
        # Sums over paths that end at their first visit of the goal, or later: the end is a choice there.
        unit = np.zeros(n)
        unit[goal] = 1.0
        z = lu.solve(unit)
        for _ in range(starts):
            place = goal
            for _ in range(rng.integers(8, 25)):
                before = back.indices[back.indptr[place] : back.indptr[place + 1]]
                if len(before) == 0:
                    break
                place = before[rng.integers(len(before))]
            for _ in range(each):
                states, actions = [place], []
                while True:
                    here = states[-1]
                    rows = np.arange(first[here], first[here + 1])
                    chances = np.exp(reward[target[rows]]) * z[target[rows]]
                    stop = 1.0 if here == goal else 0.0
                    draw = rng.random() * (chances.sum() + stop)
                    if draw < stop:
                        break
                    row = rows[min(np.searchsorted(np.cumsum(chances), draw - stop), len(rows) - 1)]
                    states.append(int(target[row]))
                    actions.append(int(action[row]))
                paths.append((states, actions))
    return revealed.Trajectories(paths)


def learner(**options: object) -> revealed.MaxEntIRL:
    return revealed.MaxEntIRL(inference="recursive-logit", ends="goal", progress=False, **options)


def overhead(scale: float) -> None:
    """Evaluations with two Ray workers of one thread each, and with two threads, in turn."""
    size = int(8000 * scale)
    worlds = [region(size, seed) for seed in range(8)]
    pairs = [(world, trips(world, 20, 5, 2, seed)) for seed, world in enumerate(worlds)]
    times: dict[str, list[float]] = {"two threads": [], "two Ray workers": []}
    thetas = [TRUTH * factor for factor in np.linspace(0.95, 1.1, 24)]
    asked = ['{"longest": 1, "asked": {"objective": %s}}' % theta.tolist() for theta in thetas]
    with ThreadEngine(2) as threads, RayEngine(workers=2, threads=1) as workers:
        for engine in (threads, workers):
            learner(max_iter=0).fit(pairs, engine=engine, theta0=TRUTH)
        answers = {}
        for question in asked:
            for name, engine in (("two threads", threads), ("two Ray workers", workers)):
                begun = time.perf_counter()
                found = engine.evaluate(question)
                times[name].append(time.perf_counter() - begun)
                assert answers.setdefault(question, found) == found
    medians = {name: float(np.median(found)) for name, found in times.items()}
    print(f"\n### Overhead of Ray\n\n8 worlds of {size:,} states, 200 trips each; {len(asked)} evaluations of each, in turn.\n")
    print("| | median of an evaluation |\n|---|---|")
    for name, median in medians.items():
        print(f"| {name} | {1e3 * median:.1f} ms |")
    print(f"\nRatio {medians['two Ray workers'] / medians['two threads']:.3f}. All answers have the same bits.")


def megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"


def memory(scale: float) -> None:
    """One large network in four groups on a cluster of two nodes with two CPUs each: what the workers hold."""
    size = int(1e6 * scale)
    world = region(size, 1)
    goals = np.random.default_rng(2).choice(size, 40, replace=False)
    source, action, target, _ = world.transitions
    paths = []
    for goal in goals:
        row = int(np.flatnonzero(target == goal)[0])
        paths.append(([int(source[row]), int(goal)], [int(action[row])]))
    columns = sum(array.nbytes for column in world._native.columns().values() if isinstance(column, tuple) for array in column)
    with local_cluster(nodes=2, cpus=2):
        for groups in (1, 4):
            irl = revealed.MaxEntIRL(ends="goal", horizon=4, max_iter=0, progress=False)
            with RayEngine() as engine:
                irl.fit(world, revealed.Trajectories(paths), engine=engine, groups=groups, theta0=TRUTH)
                held = engine.memory()
            print(f"\n### What nodes hold of {size:,} states, {groups} group{'s' if groups > 1 else ''}\n")
            print(f"The columns of the network have {megabytes(columns)}.\n")
            print("| node | parts | own memory of its worker | shared with the object store |\n|---|---|---|---|")
            for number, of in enumerate(held):
                print(f"| {number} | {groups // len(held) or 1} | {megabytes(of['own'])} | {megabytes(of['shared'])} |")


class local_cluster:
    """A cluster on this machine: a head without CPUs, and nodes."""

    def __init__(self, nodes: int, cpus: int) -> None:
        os.environ["RAY_AUTH_MODE"] = "disabled"
        self._cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        for _ in range(nodes):
            self._cluster.add_node(num_cpus=cpus)
        self._cluster.connect()
        self._cluster.wait_for_nodes()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        ray.shutdown()
        self._cluster.shutdown()


def regions(scale: float, seed: int) -> None:
    """20 regions, a million states, 100,000 trips of known weights, fitted on a local cluster of two nodes."""
    size, goals, starts, each = int(50_000 * scale), 50, 4, 25
    begun = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        worlds = list(pool.map(lambda k: region(size, 20 * seed + k), range(20)))
    pairs = [(world, trips(world, goals, starts, each, 20 * seed + k)) for k, world in enumerate(worlds)]
    drawn = time.perf_counter() - begun
    n_trips = sum(len(paths) for _, paths in pairs)
    with local_cluster(nodes=2, cpus=1), RayEngine() as engine:
        begun = time.perf_counter()
        irl = learner().fit(pairs, engine=engine)
        fitted = time.perf_counter() - begun
        begun = time.perf_counter()
        summary = irl.summary(pairs, engine=engine)
        judged = time.perf_counter() - begun
        held = engine.memory()
    errors = np.array(summary.standard_errors, dtype=float)
    print(f"\n### 20 regions, {20 * size:,} states, {n_trips:,} trips, seed {seed}\n")
    print(f"Drawing took {drawn:.0f} s, the fit {fitted:.1f} s ({irl.n_evaluations_} evaluations,")
    print(f"{fitted / irl.n_evaluations_:.2f} s each, placing included), standard errors {judged:.1f} s.")
    print(f"Each worker holds {' and '.join(megabytes(of['own']) for of in held)}; the driver at most", end=" ")
    print(f"{megabytes(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)}.")
    print(f"The search {'converged' if irl.converged_ else irl.stopped_because_}.\n")
    print("| feature | truth | learned | standard error | difference in errors |\n|---|---|---|---|---|")
    for name, truth, theta, error in zip(NAMES, TRUTH, irl.theta_, errors):
        print(f"| {name} | {truth} | {theta:.5f} | {error:.5f} | {(theta - truth) / error:+.2f} |")
    assert np.all(np.abs(irl.theta_ - TRUTH) < 4 * errors), "the truth is more than four standard errors away"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", default=["overhead", "memory", "regions"])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(f"revealed {revealed.__version__}, ray {ray.__version__}: `benchmarks/{Path(__file__).name} {' '.join(args.which)}`")
    for which in args.which:
        if which == "regions":
            regions(args.scale, args.seed)
        else:
            {"overhead": overhead, "memory": memory}[which](args.scale)


if __name__ == "__main__":
    main()
