"""Transition probabilities from columns, one dense array, or a matrix for each action; and other parts of an MDP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ..inputs.columns import Floats, Integers, floats, integers, listed, reals, same_length
from ..inputs.frames import frame_column, frame_columns, is_frame
from ..inputs.matrices import entries, is_sparse
from ..inputs.numbers import count
from .naming import Naming

__all__ = ["Axis", "Rows"]

Axis = Literal["state", "action", "next"]
Rows = tuple[Integers, Integers, Integers, Floats]
_AXES: tuple[Axis, ...] = ("state", "action", "next")
_MOST_ACTIONS = 2**31


def columns(transitions: Any, labels: Any = None, action_labels: Any = None) -> tuple[Rows, Naming]:
    """Four columns, or a frame that has them; and the labels of states and actions."""
    names = ("from", "action", "to", "p")
    if is_frame(transitions):
        has = frame_columns("transitions", transitions)
        missing = [name for name in names[:3] if name not in has]
        if missing:
            raise ValueError(f"transitions has no column {missing[0]!r}: it needs {', '.join(names)}")
        # Without p, every action has one outcome.
        p = frame_column(transitions, "p") if "p" in has else np.ones(len(transitions))
        transitions = (*(frame_column(transitions, name) for name in names[:3]), p)
    try:
        source, action, target, p = transitions
    except (TypeError, ValueError):
        raise ValueError("transitions must be four columns: from, action, to and p") from None
    by = Naming.of(labels, action_labels, source, action, target)
    rows = (
        integers("transitions.from", by.states("transitions.from", source)),
        integers("transitions.action", by.acts("transitions.action", action)),
        integers("transitions.to", by.states("transitions.to", target)),
        floats("transitions.p", p),
    )
    same_length([f"transitions.{name}" for name in names], rows)
    return rows, by


def sizes(n_states: int | None, n_actions: int | None, rows: Rows, terminal: Integers, by: Naming) -> tuple[int, int]:
    """The numbers of states and actions: as given, as many as there are labels, or the largest number plus 1."""
    if n_states is None:
        known = np.concatenate([rows[0], rows[2], terminal])
        n_states = len(by.labels) if by.labels is not None else int(known.max(initial=0)) + 1
    if n_actions is None:
        n_actions = len(by.actions) if by.actions is not None else int(rows[1].max(initial=0)) + 1
    return count("n_states", n_states, most=2**63 - 1), count("n_actions", n_actions, most=2**63 - 1)


def in_engine_order(name: str, values: Any, rows: Rows) -> Floats:
    """A number for each transition as given, in the order of the engine, which drops transitions of probability 0."""
    given = floats(name, values, len(rows[0]))
    if not np.isfinite(given).all():
        at = int(np.argmin(np.isfinite(given)))
        raise ValueError(f"{name}[{at}] is {given[at]}: it must be finite")
    order = np.lexsort((rows[2], rows[1], rows[0]))
    return np.ascontiguousarray(given[order][rows[3][order] != 0.0])


def dense(T: Any, axes: Sequence[Axis]) -> tuple[int, int, Rows]:
    """The sizes and rows of one array whose axes are named."""
    array = reals("T", T)
    named = [] if isinstance(axes, str) else [str(name) for name in listed("axes", axes)]
    if sorted(named) != sorted(_AXES):
        raise ValueError(f"axes is {axes!r}: it must name 'state', 'action' and 'next', each once")
    if array.ndim != 3:
        raise ValueError(f"T has shape {array.shape}: it must have three axes")
    turned = np.moveaxis(array, [named.index(name) for name in _AXES], [0, 1, 2])
    n_states, n_actions, n_next = turned.shape
    if n_states != n_next:
        raise ValueError(f"T has {n_states} states and {n_next} next states: check the axes {tuple(named)}")
    if not turned.size:
        raise ValueError(f"T has shape {array.shape}: there must be at least one state and one action")
    bad = np.argwhere(~((array >= 0.0) & (array < np.inf)))
    if len(bad):
        place = tuple(bad[0].tolist())
        raise ValueError(f"T{list(place)} is {array[place]}: it must be a probability")
    source, action, target = np.nonzero(turned)
    p = floats("T", turned[source, action, target])
    return n_states, n_actions, (integers("T", source), integers("T", action), integers("T", target), p)


def matrices(T: Sequence[Any] | Mapping[int, Any]) -> tuple[int, int, Rows]:
    """The sizes and rows of one matrix for each action."""
    if is_sparse(T) or is_frame(T) or not isinstance(T, (Mapping, Sequence, np.ndarray)) or isinstance(T, (str, bytes)):
        raise TypeError(f"T is a {type(T).__name__}: give a list with a matrix for each action")
    named = T.items() if isinstance(T, Mapping) else enumerate(listed("T", T))
    given = {count("an action of T", at, least=0, most=_MOST_ACTIONS): matrix for at, matrix in named}
    if not given:
        raise ValueError("T has no matrix: give one for each action")
    parts: list[Rows] = []
    n_states: int | None = None
    for at, matrix in given.items():
        row, column, value, width = entries(f"T[{at}]", matrix, n_states)
        n_states = int(np.shape(matrix)[0]) if n_states is None else n_states
        if width != n_states:
            raise ValueError(f"T[{at}] has {width} columns and {n_states} rows: it must be square")
        if (value < 0.0).any():
            first = int(np.argmax(value < 0.0))
            raise ValueError(f"T[{at}][{row[first]}, {column[first]}] is {value[first]}: it must be a probability")
        parts.append((row, np.full(len(row), at, dtype=np.int64), column, value))
    source, action, target, p = (np.concatenate(column) for column in zip(*parts))
    order = np.lexsort((target, action, source))  # the engine's order, which rows of features are in
    return n_states or 0, max(given) + 1, (source[order], action[order], target[order], p[order])


def without_leaving(rows: Rows, terminal: Iterable[int]) -> tuple[Rows, Integers]:
    """The rows without those that lead out of terminal states: these are never taken."""
    ends = integers("terminal", listed("terminal", terminal))
    source, action, target, p = rows
    keep = ~np.isin(source, ends)
    return (source[keep], action[keep], target[keep], p[keep]), ends


def start(value: Any, n_states: int) -> tuple[Integers, Floats]:
    """p0 as states and probabilities, from a state, a mapping, or a vector over the states."""
    if isinstance(value, Mapping):
        return integers("start", list(value)), floats("start", list(value.values()))
    if isinstance(value, (str, bytes)) or value is None:
        remedy = "give a state, a mapping of states to probabilities, or a vector over the states"
        raise TypeError(f"start is {value!r}: {remedy}")
    if not isinstance(value, (list, tuple)) and np.ndim(value) == 0:
        return np.array([count("start", value, least=0, most=n_states - 1)]), np.ones(1)
    p = floats("start", value, n_states)
    states = np.flatnonzero(p != 0.0)  # NaN is kept: the engine rejects it and names its place
    return integers("start", states), p[states]


def in_range(rows: Rows, n_states: int, n_actions: int) -> None:
    """Rejects rows with states or actions out of range, before feature functions are called with them."""
    for what, column, n in (("state", rows[0], n_states), ("action", rows[1], n_actions), ("next state", rows[2], n_states)):
        bad = np.flatnonzero((column < 0) | (column >= n))
        if len(bad):
            place = f"transitions row {bad[0]}: {what} {column[bad[0]]}"
            raise ValueError(f"{place} is out of range, there are {n} (0 to {n - 1})")


def no_dead_end(n_states: int, source: Integers, terminal: Integers) -> None:
    """Rejects a number of states that is larger than the transitions allow, before anything of that size is made."""
    if n_states <= len(source) + len(terminal):
        return  # the engine looks at each
    known = np.union1d(source, terminal)
    known = known[known >= 0]
    gaps = np.flatnonzero(known != np.arange(len(known)))
    state = int(gaps[0]) if len(gaps) else len(known)
    problem = f"n_states is {n_states}, but state {state} offers no action and is not terminal"
    raise ValueError(f"{problem}: give it a transition, or list it under `terminal`")


def grid(value: Any) -> tuple[int, int]:
    """(rows, columns)."""
    rows, columns = _pair("grid", value, "(rows, columns)")
    return count("grid rows", rows), count("grid columns", columns)


def points(value: Any, n_states: int) -> tuple[Floats, Floats]:
    """(x, y) of each state."""
    x, y = _pair("points", value, "(x, y)")
    columns = floats("points x", x, n_states), floats("points y", y, n_states)
    if not np.isfinite(columns).all():
        raise ValueError("points has a number that is not finite: give every state a place")
    return columns


def _pair(name: str, value: Any, what: str) -> tuple[Any, Any]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}: it must be {what}") from None
    return first, second


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
