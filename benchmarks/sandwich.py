"""Robust and clustered standard errors of the recursive logit on a network of 7,000 links, against SciPy's sparse LU.

    benchmarks/sandwich.py target/release/revealed

It prints the largest relative differences and the times. SciPy factorises I - W once and solves for each pair of ends.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.sparse import csc_array, identity
from scipy.sparse.linalg import splu

SIDE = 43
TRIPS = 600
TRUTH = np.array([-2.0, -0.5, -1.0])


def network(rng):
    """A grid of junctions with a link each way; from a link to each link that follows, but no turns round."""
    node = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    pairs = np.concatenate([np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], 1), np.stack([node[:-1].ravel(), node[1:].ravel()], 1)])
    links = np.concatenate([pairs, pairs[:, ::-1]])
    leaving = {}
    for link, (tail, _) in enumerate(links):
        leaving.setdefault(tail, []).append(link)
    steps = [(a, k, b) for a, (tail, head) in enumerate(links) for k, b in enumerate(leaving[head]) if links[b][1] != tail]
    source, action, target = np.array(steps).T
    y, x = np.divmod(links, SIDE)
    turn = (x[source, 1] - x[source, 0]) * (y[target, 1] - y[target, 0]) - (y[source, 1] - y[source, 0]) * (x[target, 1] - x[target, 0])
    features = np.stack([rng.uniform(0.5, 1.5, len(links))[target], (turn > 0).astype(float), np.ones(len(source))], 1)
    return len(links), source, action, target, features


class Logit:
    """The recursive logit with features of transitions."""

    def __init__(self, n, source, target, features):
        self.n, self.source, self.target, self.features = n, source, target, features

    def solved(self, theta):
        weights = np.exp(self.features @ theta)
        matrix = csc_array((weights, (self.source, self.target)), shape=(self.n, self.n))
        return weights, splu((identity(self.n, format="csc") - matrix).tocsc())

    def expected(self, theta, pairs):
        """E[features | ends] of each pair, by two solutions each."""
        weights, lu = self.solved(theta)
        found = []
        for first, last in pairs:
            to, of = np.zeros(self.n), np.zeros(self.n)
            to[last] = of[first] = 1.0
            after, before = lu.solve(to), lu.solve(of, trans="T")
            uses = before[self.source] * weights * after[self.target] / after[first]
            found.append(uses @ self.features)
        return np.array(found)

    def trip(self, rng, theta, first, last, steps_from):
        weights, lu = self.solved(theta)
        to = np.zeros(self.n)
        to[last] = 1.0
        after = lu.solve(to)
        path = []
        here = first
        while True:
            steps = steps_from[here]
            p = np.append(weights[steps] * after[self.target[steps]], float(here == last))
            at = rng.choice(len(p), p=p / p.sum())
            if at == len(steps):
                return path
            path.append(steps[at])
            here = self.target[steps[at]]


def main(binary):
    rng = np.random.default_rng(1)
    n, source, action, target, features = network(rng)
    logit = Logit(n, source, target, features)
    steps_from = [np.flatnonzero(source == link) for link in range(n)]
    far = rng.integers(n, size=(40, 2))
    drawn = [far[rng.integers(len(far))] for _ in range(TRIPS)]
    trips = [logit.trip(rng, TRUTH, first, last, steps_from) for first, last in drawn]
    keep = [at for at, trip in enumerate(trips) if trip]
    trips, ends = [trips[at] for at in keep], [tuple(map(int, drawn[at])) for at in keep]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        np.savez(
            folder / "world.npz", n_states=n, n_actions=int(action.max()) + 1, n_features=3,
            **{"start.state": np.arange(n), "start.p": np.full(n, 1 / n), "terminal": np.array([], dtype=np.int64)},
            **{"transitions.from": source, "transitions.action": action, "transitions.to": target, "transitions.p": np.ones(len(source))},
            **{"features.transition.transition": np.repeat(np.arange(len(source)), 3), "features.transition.feature": np.tile([0, 1, 2], len(source)), "features.transition.value": features.ravel()},
        )  # fmt: skip
        with open(folder / "trips.jsonl", "w") as file:
            for (first, _), trip in zip(ends, trips):
                file.write(json.dumps({"states": [first, *target[trip].tolist()], "actions": action[trip].tolist()}) + "\n")
        files = [str(folder / name) for name in ("world.npz", "model.json", "trips.jsonl")]
        subprocess.run([binary, "learn", files[0], files[2], "-o", files[1], "--inference", "recursive-logit"], check=True, capture_output=True)
        ours = {}
        for name, how in (("robust", ["--errors", "robust"]), ("clustered", ["--cluster", "origin-destination"])):
            began = time.perf_counter()
            answer = subprocess.run([binary, "summary", *files, *how, "--json"], check=True, capture_output=True)
            print(f"{name}: revealed summary took {time.perf_counter() - began:.2f} s")
            model = json.loads(answer.stdout)
            ours[name] = np.array(model["summary"]["robust_covariance"])
    theta = np.array(model["theta"])
    pairs = sorted(set(ends))
    of_pair = np.array([pairs.index(pair) for pair in ends])
    observed = np.array([features[trip].sum(axis=0) for trip in trips])
    began = time.perf_counter()
    scores = observed - logit.expected(theta, pairs)[of_pair]
    print(f"SciPy: the scores of {len(pairs)} pairs took {time.perf_counter() - began:.2f} s")
    information = np.zeros((3, 3))
    for k in range(3):
        for factor, sign in ((8, 1), (8, -1), (-1, 2), (-1, -2)):
            moved = theta.copy()
            moved[k] += sign * 1e-3
            information[k] += np.sign(sign) * factor * logit.expected(moved, pairs)[of_pair].mean(axis=0) / 12e-3
    bread = np.linalg.inv(information) / len(trips)
    summed = np.array([scores[of_pair == at].sum(axis=0) for at in range(len(pairs))])
    g = len(pairs)
    print(f"{n} links, {len(source)} turns, {len(trips)} trips, {g} pairs of ends")
    for name, rows, factor in (("robust", scores, 1.0), ("clustered", summed, g / (g - 1))):
        expected = np.sqrt(np.diag(factor * bread @ rows.T @ rows @ bread))
        apart = np.abs(np.sqrt(np.diag(ours[name])) / expected - 1).max()
        print(f"{name}: standard errors {expected.round(6).tolist()}, largest relative difference {apart:.1e}")
        assert apart < 1e-5


if __name__ == "__main__":
    main(sys.argv[1])
