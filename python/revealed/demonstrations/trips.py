"""Columns of trips: what is known of each path besides its states, such as its hour or its driver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .steps import is_absent, name_of

__all__ = ["Trips", "trip_columns"]

Trips = dict[str, list["float | str | None"]]
"""A column for each name, with an entry for each path: a number, a text, or None."""


def trip_columns(trip: Any, n: int) -> Trips:
    """Columns with an entry for each of `n` paths, checked."""
    names = getattr(trip, "columns", None)
    if names is None and not isinstance(trip, Mapping):
        raise TypeError(f"trip is a {type(trip).__name__}: give a dict of columns, or a frame with a row for each path")
    return {str(name): trip_column(str(name), trip[name], n) for name in (trip if names is None else names)}


def trip_column(name: str, column: Any, n: int) -> list[float | str | None]:
    """One column."""
    values = column.tolist() if hasattr(column, "tolist") else column.to_list() if hasattr(column, "to_list") else column
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise TypeError(f"trip[{name!r}] is {values!r}: give a value for each path")
    if len(values) != n:
        raise ValueError(f"trip[{name!r}] has {len(values)} values, but there are {n} paths")
    return [_cell(name, at, value) for at, value in enumerate(values)]


def _cell(name: str, at: int, value: Any) -> float | str | None:
    if is_absent(value):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        number = float(value)
        if not np.isfinite(number):
            raise ValueError(f"{name_of(at)}: trip[{name!r}] is {value!r}: give a finite number or a text")
        return number
    raise TypeError(f"{name_of(at)}: trip[{name!r}] is {value!r}: give a number or a text")
