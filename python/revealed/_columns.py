"""Whatever people have, as the contiguous columns that the engine takes; what does not fit is refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def reals(name: str, values: Any) -> NDArray[Any]:
    """An array of any shape that holds real numbers."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from None
    if array.size == 0 and array.dtype == object:
        array = array.astype(np.float64)
    if array.dtype == object or array.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {array.dtype}: it must hold real numbers")
    return array


def floats(name: str, values: Any, length: int | None = None) -> Floats:
    """A contiguous float64 vector; a copy only where numpy cannot lend the array as it is."""
    array = reals(name, values)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}: it must be a vector")
    if length is not None and len(array) != length:
        raise ValueError(f"{name} has {len(array)} entries, expected {length}")
    return np.ascontiguousarray(array, dtype=np.float64)


def integers(name: str, values: Any, length: int | None = None) -> Integers:
    """A contiguous int64 vector. Floats pass if they are whole."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from None
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype == object or array.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {array.dtype}: it must hold whole numbers")
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}: it must be a vector")
    if length is not None and len(array) != length:
        raise ValueError(f"{name} has {len(array)} entries, expected {length}")
    if array.dtype.kind == "f":
        bad = np.flatnonzero(~(np.isfinite(array) & (array == np.floor(array)) & (np.abs(array) < 2.0**53)))
        if len(bad):
            raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]]}: it must be a whole number")
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{name} has {array.max()}: it does not fit into 64 bits")
    return np.ascontiguousarray(array, dtype=np.int64)


def count(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least `least`."""
    try:
        number = int(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}: it must be a whole number") from None
    if isinstance(value, bool) or number != value:
        raise TypeError(f"{name} is {value!r}: it must be a whole number")
    if number < least:
        raise ValueError(f"{name} is {number}: it must be at least {least}")
    return number


def number(name: str, value: Any) -> float:
    """A real number."""
    if isinstance(value, (str, bytes, bool)):
        raise TypeError(f"{name} is {value!r}: it must be a number")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}: it must be a number") from None


def is_sparse(value: Any) -> bool:
    """Whether it is a matrix of scipy.sparse (which is not imported for this)."""
    return hasattr(value, "tocoo") and hasattr(value, "nnz") and hasattr(value, "shape")


def is_frame(value: Any) -> bool:
    """Whether it is a data frame of pandas or polars."""
    return hasattr(value, "columns") and hasattr(value, "to_numpy") and hasattr(value, "shape")


def frame_columns(frame: Any) -> list[str]:
    return [str(name) for name in frame.columns]


def frame_column(frame: Any, name: str) -> NDArray[Any]:
    """A column as numpy has it; pandas and polars agree on this."""
    return np.asarray(frame[name].to_numpy())


def entries(name: str, matrix: Any, n_rows: int | None = None) -> tuple[Integers, Integers, Floats, int]:
    """The (row, column, value) entries of a dense or sparse matrix that are not zero, and the number of columns."""
    if is_sparse(matrix):
        if len(matrix.shape) != 2:
            raise ValueError(f"{name} has shape {matrix.shape}: it must be a matrix")
        coo = matrix.tocoo()
        rows, columns = coo.row, coo.col
        values = floats(name, coo.data)
        shape = matrix.shape
    else:
        array = reals(name, matrix)
        if array.ndim != 2:
            raise ValueError(f"{name} has shape {array.shape}: it must be a matrix with a row for each of them")
        rows, columns = np.nonzero(array)
        values = floats(name, array[rows, columns])
        shape = array.shape
    if n_rows is not None and shape[0] != n_rows:
        raise ValueError(f"{name} has {shape[0]} rows, expected {n_rows}")
    return integers(name, rows), integers(name, columns), values, int(shape[1])


def same_length(names: Sequence[str], columns: Sequence[NDArray[Any]]) -> None:
    """Refuses columns of one table that differ in length."""
    lengths = {name: len(column) for name, column in zip(names, columns)}
    if len(set(lengths.values())) > 1:
        raise ValueError("columns differ in length: " + ", ".join(f"{name} has {n}" for name, n in lengths.items()))
