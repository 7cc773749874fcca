"""phi: what a reward may depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._columns import Floats, Integers, entries, frame_columns, frame_matrix, is_frame, is_sparse, listed, reals

__all__ = ["Features"]

_NOTHING: tuple[Integers, Integers, Floats] = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


@dataclass(frozen=True, eq=False)
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
        A row for each transition, in the order in which they were given (that of `Mdp.transitions` where they were not given as
        columns); or `f(state, action, next_state)`.
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
        names = None if self.names is None else _names(self.names)
        sizes: dict[str, int] = {}

        def part(name: str, value: Any, n_rows: int) -> tuple[Integers, Integers, Floats]:
            nonlocal names
            if value is None:
                return _NOTHING
            if is_frame(value) and not is_sparse(value):
                names = frame_columns(f"features.{name}", value) if names is None else names
                value = frame_matrix(f"features.{name}", value)
            rows, columns, values, sizes[name] = entries(f"features.{name}", value, n_rows)
            return rows, columns, values

        of_states, pairs, along = self.state, self.state_action, self.transition
        if _is_function(of_states):
            of_states = _called("state", of_states, [np.arange(n_states)])
        if _is_function(along):
            along = _called("transition", along, [source, action, target])
        state = part("state", of_states, n_states)
        transition = part("transition", along, len(source))
        if _is_function(pairs):
            offered = np.unique(np.stack([source, action]), axis=1)
            row, column, value = part("state_action", _called("state_action", pairs, list(offered)), offered.shape[1])
            state_action = offered[0][row], offered[1][row], column, value
        else:
            row, column, value = part("state_action", _flat(pairs, n_states, n_actions), n_states * n_actions)
            state_action = row // n_actions, row % n_actions, column, value
        if not sizes:
            raise ValueError("features have no part: give state, state_action or transition")
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            raise ValueError(f"the parts of the features differ in their number of columns: {told}")
        n_features = next(iter(sizes.values()))
        if names is not None and len(names) != n_features:
            raise ValueError(f"names has {len(names)} entries, but there are {n_features} features")
        return _FeatureColumns(n_features, names or [], state, state_action, transition)


@dataclass(frozen=True, eq=False)
class _FeatureColumns:
    n_features: int
    names: list[str]
    state: tuple[Integers, Integers, Floats]
    state_action: tuple[Integers, Integers, Integers, Floats]
    transition: tuple[Integers, Integers, Floats]


def _names(names: Any) -> list[str]:
    if isinstance(names, (str, bytes)):
        raise TypeError("names is one string: give a list with a name for each feature")
    given = list(listed("names", names))
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"names has {name!r}: each must be a string")
    return [str(name) for name in given]


def _is_function(value: Any) -> bool:
    return callable(value) and not hasattr(value, "shape")


def _flat(pairs: Any, n_states: int, n_actions: int) -> Any:
    """A row for each pair, where there are three axes."""
    if pairs is None or is_sparse(pairs) or is_frame(pairs):
        return pairs
    array = reals("features.state_action", pairs)
    if array.ndim != 3:
        return array
    if array.shape[:2] != (n_states, n_actions):
        sizes = f"{n_states} states and {n_actions} actions"
        raise ValueError(f"features.state_action has shape {array.shape}: the first two must be {sizes}")
    return array.reshape(n_states * n_actions, array.shape[2])


def _called(name: str, function: Callable[..., Any], places: Sequence[Integers]) -> Any:
    """The rows that a function gives; None where there is nothing to ask it about."""
    rows: list[Any] = []
    for place in zip(*(column.tolist() for column in places)):
        at = f"features.{name}({', '.join(map(str, place))})"
        row = reals(at, function(*place))
        if row.ndim != 1:
            raise ValueError(f"{at} is {row!r}: the function must return a vector of numbers")
        if rows and len(row) != len(rows[0]):
            raise ValueError(f"{at} has {len(row)} entries, but others have {len(rows[0])}")
        rows.append(row)
    return np.array(rows) if rows else None


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
