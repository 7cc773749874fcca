"""Paths through worlds of any kind: observations and actions as arrays, and what a feature function says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._columns import Floats, reals

__all__: list[str] = []

# Observations, one more than actions, and actions; a row for each.
StatesAndActions = tuple[NDArray[Any], NDArray[Any]]
# Of one observation, and of one action.
Shapes = tuple[tuple[int, ...], tuple[int, ...]]
FeatureFunction = Callable[[Any, Any, Any], Any]


def read_paths(paths: Any, what: str = "demonstration") -> list[StatesAndActions]:
    """Paths from pairs of arrays, trajectories of `imitation`, or a Minari dataset."""
    episodes = paths.iterate_episodes() if hasattr(paths, "iterate_episodes") else paths
    if isinstance(episodes, (str, bytes, Mapping)):
        raise TypeError(f"{what}s are a {type(paths).__name__}: give a list of (observations, actions)")
    try:
        listed = list(episodes)
    except TypeError:
        raise TypeError(f"{what}s are a {type(paths).__name__}: give a list of (observations, actions)") from None
    if not listed:
        raise ValueError(f"there are no {what}s: give at least one")
    return [_read_path(f"{what} {at}", path) for at, path in enumerate(listed)]


def _read_path(where: str, path: Any) -> StatesAndActions:
    if hasattr(path, "obs") and hasattr(path, "acts"):
        observations, actions = path.obs, path.acts
    elif hasattr(path, "observations") and hasattr(path, "actions"):
        observations, actions = path.observations, path.actions
    elif isinstance(path, (tuple, list)) and len(path) == 2:
        observations, actions = path
    else:
        raise TypeError(f"{where} is a {type(path).__name__}: give a pair (observations, actions), or an object that has them")
    columns = []
    for name, column in (("observations", observations), ("actions", actions)):
        if isinstance(column, Mapping):
            raise TypeError(f"{where}: {name} are a {type(column).__name__}: flatten them into arrays first")
        array = reals(f"{where}: {name}", column)
        if array.ndim == 0:
            raise ValueError(f"{where}: {name} are one number: give a row for each step")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            step = np.argwhere(~np.isfinite(array))[0][0]
            raise ValueError(f"{where}, step {step}: {name} have {array[step]}: they must be finite")
        columns.append(array)
    if len(columns[0]) != len(columns[1]) + 1:
        n, m = len(columns[0]), len(columns[1])
        raise ValueError(f"{where}: {n} observations need {n - 1} actions, but there are {m}: the last observation counts")
    return columns[0], columns[1]


def same_shapes(demonstrations: Sequence[StatesAndActions], shapes: Shapes) -> None:
    """Refuses demonstrations whose observations or actions have another shape than those of the world."""
    for at, path in enumerate(demonstrations):
        for name, array, shape in zip(("observations", "actions"), path, shapes):
            if len(array) and array.shape[1:] != shape:
                found = array.shape[1:]
                raise ValueError(f"demonstration {at}: {name} of a step have shape {found}, but those of the world have {shape}")


class PathFeatures:
    """A feature function as it is applied to paths: its names, and the discount.

    What it says of the step s_t a_t s_(t+1) is a vector, or a mapping of names to numbers; a path's features are the sums
    phi(tau) = sum_t gamma^(t-1) f(s_t, a_t, s_(t+1)) over t = 1, 2, ...: the first step weighs 1.
    """

    def __init__(self, function: Any, discount: float, names: Sequence[str] | None) -> None:
        if not callable(function):
            raise TypeError(
                f"features is {function!r}: give a function of (observation, action, next_observation) to a vector of features"
            )
        if not 0.0 < discount <= 1.0:
            raise ValueError(f"discount is {discount}: it must be above 0 and at most 1")
        if isinstance(names, str):
            raise TypeError("names is one string: give a list with a name for each feature")
        self.function: FeatureFunction = function
        self.discount = discount
        self.names = None if names is None else [str(name) for name in names]
        self.width: int | None = None if self.names is None else len(self.names)

    def steps(self, path: StatesAndActions, where: str) -> Floats:
        """The features of each step, not discounted."""
        observations, actions = path
        rows = [self._row(self.function(observations[t], actions[t], observations[t + 1]), where, t) for t in range(len(actions))]
        if not rows:
            return np.zeros((0, self.width or 0))
        matrix = np.array(rows)
        if not np.isfinite(matrix).all():
            t, k = np.argwhere(~np.isfinite(matrix))[0].tolist()
            raise ValueError(f"{where}, step {t}: {self.name(k)} is {matrix[t, k]}: features must be finite")
        return matrix

    def _row(self, value: Any, where: str, t: int) -> Any:
        if isinstance(value, Mapping):
            names = [str(name) for name in value]
            if self.names is None:
                self.names = names
            if names != self.names:
                raise ValueError(f"{where}, step {t}: the features are {names}, but they were {self.names} before")
            value = list(value.values())
        try:
            row = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            row = np.zeros(())
        if row.ndim != 1 or not len(row):
            raise ValueError(
                f"{where}, step {t}: features returned {value!r}: it must be a vector of numbers, or names and numbers"
            )
        if self.width is None:
            self.width = len(row)
        if len(row) != self.width:
            raise ValueError(f"{where}, step {t}: features returned {len(row)} numbers, expected {self.width}")
        return row

    def name(self, feature: int) -> str:
        """What a feature is called."""
        return self.names[feature] if self.names is not None else f"feature {feature}"

    def prefixes(self, path: StatesAndActions, where: str) -> Floats:
        """The features of every prefix of a path, of one state and more: discounted and summed."""
        steps = self.steps(path, where)
        sums = np.zeros((len(steps) + 1, steps.shape[1]))
        np.cumsum(steps * self.discount ** np.arange(len(steps))[:, None], axis=0, out=sums[1:])
        return sums

    def of_paths(self, paths: Sequence[StatesAndActions], what: str) -> Floats:
        """The features of each path."""
        rows = [self.prefixes(path, f"{what} {at}")[-1] for at, path in enumerate(paths)]
        if self.width is None:
            raise ValueError(f"no {what} has a step: there is nothing to count")
        # Paths of one state may stand before it is known how many features there are.
        return np.array([row if len(row) else np.zeros(self.width) for row in rows])
