"""States and actions by label where an MDP is made: in transitions, starts, ends and features."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ..inputs.columns import Integers, listed
from ..inputs.labels import label_of, not_among

__all__ = ["Naming", "numbered", "row_numbers"]

Index = dict[Hashable, int]


def _labels(what: str, labels: Any) -> tuple[list[Hashable], Index]:
    found = []
    for label in listed(what, labels):
        if isinstance(label, list):
            hash(label)  # which says that it is unhashable
        found.append(label_of(label))
    index = {label: at for at, label in enumerate(found)}
    if len(index) != len(found):
        twice = next(label for at, label in enumerate(found) if index[label] != at)
        noun = "state" if what == "labels" else "action"
        raise ValueError(f"{what} has {twice!r} twice: give each {noun} its own name")
    return found, index


class Naming:
    """The labels of states and of actions, if they have some.

    Where an MDP is made, whole numbers are always numbers, and everything else is a label.
    """

    def __init__(self, labels: Sequence[Hashable] | None, action_labels: Sequence[Hashable] | None) -> None:
        self.labels: list[Hashable] | None = None
        self.index: Index | None = None
        self.actions: list[Hashable] | None = None
        self.action_index: Index | None = None
        try:
            if labels is not None:
                self.labels, self.index = _labels("labels", labels)
            if action_labels is not None:
                self.actions, self.action_index = _labels("action_labels", action_labels)
        except TypeError as error:
            raise TypeError(f"labels: {error}") from None

    @classmethod
    def of(cls, labels: Any, action_labels: Any, source: Any, action: Any, target: Any) -> Naming:
        """The given labels; those that the transitions have where none are given."""
        if labels is None and not (_are_numbers(source) and _are_numbers(target)):
            both = zip(_listed("transitions.from", source), _listed("transitions.to", target))
            labels = _seen("transitions, states", [label for row in both for label in row])
        if action_labels is None and not _are_numbers(action):
            action_labels = _seen("transitions.action", _listed("transitions.action", action))
        return cls(labels, action_labels)

    def sized(self, n_states: int, n_actions: int) -> None:
        """Rejects labels that are too few or too many."""
        for what, found, n, noun in (
            ("labels", self.labels, n_states, "states"),
            ("action_labels", self.actions, n_actions, "actions"),
        ):
            if found is not None and len(found) != n:
                raise ValueError(f"{what} has {len(found)} entries, but there are {n} {noun}")

    def states(self, name: str, column: Any) -> Any:
        """A column of states by number."""
        return numbered(name, column, self.index, "state")

    def acts(self, name: str, column: Any) -> Any:
        """A column of actions by number."""
        return numbered(name, column, self.action_index, "action")

    def start(self, value: Any) -> Any:
        """p0 with its states by number."""
        if self.index is None:
            return value
        if isinstance(value, Mapping):
            states = self.states("start", list(value))
            return dict(zip(states.tolist() if isinstance(states, np.ndarray) else states, value.values()))
        if isinstance(value, (int, np.integer, list, np.ndarray)) or hasattr(value, "to_numpy"):
            return value
        return int(self.states("start", [value])[0])


def numbered(name: str, column: Any, index: Index | None, noun: str) -> Any:
    """Numbers unchanged, and labels as numbers."""
    if index is None or _are_numbers(column):
        return column
    labels = _listed(name, column)
    found = np.empty(len(labels), dtype=np.int64)
    for at, label in enumerate(labels):
        try:
            number = index.get(label_of(label))
        except TypeError as error:
            raise TypeError(f"{name}[{at}]: {error}") from None
        if number is None:
            raise ValueError(f"{name}[{at}] is {label!r}: {not_among(label, index, noun)}")
        found[at] = number
    return found


def _listed(name: str, column: Any) -> list[Any]:
    if isinstance(column, np.ndarray) and column.ndim == 1:
        found: list[Any] = column.tolist()
        return found
    return list(listed(name, column))


def _are_numbers(column: Any) -> bool:
    """Whether a column has numbers, and not labels. What is no column at all is refused elsewhere."""
    if isinstance(column, np.ndarray):
        if column.ndim != 1 or column.dtype.kind not in "OUS":
            return True  # which is refused elsewhere, if it is no column of numbers
        return column.dtype.kind == "O" and _are_numbers(column.tolist())
    if isinstance(column, (str, bytes, Mapping)) or not hasattr(column, "__iter__") or getattr(column, "shape", (1,)) == ():
        return True
    dtype = getattr(column, "dtype", None)
    if dtype is not None and getattr(dtype, "kind", "") in tuple("biuf"):
        return True
    # Text and tuples are labels. None and NaN are neither: they are refused as numbers.
    return not isinstance(column, (list, tuple)) or not any(isinstance(value, (str, bytes, tuple)) for value in column)


def _seen(name: str, labels: list[Any]) -> list[Hashable]:
    """Each label once, in the order in which it comes."""
    try:
        return list(dict.fromkeys(map(label_of, labels)))
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def row_numbers(name: str, labels: Sequence[Any], index: Index) -> Integers:
    """Where the row of each state stands, for rows that come with the labels of their states."""
    places: dict[int, int] = {}
    for row, label in enumerate(labels):
        state = index.get(label_of(label))
        if state is None:
            raise ValueError(f"{name} has a row for {label!r}: {not_among(label, index, 'state')}")
        if state in places:
            raise ValueError(f"{name} has two rows for {label!r}: give each state one")
        places[state] = row
    missing = [label for label, state in index.items() if state not in places]
    if missing:
        raise ValueError(f"{name} has no row for state {missing[0]!r}: give each state one")
    return np.array([places[state] for state in range(len(index))], dtype=np.int64)
