"""phi: what a reward may depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._columns import Floats, Integers, entries, frame_columns, is_frame, is_sparse

__all__ = ["Features"]

_NOTHING: tuple[Integers, Integers, Floats] = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


@dataclass(frozen=True)
class Features:
    """The features of states, of choices (s, a) and of transitions (s, a, s'); they share one parameter vector.

    Each part is an array or a scipy.sparse matrix with a column for each feature, a pandas or polars frame (its columns are the
    names), or a function that returns the features of one place as a vector. A part that is left out is zero.

    Parameters
    ----------
    state : (n_states, n_features)
        A row for each state; or `f(state)`.
    state_action : (n_states, n_actions, n_features) or (n_states * n_actions, n_features)
        A row for each pair, actions running fastest; or `f(state, action)`. Pairs that a state does not offer are ignored.
    transition : (n_transitions, n_features)
        A row for each transition, in the order in which they were given; or `f(state, action, next_state)`.
    names : list of str, optional
        One for each feature.

    Examples
    --------
    >>> import revealed
    >>> features = revealed.Features(state=[[1.0, 0.0], [0.0, 2.0]], names=["left", "right"])
    """

    state: Any = None
    state_action: Any = None
    transition: Any = None
    names: Sequence[str] | None = None

    def _columns(self, n_states: int, n_actions: int, transitions: tuple[Integers, Integers, Integers]) -> _FeatureColumns:
        source, action, target = transitions
        names = list(self.names) if self.names is not None else None
        if isinstance(self.names, str):
            raise TypeError("names is one string: give a list with a name for each feature")
        sizes: dict[str, int] = {}

        def part(name: str, value: Any, n_rows: int, places: Sequence[tuple[int, ...]] | None) -> tuple[Integers, Integers, Floats]:
            nonlocal names
            if value is None:
                return _NOTHING
            if is_frame(value) and not is_sparse(value):
                names = frame_columns(value) if names is None else names
                value = value.to_numpy()
            elif callable(value) and not hasattr(value, "shape"):
                value = _called(name, value, places if places is not None else [(row,) for row in range(n_rows)])
            rows, columns, values, sizes[name] = entries(f"features.{name}", value, n_rows)
            return rows, columns, values

        state = part("state", self.state, n_states, None)
        pairs = self.state_action
        if pairs is not None and not callable(pairs) and not is_sparse(pairs) and not is_frame(pairs):
            array = np.asarray(pairs)
            if array.ndim == 3:
                if array.shape[:2] != (n_states, n_actions):
                    raise ValueError(
                        f"features.state_action has shape {array.shape}: the first two must be {n_states} states and {n_actions} actions"
                    )
                pairs = array.reshape(n_states * n_actions, array.shape[2])
        every_pair = [(s, a) for s in range(n_states) for a in range(n_actions)] if callable(pairs) else None
        state_action = part("state_action", pairs, n_states * n_actions, every_pair)
        every = list(zip(source.tolist(), action.tolist(), target.tolist())) if callable(self.transition) else None
        transition = part("transition", self.transition, len(source), every)
        if not sizes:
            raise ValueError("features have no part: give state, state_action or transition")
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            raise ValueError(f"the parts of the features differ in their number of columns: {told}")
        n_features = next(iter(sizes.values()))
        if names is not None and len(names) != n_features:
            raise ValueError(f"names has {len(names)} entries, but there are {n_features} features")
        row, column, value = state_action
        return _FeatureColumns(n_features, names or [], state, (row // n_actions, row % n_actions, column, value), transition)


@dataclass(frozen=True)
class _FeatureColumns:
    n_features: int
    names: list[str]
    state: tuple[Integers, Integers, Floats]
    state_action: tuple[Integers, Integers, Integers, Floats]
    transition: tuple[Integers, Integers, Floats]


def _called(name: str, function: Callable[..., Any], places: Sequence[tuple[int, ...]]) -> Any:
    rows: list[Any] = []
    for place in places:
        row = np.asarray(function(*place))
        if row.ndim != 1 or row.dtype.kind not in "biuf":
            raise ValueError(f"features.{name}{place} is {row!r}: the function must return a vector of numbers")
        if rows and len(row) != len(rows[0]):
            raise ValueError(f"features.{name}{place} has {len(row)} entries, but others have {len(rows[0])}")
        rows.append(row)
    return np.array(rows)


def one_hot(n_states: int) -> Features:
    """An indicator for each state, without building a dense matrix."""
    return Features(state=_Identity(n_states))


class _Identity:
    """Ones on a diagonal as a sparse matrix, so that a large world needs no scipy. The first stands in column `first`."""

    def __init__(self, n: int, n_columns: int | None = None, first: int = 0) -> None:
        self.shape, self.nnz = (n, n if n_columns is None else n_columns), n
        self.row = np.arange(n, dtype=np.int64)
        self.col = self.row + first
        self.data = np.ones(n)

    def tocoo(self) -> _Identity:
        return self
