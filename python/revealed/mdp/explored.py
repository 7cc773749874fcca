"""A world that is found by exploring: states by label, the outcomes of actions, and how often each was seen."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ..inputs.columns import Floats
from ..inputs.labels import End, in_order
from .extras import Extras

__all__ = ["Explored", "Outcome", "binomial_errors"]

# (p, label of the next state, mean reward, how many samples it is from; 0 if p is exact)
Outcome = tuple[float, Hashable, float, int]


def binomial_errors(p: Floats, samples: Floats) -> Floats:
    """The standard error of each probability that was counted; 0 where it is exact.

    It is that of Jeffreys' posterior, so that it is not 0 for an outcome that was seen every time.
    """
    n = np.maximum(samples, 1.0)
    mean = (n * p + 0.5) / (n + 1.0)
    errors: Floats = np.where(samples > 0.0, np.sqrt(mean * (1.0 - mean) / (n + 2.0)), 0.0)
    return errors


class Explored:
    """States, actions and transitions, numbered as they are found."""

    def __init__(self, max_states: int, remedy: str) -> None:
        self.labels: list[Hashable] = []
        self.index: dict[Hashable, int] = {}
        self.ends: set[int] = set()
        self.start: dict[int, float] = {}
        self._limit, self._remedy = max_states, remedy
        self._source: list[int] = []
        self._action: list[int] = []
        self._target: list[int] = []
        self._numbers: list[tuple[float, float, int]] = []

    def number(self, label: Hashable) -> int:
        """The number of a state, which is new if it was not found before."""
        at = self.index.get(label)
        if at is None:
            at = self.index[label] = len(self.labels)
            if at >= self._limit:
                raise ValueError(f"there are more than {self._limit:,} states: {self._remedy}")
            self.labels.append(label)
        return at

    def add(self, source: int, action: int, outcomes: list[tuple[float, int, float, int]]) -> None:
        """The outcomes of an action: (p, next state, mean reward, samples)."""
        for p, target, reward, samples in outcomes:
            self._source.append(source)
            self._action.append(action)
            self._target.append(target)
            self._numbers.append((p, reward, samples))

    def parts(self, n_actions: int, action_labels: list[Hashable] | None) -> tuple[dict[str, Any], Extras]:
        """The parts of the MDP. States are in the order of their labels; whole numbers from 0 need no labels."""
        # A terminal state has the label of what it shows, unless a state that is not terminal has it.
        own = [end[0] if isinstance(end, End) and end[0] not in self.index else end for end in self.labels]
        order = in_order(own)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        labels = [own[at] for at in order]
        # Labels are plain values, so a comparison with numbers is safe.
        plain = all(type(label) is int for label in labels) and labels == list(range(len(labels)))
        source, target = place[np.array(self._source, dtype=np.int64)], place[np.array(self._target, dtype=np.int64)]
        action = np.array(self._action, dtype=np.int64)
        p, reward, samples = np.array(self._numbers, dtype=np.float64).reshape(-1, 3).T
        by = np.lexsort((target, action, source))
        terminal = sorted(int(place[at]) for at in self.ends)
        parts: dict[str, Any] = {
            "n_states": len(labels),
            "n_actions": n_actions,
            "transitions": (source[by], action[by], target[by], np.ascontiguousarray(p[by])),
            "start": {int(place[at]): chance for at, chance in self.start.items()},
            "terminal": terminal,
            "labels": None if plain else labels,
            "action_labels": action_labels,
        }
        counts = samples[by] if samples.any() else None
        errors = None if counts is None else binomial_errors(p[by], counts)
        return parts, Extras(true_reward=np.ascontiguousarray(reward[by]), counts=counts, errors=errors)
