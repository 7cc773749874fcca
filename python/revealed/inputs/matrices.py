"""Dense and sparse matrices as (row, column, value) entries; scipy is not imported."""

from __future__ import annotations

from typing import Any

import numpy as np

from .columns import Floats, Integers, floats, integers, reals

__all__ = ["SparseIdentity", "entries", "is_sparse", "policy_table"]


def is_sparse(value: Any) -> bool:
    """Whether it is a matrix of scipy.sparse."""
    return hasattr(value, "tocoo") and hasattr(value, "nnz") and hasattr(value, "shape")


def entries(name: str, matrix: Any, n_rows: int | None = None) -> tuple[Integers, Integers, Floats, int]:
    """The (row, column, value) entries of a dense or sparse matrix that are not zero, and the number of columns."""
    if is_sparse(matrix):
        rows, columns, values = _sparse_entries(name, matrix)
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
    if not np.isfinite(values).all():
        at = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name}[{rows[at]}, {columns[at]}] is {values[at]}: it must be a finite number")
    return integers(name, rows), integers(name, columns), values, int(shape[1])


def _sparse_entries(name: str, matrix: Any) -> tuple[Any, Any, Floats]:
    if len(matrix.shape) != 2:
        raise ValueError(f"{name} has shape {matrix.shape}: it must be a matrix")
    coo = matrix.tocoo()
    if not getattr(coo, "has_canonical_format", True):
        coo = coo.copy()
        coo.sum_duplicates()  # as scipy reads them
    values = floats(name, coo.data)
    if values.all():
        return coo.row, coo.col, values
    return coo.row[values != 0.0], coo.col[values != 0.0], values[values != 0.0]


def policy_table(policy: Any, n_states: int, n_actions: int) -> Floats:
    """A policy as a table (n_states, n_actions)."""
    table = reals("policy", policy).astype(np.float64)
    if table.shape != (n_states, n_actions):
        raise ValueError(f"policy has shape {table.shape}: it must be ({n_states}, {n_actions}), a row for each state")
    return table


class SparseIdentity:
    """Ones on a diagonal as a sparse matrix, so that a large MDP needs no scipy. The first 1 is in column `first`."""

    def __init__(self, n: int, n_columns: int | None = None, first: int = 0) -> None:
        self.shape, self.nnz = (n, n if n_columns is None else n_columns), n
        self.row = np.arange(n, dtype=np.int64)
        self.col = self.row + first
        self.data = np.ones(n)

    def tocoo(self) -> SparseIdentity:
        """Itself: it is in coordinate form."""
        return self
