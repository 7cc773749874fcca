"""Paths in a frame of pandas or polars in long form: a row for each step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..inputs.columns import Floats, Integers, are_whole, floats
from ..inputs.frames import frame_column, frame_columns
from .steps import Columns, is_absent, is_missing, name_of, of_pairs, whole_numbers
from .trips import trip_column

__all__ = ["TRIP", "of_frame"]

TRIP = "trip."
"""What the names of the columns of trips begin with."""

_NUMBERS = (int, float, np.integer, np.floating)


class _Rows(NamedTuple):
    """The rows of a frame, path by path."""

    order: Integers
    """The rows, one path after another, each in the order of its steps."""
    firsts: Integers
    """Where each path begins in `order`."""
    ends: Integers
    """Where each path ends in `order`: one past its last row."""
    places: list[str]
    """How errors name each path."""


def of_frame(frame: Any) -> Columns:
    """From a frame with the columns id, state and action, and perhaps step, weight and columns of trips."""
    names = frame_columns("the frame", frame)
    for name in ("id", "state", "action"):
        if name not in names:
            raise ValueError(f"the frame has no column {name!r}: it needs id, state and action, a row for each step")
    numbers, path_of = _numbered(frame["id"].to_list())
    places = [name_of(at, str(label)) for at, label in enumerate(numbers)]
    order = _order(frame, path_of, places) if "step" in names else np.argsort(path_of, kind="stable")
    lengths = np.bincount(path_of)
    ends = np.cumsum(lengths)
    rows = _Rows(order, ends - lengths, ends, places)
    states, actions = (_whole_column(frame_column(frame, name)[order]) for name in ("state", "action"))
    last = np.zeros(len(order), dtype=bool)
    last[ends - 1] = True
    if states is None or actions is None or (states < 0).any() or ((actions < 0) != last).any():
        _refuse(frame, rows)
    assert states is not None and actions is not None  # otherwise an error was raised
    weights = np.ones(len(numbers)) if "weight" not in names else _weights(frame, rows)
    columns = {name[len(TRIP) :]: _of_paths(frame, name, rows) for name in names if name.startswith(TRIP)}
    trip = {name: trip_column(name, column, len(numbers)) for name, column in columns.items()}
    return np.concatenate([[0], ends]), states, actions, weights, [str(label) for label in numbers], trip


def _numbered(labels: list[Any]) -> tuple[dict[Any, int], Integers]:
    """The number of each id, by first appearance, and the number of each row's path."""
    numbers: dict[Any, int] = {}
    for row, label in enumerate(labels):
        if is_absent(label):
            raise ValueError(f"row {row} of the frame has no id")
        numbers.setdefault(label, len(numbers))
    if not numbers:
        raise ValueError("there are no demonstrations: the frame has no rows")
    return numbers, np.array([numbers[label] for label in labels], dtype=np.int64)


def _whole_column(column: Any) -> Integers | None:
    """Whole numbers, -1 if they are missing; None if they are not whole, or are negative other than -1."""
    if column.dtype == object:
        missing = np.fromiter((is_absent(value) for value in column), dtype=bool, count=len(column))
        if any(not isinstance(value, _NUMBERS) or isinstance(value, bool) for value in column[~missing]):
            return None
        column = np.where(missing, -1, column)
        column = np.array(column.tolist())
    if column.dtype.kind == "f":
        column = np.where(np.isnan(column), -1.0, column)
        if not are_whole(column).all():
            return None
    if column.dtype.kind not in "iuf" or (column < -1).any() or (column > 2**63 - 1).any():
        return None
    return np.require(column, np.int64, ["C", "A"])


def _refuse(frame: Any, rows: _Rows) -> None:
    """Reads the paths one by one, to name what is wrong."""
    states, actions = frame_column(frame, "state")[rows.order], frame_column(frame, "action")[rows.order]
    for place, first, end in zip(rows.places, rows.firsts, rows.ends):
        whole_numbers(place, "state", states[first:end])
        of_pairs(place, list(zip(range(end - first), (None if is_missing(a) else a for a in actions[first:end].tolist()))))
    raise ValueError("the columns `state` and `action` must hold whole numbers")


def _number_column(frame: Any, name: str) -> Floats:
    column = frame_column(frame, name)
    if column.dtype == object:
        bad = [row for row, value in enumerate(column) if is_absent(value)]
        if bad:
            raise ValueError(f"row {bad[0]} of the frame has no {name}")
        column = np.array(column.tolist())
    values = floats(f"the column {name!r}", column)
    if np.isnan(values).any():
        raise ValueError(f"row {int(np.argmax(np.isnan(values)))} of the frame has no {name}")
    return values


def _order(frame: Any, path_of: Integers, places: list[str]) -> Integers:
    """The rows path by path, each in the order of its steps."""
    step = _number_column(frame, "step")
    order = np.lexsort((step, path_of))
    twice = np.flatnonzero((np.diff(path_of[order]) == 0) & (np.diff(step[order]) == 0))
    if len(twice):
        row = order[twice[0]]
        raise ValueError(f"{places[path_of[row]]}: it has step {step[row]:g} twice")
    return order


def _of_paths(frame: Any, name: str, rows: _Rows) -> list[Any]:
    """The value of each path in a column, which is the same on each of its rows."""
    values = np.asarray(frame_column(frame, name), dtype=object)[rows.order]
    for place, first, end in zip(rows.places, rows.firsts, rows.ends):
        for value in values[first + 1 : end]:
            if value != values[first] and not (is_absent(value) and is_absent(values[first])):
                raise ValueError(f"{place}: its {name} is {values[first]!r} on one row and {value!r} on another")
    return [values[first] for first in rows.firsts]


def _weights(frame: Any, rows: _Rows) -> Floats:
    """The weight of each path, which is the same on each of its rows."""
    weight = _number_column(frame, "weight")[rows.order]
    of_path = weight[rows.firsts]
    differ = np.flatnonzero(weight != np.repeat(of_path, rows.ends - rows.firsts))
    if len(differ):
        at = int(np.searchsorted(rows.firsts, differ[0], side="right")) - 1
        raise ValueError(f"{rows.places[at]}: its weight is {of_path[at]} on one row and {weight[differ[0]]} on another")
    return of_path
