"""Data frames of pandas and polars, by what the two have in common; neither is imported."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import reals

__all__ = ["frame_column", "frame_columns", "frame_matrix", "is_frame"]


def is_frame(value: Any) -> bool:
    """Whether it is a data frame of pandas or polars."""
    return hasattr(value, "columns") and hasattr(value, "to_numpy") and hasattr(value, "shape")


def frame_columns(name: str, frame: Any) -> list[str]:
    """The names of the columns, each once."""
    columns = [str(column) for column in frame.columns]
    for column in columns:
        if columns.count(column) > 1:
            raise ValueError(f"{name} has two columns {column!r}: give each its own name")
    return columns


def frame_column(frame: Any, name: str) -> NDArray[Any]:
    """A column as a numpy array."""
    return np.asarray(frame[name].to_numpy())


def frame_matrix(name: str, frame: Any) -> NDArray[Any]:
    """A frame of numbers, column by column: the matrix of a frame that mixes types would hold objects."""
    frame_columns(name, frame)
    index = getattr(frame, "index", None)
    if index is not None and not index.is_monotonic_increasing:
        remedy = "sort_index() it, or reset_index(drop=True) if its rows are"
        raise ValueError(f"the index of {name} is not in order: {remedy}")
    columns = [reals(f"{name}, column {column!r},", frame_column(frame, column)) for column in frame.columns]
    return np.column_stack(columns) if columns else np.empty(frame.shape)
