"""Whatever people have, as the contiguous columns that the engine takes; what does not fit is refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

# What the engine's counts and seeds go up to.
MOST = 2**64 - 1


def _array(name: str, values: Any) -> NDArray[Any]:
    """Whatever numpy makes of it."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries: fill them first")
    try:
        return np.asarray(values)
    except (ValueError, TypeError, RuntimeError, OverflowError) as error:  # a tensor with a gradient is a RuntimeError
        raise ValueError(f"{name}: {error}") from None


def reals(name: str, values: Any) -> NDArray[Any]:
    """An array of any shape that holds real numbers."""
    array = _array(name, values)
    if array.size == 0 and array.dtype == object:
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {array.dtype}: it must hold real numbers")
    return array


def _vector(name: str, array: NDArray[Any], length: int | None) -> None:
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}: it must be a vector")
    if length is not None and len(array) != length:
        raise ValueError(f"{name} has {len(array)} entries, expected {length}")


def floats(name: str, values: Any, length: int | None = None) -> Floats:
    """A contiguous float64 vector; a copy only where numpy cannot lend the array as it is."""
    array = reals(name, values)
    _vector(name, array, length)
    with np.errstate(over="ignore"):  # a long double may be infinite as a double, which the engine refuses with its place
        return np.ascontiguousarray(array, dtype=np.float64)


def integers(name: str, values: Any, length: int | None = None) -> Integers:
    """A contiguous int64 vector. Floats pass if they are whole."""
    array = _array(name, values)
    if array.size == 0:
        array = np.zeros(array.shape, np.int64)
    if array.dtype.kind == "b":
        raise TypeError(f"{name} holds booleans: it must hold whole numbers; numpy.flatnonzero gives the numbers of a mask")
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} has dtype {array.dtype}: it must hold whole numbers")
    _vector(name, array, length)
    if array.dtype.kind == "f":
        bad = np.flatnonzero(~are_whole(array))
        if len(bad):
            raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]]}: it must be a whole number")
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{name} has {array.max()}: it does not fit into 64 bits")
    return np.ascontiguousarray(array, dtype=np.int64)


def are_whole(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Which floats are whole numbers that a double tells apart."""
    with np.errstate(over="ignore"):
        doubles = array.astype(np.float64)
    whole: NDArray[np.bool_] = (doubles == np.floor(doubles)) & (np.abs(doubles) < 2.0**53)
    return whole


def listed(name: str, values: Iterable[Any] | Any) -> Any:
    """An array as it is, and anything else that can be gone through as a list."""
    if isinstance(values, np.ndarray) and values.ndim:
        return values
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"{name} is {values!r}: give a list") from None


def _is_number(value: Any) -> bool:
    """Whether it may be a real number: no text, no truth value, nothing complex, nothing with axes."""
    if isinstance(value, (str, bytes, bytearray, bool)):
        return False
    kind = getattr(getattr(value, "dtype", None), "kind", "f")
    return kind in "iuf" and getattr(value, "ndim", 0) == 0


def count(name: str, value: Any, least: int = 1, most: int = MOST) -> int:
    """A whole number of at least `least`."""
    problem = f"{name} is {value!r}: it must be a whole number"
    if not _is_number(value):
        raise TypeError(problem)
    try:
        number = int(value)
    except (TypeError, ValueError):
        raise TypeError(problem) from None
    except OverflowError:
        raise ValueError(problem) from None
    if number != value:
        raise TypeError(problem)
    if number < least:
        raise ValueError(f"{name} is {number}: it must be at least {least}")
    if number > most:
        raise ValueError(f"{name} is {number}: it must be at most {most}")
    return number


def number(name: str, value: Any) -> float:
    """A real number."""
    problem = f"{name} is {value!r}: it must be a number"
    if not _is_number(value):
        raise TypeError(problem)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(problem) from None
    except OverflowError:
        raise ValueError(f"{name} is too large for a double") from None


def is_sparse(value: Any) -> bool:
    """Whether it is a matrix of scipy.sparse (which is not imported for this)."""
    return hasattr(value, "tocoo") and hasattr(value, "nnz") and hasattr(value, "shape")


def is_frame(value: Any) -> bool:
    """Whether it is a data frame of pandas or polars."""
    return hasattr(value, "columns") and hasattr(value, "to_numpy") and hasattr(value, "shape")


def frame_columns(name: str, frame: Any) -> list[str]:
    """The names of the columns, each once."""
    columns = [str(column) for column in frame.columns]
    for column in columns:
        if columns.count(column) > 1:
            raise ValueError(f"{name} has two columns {column!r}: give each a name of its own")
    return columns


def frame_column(frame: Any, name: str) -> NDArray[Any]:
    """A column as numpy has it; pandas and polars agree on this."""
    return np.asarray(frame[name].to_numpy())


def frame_matrix(name: str, frame: Any) -> NDArray[Any]:
    """A frame of numbers, column by column: the matrix of a frame that mixes types would hold objects."""
    frame_columns(name, frame)
    index = getattr(frame, "index", None)
    if index is not None and not index.is_monotonic_increasing:
        raise ValueError(f"the index of {name} is not in order: sort_index() it, or reset_index(drop=True) if its rows are")
    columns = [reals(f"{name}, column {column!r},", frame_column(frame, column)) for column in frame.columns]
    return np.column_stack(columns) if columns else np.empty(frame.shape)


def entries(name: str, matrix: Any, n_rows: int | None = None) -> tuple[Integers, Integers, Floats, int]:
    """The (row, column, value) entries of a dense or sparse matrix that are not zero, and the number of columns."""
    if is_sparse(matrix):
        if len(matrix.shape) != 2:
            raise ValueError(f"{name} has shape {matrix.shape}: it must be a matrix")
        coo = matrix.tocoo()
        if not getattr(coo, "has_canonical_format", True):
            coo = coo.copy()
            coo.sum_duplicates()  # as scipy reads them
        rows, columns, values, shape = coo.row, coo.col, floats(name, coo.data), matrix.shape
        if not values.all():
            rows, columns, values = rows[values != 0.0], columns[values != 0.0], values[values != 0.0]
    else:
        array = reals(name, matrix)
        if array.ndim != 2:
            raise ValueError(f"{name} has shape {array.shape}: it must be a matrix with a row for each of them")
        rows, columns = np.nonzero(array)
        values = floats(name, array[rows, columns])
        shape = array.shape
    if n_rows is not None and shape[0] != n_rows:
        raise ValueError(f"{name} has {shape[0]} rows, expected {n_rows}")
    if not np.isfinite(values).all():
        at = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name}[{rows[at]}, {columns[at]}] is {values[at]}: it must be a finite number")
    return integers(name, rows), integers(name, columns), values, int(shape[1])


def same_length(names: Sequence[str], columns: Sequence[NDArray[Any]]) -> None:
    """Refuses columns of one table that differ in length."""
    lengths = {name: len(column) for name, column in zip(names, columns)}
    if len(set(lengths.values())) > 1:
        raise ValueError("columns differ in length: " + ", ".join(f"{name} has {n}" for name, n in lengths.items()))
