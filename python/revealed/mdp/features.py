"""Features phi of states, choices (s, a) and transitions (s, a, s'): the terms of a linear reward."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs.columns import Floats, Integers, listed, reals
from ..inputs.frames import frame_column, frame_columns, frame_matrix, is_frame
from ..inputs.labels import names_of
from ..inputs.matrices import SparseIdentity, entries, is_sparse
from .naming import Naming, row_numbers

__all__ = ["FeatureColumns", "Features", "features_of"]

_NOTHING: tuple[Integers, Integers, Floats] = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


@dataclass(frozen=True, eq=False)
class Features:
    """The features of states, of choices (s, a) and of transitions (s, a, s'). They share one parameter vector theta.

    Each part is an array or a scipy.sparse matrix with a column for each feature; a pandas or polars frame, whose
    columns name the features; or a function that returns the features of one place as a vector, or as a mapping of
    names to numbers. Functions get states and actions by label, if they have labels. A part that is not given is zero.

    Parameters
    ----------
    state : (n_states, n_features)
        A row for each state; or `f(state)`; or a mapping of states to their features. A frame may have the labels of
        the states as its index or in a column `state`.
    state_action : (n_states, n_actions, n_features) or (n_states * n_actions, n_features)
        A row for each pair, actions running fastest; or `f(state, action)`. Pairs that a state does not offer are
        ignored.
    transition : (n_transitions, n_features)
        A row for each transition, in the order in which the transitions were given (in that of `Mdp.transitions` where
        they were not given as columns); or `f(state, action, next_state)`.
    names : list of str, optional
        A name for each feature.

    Examples
    --------
    >>> import revealed
    >>> features = revealed.Features(state=[[1.0, 0.0], [0.0, 2.0]], names=["left", "right"])
    """

    state: Any = None
    state_action: Any = None
    transition: Any = None
    names: Sequence[str] | None = None

    def _columns(
        self, n_states: int, n_actions: int, transitions: tuple[Integers, Integers, Integers], by: Naming
    ) -> FeatureColumns:
        source, action, target = transitions
        parts = _Parts(None if self.names is None else _names(self.names))
        of_states, pairs, along = self.state, self.state_action, self.transition
        states, acts = by.labels, by.actions
        if _is_function(of_states):
            of_states = parts.called("state", of_states, [(np.arange(n_states), states)])
        elif isinstance(of_states, Mapping):
            of_states = parts.mapped(of_states, by, n_states)
        elif by.index is not None:
            of_states = _by_label(of_states, by.index)
        if _is_function(along):
            along = parts.called("transition", along, [(source, states), (action, acts), (target, states)])
        state = parts.read("state", of_states, n_states)
        transition = parts.read("transition", along, len(source))
        if _is_function(pairs):
            offered = np.unique(np.stack([source, action]), axis=1)
            table = parts.called("state_action", pairs, [(offered[0], states), (offered[1], acts)])
            row, column, value = parts.read("state_action", table, offered.shape[1])
            state_action = offered[0][row], offered[1][row], column, value
        else:
            table = _flat(pairs, n_states, n_actions)
            row, column, value = parts.read("state_action", table, n_states * n_actions)
            state_action = row // n_actions, row % n_actions, column, value
        return FeatureColumns(parts.n_features(), parts.names or [], state, state_action, transition)


class _Parts:
    """The parts of features, read one after another: they have the same columns."""

    def __init__(self, names: list[str] | None) -> None:
        self.names = names
        self._sizes: dict[str, int] = {}

    def read(self, name: str, value: Any, n_rows: int) -> tuple[Integers, Integers, Floats]:
        """The entries of a part. The columns of a frame name the features unless they have names."""
        if value is None:
            return _NOTHING
        if is_frame(value) and not is_sparse(value):
            self.names = frame_columns(f"features.{name}", value) if self.names is None else self.names
            value = frame_matrix(f"features.{name}", value)
        rows, columns, values, self._sizes[name] = entries(f"features.{name}", value, n_rows)
        return rows, columns, values

    def row(self, at: str, value: Any) -> Any:
        """A row of numbers. A mapping names the features, in the same order everywhere."""
        if isinstance(value, Mapping):
            names = [str(name) for name in value]
            self.names = names if self.names is None else self.names
            if names != self.names:
                raise ValueError(f"{at} has the features {names}, but others have {self.names}")
            value = list(value.values())
        row = reals(at, value)
        if row.ndim != 1:
            raise ValueError(f"{at} is {row!r}: the function must return a vector of numbers")
        return row

    def called(self, name: str, function: Callable[..., Any], places: Sequence[tuple[Integers, Any]]) -> Any:
        """The rows that a function returns, by label where there are labels; None if there is nothing to call it for."""
        rows: list[Any] = []
        for place in zip(*(_named(column.tolist(), labels) for column, labels in places)):
            at = f"features.{name}({', '.join(map(repr, place))})"
            row = self.row(at, function(*place))
            if rows and len(row) != len(rows[0]):
                raise ValueError(f"{at} has {len(row)} entries, but others have {len(rows[0])}")
            rows.append(row)
        return np.array(rows) if rows else None

    def mapped(self, given: Mapping[Any, Any], by: Naming, n_states: int) -> Any:
        """The rows of a mapping of states, by label or number, to their features."""
        index: dict[Hashable, int] = by.index if by.index is not None else {state: state for state in range(n_states)}
        order = row_numbers("features.state", list(given), index)
        values = list(given.items())
        return np.array([self.row(f"features.state[{values[at][0]!r}]", values[at][1]) for at in order])

    def n_features(self) -> int:
        """The number of columns, which must be the same in every part."""
        if not self._sizes:
            raise ValueError("features have no part: give state, state_action or transition")
        if len(set(self._sizes.values())) > 1:
            sizes = ", ".join(f"{name} has {size}" for name, size in self._sizes.items())
            raise ValueError(f"the parts of the features differ in their number of columns: {sizes}")
        n_features = next(iter(self._sizes.values()))
        if self.names is not None and len(self.names) != n_features:
            raise ValueError(f"names has {len(self.names)} entries, but there are {n_features} features")
        return n_features


@dataclass(frozen=True, eq=False)
class FeatureColumns:
    """Features as sparse columns."""

    n_features: int
    names: list[str]
    state: tuple[Integers, Integers, Floats]
    state_action: tuple[Integers, Integers, Integers, Floats]
    transition: tuple[Integers, Integers, Floats]

    def native(self) -> dict[str, Any]:
        """By name, as the engine takes them."""
        return {
            "n_features": self.n_features,
            "names": self.names,
            "state_features": self.state,
            "state_action_features": self.state_action,
            "transition_features": self.transition,
        }


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
    """Three axes as two: a row for each pair (state, action)."""
    if pairs is None or is_sparse(pairs) or is_frame(pairs):
        return pairs
    array = reals("features.state_action", pairs)
    if array.ndim != 3:
        return array
    if array.shape[:2] != (n_states, n_actions):
        sizes = f"{n_states} states and {n_actions} actions"
        raise ValueError(f"features.state_action has shape {array.shape}: the first two must be {sizes}")
    return array.reshape(n_states * n_actions, array.shape[2])


def _by_label(frame: Any, index: dict[Hashable, int]) -> Any:
    """A frame whose rows have the labels of their states, as a column `state` or as an index of pandas, in their order."""
    if not is_frame(frame) or is_sparse(frame):
        return frame
    if "state" in frame_columns("features.state", frame):
        rows = row_numbers("features.state", frame_column(frame, "state").tolist(), index)
        if hasattr(frame, "with_columns"):
            return frame.drop("state")[rows.tolist()]
        return frame.drop(columns="state").iloc[rows].reset_index(drop=True)
    own = getattr(frame, "index", None)
    if own is None or getattr(own, "dtype", None) is None or own.dtype.kind in "biuf":
        return frame  # rows are in the order of the states
    return frame.iloc[row_numbers("features.state", own.tolist(), index)].reset_index(drop=True)


def _named(numbers: list[int], labels: list[Hashable] | None) -> list[Any]:
    return numbers if labels is None else [labels[at] for at in numbers]


def features_of(features: Any, n_states: int, labels: list[Hashable] | None = None) -> Features:
    """Features as given, those of states from a matrix or a function, or by default an indicator for each state.

    Indicators have the names of the states.
    """
    if features is None:
        return Features(state=SparseIdentity(n_states), names=None if labels is None else names_of(labels))
    return features if isinstance(features, Features) else Features(state=features)
