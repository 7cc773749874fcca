"""Demonstrations for model-free learning: their features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inputs.columns import Floats, floats, reals
from ..inputs.numbers import count
from .path_features import PathFeatures
from .paths import Shapes, StatesAndActions, read_paths, same_shapes
from .rollouts import Rollouts

__all__ = ["Observed"]


class Observed:
    """The features of demonstrations, and the paths if they are known."""

    def __init__(
        self,
        demonstrations: Any,
        function: Any,
        discount: float,
        names: Sequence[str] | None,
        weights: Any,
        shapes: Shapes | None = None,
    ) -> None:
        self.paths: list[StatesAndActions] | None = None
        self.names: Sequence[str] | None = None
        if isinstance(demonstrations, Rollouts):
            raise TypeError("the demonstrations are Rollouts: give their `paths`, or call resample(theta, n)")
        if isinstance(demonstrations, np.ndarray):
            self.features = _matrix(demonstrations)
        else:
            counted = PathFeatures(function, discount, names)
            self.paths = read_paths(demonstrations)
            if shapes is not None:
                same_shapes(self.paths, shapes)
            self.features = counted.of_paths(self.paths, "demonstration")
            self.names = counted.names
        n = len(self.features)
        self.weights: Floats = np.ones(n) if weights is None else floats("sample_weight", weights, n)
        if not np.all(np.isfinite(self.weights) & (self.weights >= 0.0)) or not self.weights.sum() > 0.0:
            raise ValueError("sample_weight must be finite, not negative, and not 0 everywhere")
        # Added one after another, in the same order as on the command line, so that both results are bit-identical.
        shares = self.weights / np.cumsum(self.weights)[-1]
        self.mean: Floats = np.cumsum(shares[:, None] * self.features, axis=0)[-1]

    def states(self, horizon: int | None) -> int:
        """The largest number of states of a path: `horizon`, or that of the longest demonstration."""
        if horizon is not None:
            return count("horizon", horizon, least=2)
        if self.paths is None:
            problem = "demonstrations that are features have no length"
            raise ValueError(f"{problem}: give horizon=, the number of steps plus one")
        return max(len(observations) for observations, _ in self.paths)

    def compare(self, rollouts: Rollouts) -> None:
        """Rejects rollouts that have other features."""
        width = rollouts.features.shape[1]
        if self.features.shape[1] != width:
            raise ValueError(f"the demonstrations have {self.features.shape[1]} features, but the rollouts {width}")
        if self.names and rollouts.names and list(self.names) != rollouts.names:
            raise ValueError(f"the demonstrations' features are {list(self.names)}, but the rollouts' {rollouts.names}")

    def misfits(self, rollouts: Rollouts, ends: str) -> list[str]:
        """Warnings where the rollouts may represent other paths than the demonstrations."""
        if self.paths is None or rollouts.length is None:
            return []
        lengths = np.array([len(observations) for observations, _ in self.paths])
        longest, most = int(lengths.max()), int(rollouts.length.max())
        if longest > most:
            return [f"a demonstration has {longest} states and no rollout more than {most}: sample longer paths"]
        short = int((lengths < most).sum())
        if ends == "horizon" and short and int(rollouts.length.min()) == most:
            shortest = int(lengths.min())
            return [
                f"{short} demonstrations are shorter than the horizon of {most} states (the shortest has {shortest}), and "
                "no rollout is: cut all to one length, or fit with ends='anywhere'"
            ]
        return []


def _matrix(features: Any) -> Floats:
    matrix = reals("demonstrations", features)
    if matrix.ndim != 2 or 0 in matrix.shape:
        remedy = "it must be a matrix with a row of features for each"
        raise ValueError(f"demonstrations has shape {matrix.shape}: {remedy}")
    if not np.isfinite(matrix).all():
        at, feature = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise ValueError(f"demonstration {at}: feature {feature} is {matrix[at, feature]}: features must be finite")
    return matrix.astype(np.float64)
