"""Vectors of numbers as contiguous columns, without a copy where numpy can lend the array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Integers", "are_whole", "floats", "integers", "listed", "reals", "same_length"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def _array(name: str, values: Any) -> NDArray[Any]:
    """The array that numpy makes of `values`."""
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
    with np.errstate(over="ignore"):  # a long double may be infinite as a double: the engine rejects it
        return np.require(array, np.float64, ["C", "A"])


def integers(name: str, values: Any, length: int | None = None) -> Integers:
    """A contiguous int64 vector. Floats pass if they are whole."""
    array = _array(name, values)
    if array.size == 0:
        array = np.zeros(array.shape, np.int64)
    if array.dtype.kind == "b":
        remedy = "it must hold whole numbers; numpy.flatnonzero gives the numbers of a mask"
        raise TypeError(f"{name} holds booleans: {remedy}")
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} has dtype {array.dtype}: it must hold whole numbers")
    _vector(name, array, length)
    if array.dtype.kind == "f":
        bad = np.flatnonzero(~are_whole(array))
        if len(bad):
            raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]]}: it must be a whole number")
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{name} has {array.max()}: it does not fit into 64 bits")
    return np.require(array, np.int64, ["C", "A"])


def are_whole(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Which floats are whole numbers below 2^53, where doubles represent every whole number."""
    with np.errstate(over="ignore"):
        doubles = array.astype(np.float64)
    whole: NDArray[np.bool_] = (doubles == np.floor(doubles)) & (np.abs(doubles) < 2.0**53)
    return whole


def listed(name: str, values: Iterable[Any] | Any) -> Any:
    """An array unchanged, and any other iterable as a list."""
    if isinstance(values, np.ndarray) and values.ndim:
        return values
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"{name} is {values!r}: give a list") from None


def same_length(names: Sequence[str], columns: Sequence[NDArray[Any]]) -> None:
    """Rejects columns of one table that differ in length."""
    lengths = {name: len(column) for name, column in zip(names, columns)}
    if len(set(lengths.values())) > 1:
        raise ValueError("columns differ in length: " + ", ".join(f"{name} has {n}" for name, n in lengths.items()))
