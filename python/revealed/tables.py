"""Transition probabilities as people keep them: one dense array, or a matrix for each action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ._columns import Floats, Integers, count, entries, floats, integers, is_frame, reals, same_length

__all__ = ["Axis"]

Axis = Literal["state", "action", "next"]
Rows = tuple[Integers, Integers, Integers, Floats]
_AXES: tuple[Axis, ...] = ("state", "action", "next")


def columns(transitions: Any) -> Rows:
    """Four columns, or a frame that has them."""
    names = ("from", "action", "to", "p")
    if is_frame(transitions):
        missing = [name for name in names if name not in list(map(str, transitions.columns))]
        if missing:
            raise ValueError(f"transitions has no column {missing[0]!r}: it needs {', '.join(names)}")
        transitions = tuple(transitions[name].to_numpy() for name in names)
    try:
        source, action, target, p = transitions
    except (TypeError, ValueError):
        raise ValueError("transitions must be four columns: from, action, to and p") from None
    rows = (
        integers("transitions.from", source),
        integers("transitions.action", action),
        integers("transitions.to", target),
        floats("transitions.p", p),
    )
    same_length([f"transitions.{name}" for name in names], rows)
    return rows


def dense(T: Any, axes: Sequence[Axis]) -> tuple[int, int, Rows]:
    """The sizes and rows of one array whose axes are named."""
    array = reals("T", T)
    if isinstance(axes, str) or sorted(map(str, axes)) != sorted(_AXES):
        raise ValueError(f"axes is {axes!r}: it must name 'state', 'action' and 'next', each once")
    if array.ndim != 3:
        raise ValueError(f"T has shape {array.shape}: it must have three axes")
    array = np.moveaxis(array, [list(axes).index(name) for name in _AXES], [0, 1, 2])
    n_states, n_actions, n_next = array.shape
    if n_states != n_next:
        raise ValueError(f"T has {n_states} states and {n_next} next states: check the axes {tuple(axes)}")
    source, action, target = np.nonzero(array)
    p = floats("T", array[source, action, target])
    return n_states, n_actions, (integers("T", source), integers("T", action), integers("T", target), p)


def matrices(T: Sequence[Any] | Mapping[int, Any]) -> tuple[int, int, Rows]:
    """The sizes and rows of one matrix for each action."""
    try:
        given = {count("an action of T", at, least=0): matrix for at, matrix in (T.items() if isinstance(T, Mapping) else enumerate(T))}
    except TypeError as error:
        raise TypeError(f"T must hold one matrix for each action: {error}") from None
    if not given:
        raise ValueError("T has no matrix: give one for each action")
    parts: list[Rows] = []
    n_states: int | None = None
    for at, matrix in given.items():
        row, column, value, width = entries(f"T[{at}]", matrix, n_states)
        n_states = int(np.shape(matrix)[0]) if n_states is None else n_states
        if width != n_states:
            raise ValueError(f"T[{at}] has {width} columns and {n_states} rows: it must be square")
        parts.append((row, np.full(len(row), at, dtype=np.int64), column, value))
    source, action, target, p = (np.concatenate(column) for column in zip(*parts))
    return n_states or 0, max(given) + 1, (source, action, target, p)


def without_leaving(rows: Rows, terminal: Iterable[int]) -> tuple[Rows, Integers]:
    """The rows that do not lead out of terminal states, which are never taken."""
    ends = integers("terminal", terminal if isinstance(terminal, np.ndarray) else list(terminal))
    source, action, target, p = rows
    keep = ~np.isin(source, ends)
    return (source[keep], action[keep], target[keep], p[keep]), ends


def start(value: Any, n_states: int) -> tuple[Integers, Floats]:
    """p0 as states and probabilities, from a state, a mapping, or a vector over the states."""
    if isinstance(value, Mapping):
        return integers("start", list(value)), floats("start", list(value.values()))
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError(f"start is {value!r}: give a state, a mapping of states to probabilities, or a vector over the states")
    if np.ndim(value) == 0:
        return integers("start", [count("start", value, least=0)]), np.ones(1)
    p = floats("start", value, n_states)
    states = np.flatnonzero(p != 0.0)  # NaN is kept, to be refused by the engine with its place
    return integers("start", states), p[states]


def reference(value: Any, n_states: int, n_actions: int) -> tuple[Integers, Integers, Floats]:
    """A reference policy as columns, from a matrix or from columns."""
    if value is None:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    if isinstance(value, tuple) and len(value) == 3:
        state, action, p = value
        rows = integers("reference.state", state), integers("reference.action", action), floats("reference.p", p)
        same_length(("reference.state", "reference.action", "reference.p"), rows)
        return rows
    state, action, p, width = entries("reference", value, n_states)
    if width != n_actions:
        raise ValueError(f"reference has {width} columns, but there are {n_actions} actions")
    return state, action, p
