"""Policies over discrete actions: a softmax of scores that are linear in a basis, and how it imitates paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..inputs.columns import Floats, Integers, reals
from ..inputs.numbers import number
from .paths import StatesAndActions

__all__ = ["SoftmaxPolicy", "imitating_choices"]

# The share of uniform choices: a sampler that rarely does something misses a part of the model that does,
# and its estimates are then further off than their standard errors say.
_UNIFORM = 0.15
# How strongly scores are drawn to 0, and those of a step to those of all steps, in observations of unit variance.
_RIDGE = 0.5
_STEP_RIDGE = 4.0
_NEWTON = 50


class SoftmaxPolicy:
    """A policy over discrete actions: the softmax of scores that are linear in a basis, mixed with uniform choices.

    Parameters
    ----------
    coefficients : matrix (basis, actions)
        The scores are `basis(observation) @ coefficients`.
    basis : function of an observation to a vector, optional
        By default 1 and the observation.
    space : Discrete, optional
        The `action_space`: its first action may be another number than 0.
    uniform : float
        The share of uniform choices, so that every action has a positive probability.

    Examples
    --------
    >>> import numpy as np, revealed
    >>> leans_right = revealed.SoftmaxPolicy([[0.0, 0.0], [0.0, 3.0]])  # the score of action 1 is 3 x
    >>> round(float(np.exp(leans_right.log_prob(np.array([1.0]), 1))), 3)
    0.885
    """

    def __init__(
        self, coefficients: Any, basis: Callable[[Any], Any] | None = None, *, space: Any = None, uniform: float = _UNIFORM
    ) -> None:
        self.coefficients: Floats = reals("coefficients", coefficients).astype(np.float64)
        if self.coefficients.ndim != 2 or not np.isfinite(self.coefficients).all():
            shape = self.coefficients.shape
            raise ValueError(f"coefficients has shape {shape}: it must be a matrix (basis, actions) of finite numbers")
        self.basis = affine if basis is None else basis
        self.space = space
        self.uniform = number("uniform", uniform)
        if not 0.0 <= self.uniform <= 1.0:
            raise ValueError(f"uniform is {uniform}: it must be a share between 0 and 1")
        self._first = int(getattr(space, "start", 0))
        self._n = self.coefficients.shape[1]

    def probabilities(self, observation: Any) -> Floats:
        """The probability of each action."""
        scores = np.asarray(self.basis(observation), dtype=np.float64) @ self.coefficients
        p = np.exp(scores - scores.max())
        mixed: Floats = (1.0 - self.uniform) * p / p.sum() + self.uniform / self._n
        return mixed

    def sample(self, observation: Any, rng: np.random.Generator) -> int:
        """An action."""
        ranked = np.cumsum(self.probabilities(observation))
        drawn = int(np.searchsorted(ranked, rng.random() * ranked[-1], side="right"))
        return self._first + min(drawn, int(self._n) - 1)

    def log_prob(self, observation: Any, action: Any) -> float:
        """The log-probability of an action; -inf if there is no such action."""
        at = int(action) - self._first
        return math.log(self.probabilities(observation)[at]) if 0 <= at < self._n else -math.inf

    def __repr__(self) -> str:
        return f"SoftmaxPolicy({self._n} actions, uniform={self.uniform})"


def affine(observation: Any) -> Floats:
    """1 and the observation."""
    row = np.ones(np.size(observation) + 1)
    row[1:] = np.ravel(observation)
    return row


class Indicators:
    """An indicator of each observation of a Discrete space; a class, so that it pickles."""

    def __init__(self, space: Any) -> None:
        self._n, self._first = int(space.n), int(getattr(space, "start", 0))

    def __call__(self, observation: Any) -> Floats:
        row = np.zeros(self._n)
        row[int(observation) - self._first] = 1.0
        return row


def imitating_choices(
    paths: Sequence[StatesAndActions], weights: Floats, basis: Callable[[Any], Any], space: Any, widen: float
) -> list[SoftmaxPolicy]:
    """Softmax policies that imitate paths: one for each step, drawn towards that of all steps."""
    kept = [(path, share) for path, share in zip(paths, weights.tolist()) if share > 0.0 and len(path[1])]
    if not kept:
        raise ValueError("there is no path with a step and a weight above 0 to imitate")
    lengths = [len(actions) for (_, actions), _ in kept]
    share = np.repeat([share for _, share in kept], lengths)
    share = share * len(share) / share.sum()
    time = np.concatenate([np.arange(length) for length in lengths])
    x = np.array([basis(observation) for (observations, _), _ in kept for observation in observations[:-1]], dtype=np.float64)
    first = int(getattr(space, "start", 0))
    taken = np.concatenate([np.ravel(actions) for (_, actions), _ in kept]).astype(np.int64) - first
    n = int(space.n) if space is not None else int(taken.max()) + 1
    if taken.min() < 0 or taken.max() >= n:
        bad = taken[(taken < 0) | (taken >= n)][0] + first
        raise ValueError(f"a path has the action {bad}, which is not in {space}")
    scale = np.sqrt(np.average(x**2, axis=0, weights=share))
    scale = np.where(scale > 0.0, scale, 1.0)
    pooled = _fitted(x / scale, taken, share, np.zeros((x.shape[1], n)), _RIDGE)
    found = []
    for t in range(max(lengths)):
        rows = time == t
        here = _fitted(x[rows] / scale, taken[rows], share[rows], pooled, _STEP_RIDGE)
        found.append(SoftmaxPolicy(here / scale[:, None] / widen, basis, space=space))
    return found


def _fitted(x: Floats, taken: Integers, share: Floats, centre: Floats, ridge: float) -> Floats:
    """Multinomial logistic regression with a ridge around `centre`, by Newton's method."""
    d, n = centre.shape
    w = centre.copy()
    wanted = np.zeros((len(taken), n))
    wanted[np.arange(len(taken)), taken] = 1.0

    def loss(at: Floats) -> float:
        scores = x @ at
        top = scores.max(axis=1)
        log = top + np.log(np.exp(scores - top[:, None]).sum(axis=1)) - scores[np.arange(len(taken)), taken]
        return float(share @ log + 0.5 * ridge * ((at - centre) ** 2).sum())

    now = loss(w)
    for _ in range(_NEWTON):
        scores = x @ w
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        slope = x.T @ (share[:, None] * (p - wanted)) + ridge * (w - centre)
        step = np.empty_like(w)
        # Action by action, without the curvature between actions: a small system for each, and the step is checked.
        for action in range(n):
            bend = share * np.maximum(p[:, action] * (1.0 - p[:, action]), 1e-6)
            step[:, action] = np.linalg.solve((x * bend[:, None]).T @ x + ridge * np.eye(d), slope[:, action])
        size = 1.0
        while size > 1e-4 and loss(w - size * step) > now:
            size *= 0.5
        after = loss(w - size * step)
        if not after < now:
            break
        w = w - size * step
        if now - after < 1e-8 * (1.0 + abs(now)):
            break
        now = after
    return w
