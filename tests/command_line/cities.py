"""An invented city with a model of its drivers, as other programs see it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from engines import Segment


def lines(path):
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


class City:
    """A network of an invented city with a model, and its segments."""

    def __init__(self, revealed, folder, features):
        self.folder = folder
        revealed("roads", "city", "-o", folder / "city.osm", "--paths", folder / "paths.jsonl", "-n", 400, "--seed", 3, "--size", 14)
        revealed("roads", "import", folder / "city.osm", "-o", folder / "city.npz", "--features", features)
        revealed("roads", "learn", folder / "city.npz", folder / "paths.jsonl", "-o", folder / "model.json")
        arrays = np.load(folder / "city.npz")
        self.arrays = {name: arrays[name] for name in arrays.files}
        at = {name: self.arrays[f"roads.{name}"] for name in ("node.id", "node.lat", "node.lon", "segment.from", "segment.to")}
        kinds = self.arrays["roads.highways"]
        self.segments = []
        for a, b, way in zip(at["segment.from"], at["segment.to"], self.arrays["roads.segment.way"]):
            speed, lanes = self.arrays["roads.way.speed"][way], self.arrays["roads.way.lanes"][way]
            self.segments.append(Segment(
                nodes=(int(at["node.id"][a]), int(at["node.id"][b])),
                places=((at["node.lat"][a], at["node.lon"][a]), (at["node.lat"][b], at["node.lon"][b])),
                highway=str(kinds[self.arrays["roads.way.highway"][way]]),
                speed=float(speed) if speed > 0 else None,
                lanes=int(lanes) if lanes > 0 else None,
                toll=bool(self.arrays["roads.way.toll"][way]),
            ))  # fmt: skip
        self.theta = np.array(json.loads((folder / "model.json").read_text())["theta"])

    def costs(self):
        """Minus the reward of each state, from the arrays of the problem."""
        rows = (self.arrays[f"features.state.{name}"] for name in ("state", "feature", "value"))
        costs = np.zeros(len(self.segments))
        for state, feature, value in zip(*rows):
            costs[state] -= self.theta[feature] * value
        return costs

    def joined(self):
        """The turns that are no choice, and that no junction is at: (state, next state) with the row of the turn."""
        turns = list(zip(self.arrays["transitions.from"].tolist(), self.arrays["transitions.to"].tolist()))
        out_of, into = ([one[side] for one in turns] for side in (0, 1))
        leaving, leading = (np.bincount(states, minlength=len(self.segments)) for states in (out_of, into))
        back = lambda one, other: self.segments[one].nodes == self.segments[other].nodes[::-1]  # noqa: E731
        return {turn: row for row, turn in enumerate(turns) if leaving[turn[0]] == leading[turn[1]] == 1 and not back(*turn)}

    def costs_of_turns(self):
        """Minus the reward of each turn: (state, next state)."""
        turns = list(zip(self.arrays["transitions.from"].tolist(), self.arrays["transitions.to"].tolist()))
        costs = np.zeros(len(turns))
        rows = (self.arrays[f"features.transition.{name}"] for name in ("transition", "feature", "value"))
        for row, feature, value in zip(*rows):
            costs[row] -= self.theta[feature] * value
        return dict(zip(turns, costs.tolist()))

    def costs_of_edges(self):
        """The same with the costs of the turns after a state that no junction is at."""
        costs, row_of = self.costs(), {row: turn for turn, row in self.joined().items()}
        none = np.array([], dtype=int)
        rows = (self.arrays.get(f"features.transition.{name}", none) for name in ("transition", "feature", "value"))
        for row, feature, value in zip(*rows):
            if row in row_of:
                costs[row_of[row][0]] -= self.theta[feature] * value
        return costs

    def sampled(self, revealed, pairs, n=15):
        """Exact samples of routes between pairs of states, each with its log-probability given its ends."""
        model = [self.folder / "city.npz", self.folder / "model.json"]
        for number, (start, to) in enumerate(pairs):
            file, scores = self.folder / f"routes-{number}.jsonl", self.folder / f"scores-{number}.jsonl"
            revealed("sample", *model, "-n", n, "--seed", number, "--from", start, "--to", to, "-o", file)
            revealed("score", *model, file, "-o", scores)
            routes = [[self.segments[state] for state in one["states"]] for one in lines(file)]
            yield routes, np.array([one["log_likelihood"] for one in lines(scores)])
