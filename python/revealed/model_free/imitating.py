"""Policies that imitate paths, demonstrations or weighted rollouts: Gaussians, or choices among discrete actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs.columns import Floats, floats, reals
from ..inputs.numbers import number
from .paths import StatesAndActions, read_paths
from .samplers import GaussianPolicy, box
from .softmax import affine, imitating_choices

__all__ = ["imitating", "tempered"]

# A sampler a little wider than its target covers it; a narrower one leaves tails with enormous weights.
_WIDEN = 1.3
# The smallest standard deviation as a share of the range of actions: that of a deterministic demonstrator is 0.
_NARROWEST = 0.05


def imitating(
    paths: Any,
    *,
    weights: Any = None,
    basis: Callable[[Any], Any] | None = None,
    space: Any = None,
    widen: float = _WIDEN,
) -> list[Any]:
    """Policies that imitate paths with a little more noise: one for each step, each linear in a basis.

    They are `GaussianPolicy` objects for real actions, and `SoftmaxPolicy` objects for whole numbers. The best policy of
    a path model changes as the horizon approaches, so each step has its own policy. If few paths reach a step, its
    policy is shrunk towards the policy of all steps.

    Parameters
    ----------
    paths
        Pairs of observations and actions, trajectories of `imitation`, or a Minari dataset.
    weights : vector, optional
        The weight of each path.
    basis : function of an observation to a vector, optional
        What the mean action, or the score of each choice, is linear in; by default 1 and the observation.
    space : Box or Discrete, optional
        The `action_space`, as `GaussianPolicy` and `SoftmaxPolicy` take it.
    widen : float
        Factor on the standard deviations; scores are divided by it.

    Examples
    --------
    >>> import numpy as np, revealed
    >>> observations = np.linspace(-1.0, 1.0, 21)[:, None]
    >>> path = observations, -3.0 * observations[:-1]  # a controller that steers back to 0
    >>> policies = revealed.imitating([path] * 5)
    >>> len(policies), policies[0].mean(np.array([0.5])).round(2).tolist()
    (20, [-1.5])
    """
    listed, chosen = read_paths(paths), basis if basis is not None else affine
    if hasattr(space, "n") or (space is None and all(_are_choices(actions) for _, actions in listed)):
        shares = np.ones(len(listed)) if weights is None else floats("weights", weights, len(listed))
        return imitating_choices(listed, shares, chosen, space, number("widen", widen))
    steps = _Steps(listed, weights, chosen)
    return steps.policies(space, number("widen", widen))


def _are_choices(actions: Any) -> bool:
    return bool(actions.dtype.kind in "iu" and actions.ndim == 1)


def tempered(log_weights: Floats, effective: float) -> Floats:
    """Shares in proportion to w^b, with the largest b up to 1 at which the effective sample size is `effective`."""
    log = log_weights - log_weights.max()
    low, high, power = 0.0, 1.0, 1.0
    for _ in range(30):
        weights = np.exp(power * log)
        if weights.sum() ** 2 / (weights @ weights) >= effective:
            low = power
        else:
            high = power
        if low == 1.0:
            break
        power = 0.5 * (low + high)
    weights = np.exp(low * log)
    shares: Floats = weights / weights.sum()
    return shares


@dataclass(frozen=True, eq=False)
class _Linear:
    """A mean that is linear in a basis; a class, so that it pickles."""

    coefficients: Floats
    basis: Callable[[Any], Any]

    def __call__(self, observation: Any) -> Floats:
        mean: Floats = np.asarray(self.basis(observation), dtype=np.float64) @ self.coefficients
        return mean


class _Steps:
    """Weighted least squares, step by step."""

    def __init__(self, paths: Sequence[StatesAndActions], weights: Any, basis: Callable[[Any], Any]) -> None:
        shares = np.ones(len(paths)) if weights is None else floats("weights", weights, len(paths))
        kept = [(path, share) for path, share in zip(paths, shares.tolist()) if share > 0.0 and len(path[1])]
        if not kept:
            raise ValueError("there is no path with a step and a weight above 0 to imitate")
        lengths = [len(actions) for (_, actions), _ in kept]
        self.longest = max(lengths)
        self.basis = basis
        self.time = np.concatenate([np.arange(length) for length in lengths])
        self.share = np.repeat([share for _, share in kept], lengths)
        rows = [basis(observation) for (observations, _), _ in kept for observation in observations[:-1]]
        self.x = reals("basis(observation)", rows).astype(np.float64)
        if self.x.ndim != 2:
            raise ValueError(f"basis returns an array of shape {self.x.shape[1:]}: it must be a vector")
        actions = np.concatenate([actions for (_, actions), _ in kept])
        if actions.dtype.kind != "f" and actions.ndim == 1:
            raise ValueError("the actions are whole numbers: a GaussianPolicy imitates real ones; give a Discrete space")
        self.y = actions.reshape(len(actions), -1).astype(np.float64)

    def _moments(self, rows: Any) -> tuple[Floats, Floats, float]:
        """The mean of x x' and of x y' over rows, and the effective number of paths."""
        x, y, share = self.x[rows], self.y[rows], self.share[rows]
        total = share.sum()
        weighted = x * (share / total)[:, None]
        return weighted.T @ x, weighted.T @ y, float(total**2 / (share**2).sum())

    def policies(self, space: Any, widen: float) -> list[GaussianPolicy]:
        """A policy for each step."""
        narrowest = _NARROWEST * self._width(space)
        every = np.ones(len(self.x), dtype=bool)
        gram, moment, _ = self._moments(every)
        gram = gram + 1e-6 * np.diag(np.diag(gram)) + 1e-12 * np.eye(len(gram))
        pooled: Floats = np.linalg.solve(gram, moment).astype(np.float64)
        variance = self._variance(every, pooled)
        # The policy of all steps counts as much as two paths for each coefficient.
        prior = 2.0 * len(gram)
        found = []
        for t in range(self.longest):
            rows = self.time == t
            here, of_here, n = self._moments(rows)
            blend = np.linalg.solve(n * here + prior * gram, n * of_here + prior * gram @ pooled)
            coefficients: Floats = blend.astype(np.float64)
            blended = (n * self._variance(rows, coefficients) + prior * variance) / (n + prior)
            std = widen * np.maximum(np.sqrt(blended), narrowest)
            found.append(GaussianPolicy(_Linear(coefficients, self.basis), std, space=space))
        return found

    def _width(self, space: Any) -> Floats:
        """The range of each component of the action."""
        width: Floats = self.y.std(axis=0)
        if space is not None:
            low, high = box("imitating", space)
            width = np.where(np.isfinite(high - low), high - low, width)
        return np.where(width > 0.0, width, 1.0)

    def _variance(self, rows: Any, coefficients: Floats) -> Floats:
        away = self.y[rows] - self.x[rows] @ coefficients
        variance: Floats = np.average(away**2, axis=0, weights=self.share[rows])
        return variance
