"""The features of a path: what a feature function returns for its steps, discounted and summed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..inputs.columns import Floats
from .paths import StatesAndActions

__all__ = ["PathFeatures"]

FeatureFunction = Callable[[Any, Any, Any], Any]


class PathFeatures:
    """A feature function, its names, and the discount.

    For a step s_t a_t s_(t+1) the function returns a vector, or a mapping of names to numbers. The features of a path
    are phi(tau) = sum_t gamma^(t-1) f(s_t, a_t, s_(t+1)) over t = 1, 2, ...: the first step has the factor 1.
    """

    def __init__(self, function: Any, discount: float, names: Sequence[str] | None) -> None:
        if not callable(function):
            remedy = "give a function of (observation, action, next_observation) to a vector of features"
            raise TypeError(f"features is {function!r}: {remedy}")
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
        steps = enumerate(zip(observations, actions, observations[1:]))
        rows = [self._row(self.function(*step), where, t) for t, step in steps]
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
        """The name of a feature."""
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
            raise ValueError(f"no {what} has a step: there are no features to sum")
        # Paths of one state may come before the number of features is known.
        return np.array([row if len(row) else np.zeros(self.width) for row in rows])
