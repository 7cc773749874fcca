"""Policies that rollouts are sampled with: they draw actions and know their log-probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np

from ..inputs.columns import Floats, floats, reals
from .paths import StatesAndActions

__all__ = ["GaussianPolicy", "SamplingPolicy", "UniformPolicy", "box", "log_probabilities", "of_each_step"]

_NORMAL = NormalDist()
_SQRT_TWO = math.sqrt(2.0)
_HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


class SamplingPolicy(Protocol):
    """A policy that draws actions and computes their log-probabilities."""

    def sample(self, observation: Any, rng: np.random.Generator) -> Any:
        """An action."""
        ...

    def log_prob(self, observation: Any, action: Any) -> float:
        """The log-probability or log-density of an action, as it was drawn and before it is clipped."""
        ...


class UniformPolicy:
    """Every action with the same probability.

    Parameters
    ----------
    space : Box or Discrete
        The `action_space` of an environment; a Box needs bounds.

    Examples
    --------
    >>> import math, gymnasium, numpy as np, revealed
    >>> uniform = revealed.UniformPolicy(gymnasium.spaces.Box(-2.0, 2.0, shape=(1,)))
    >>> uniform.log_prob(None, np.array([0.5])) == -math.log(4.0)
    True
    """

    def __init__(self, space: Any) -> None:
        self.space = space
        self._n = getattr(space, "n", None)
        if self._n is not None:
            self._first = int(getattr(space, "start", 0))
            self._log = -math.log(int(self._n))
            return
        self._low, self._high = box("UniformPolicy", space)
        self._box = list(zip(self._low.tolist(), self._high.tolist()))
        if not np.all(np.isfinite(self._high - self._low)):
            remedy = "sample with a GaussianPolicy, or wrap the environment"
            raise ValueError(f"UniformPolicy: {space} has no bounds: {remedy}")
        self._log = -float(np.log(self._high - self._low).sum())

    def sample(self, observation: Any, rng: np.random.Generator) -> Any:
        """An action of the space."""
        if self._n is not None:
            return self._first + int(rng.integers(self._n))
        return rng.uniform(self._low, self._high)

    def log_prob(self, observation: Any, action: Any) -> float:
        """Minus the log of the size of the space; -inf outside it."""
        if self._n is not None:
            inside = 0 <= int(action) - self._first < int(self._n)
        else:
            values = np.ravel(action).tolist()
            if len(values) != len(self._box):
                problem = f"the action {action!r} has {len(values)} components"
                raise ValueError(f"{problem}, but {self.space} has {len(self._box)}")
            inside = all(low <= value <= high for value, (low, high) in zip(values, self._box))
        return self._log if inside else -math.inf

    def __repr__(self) -> str:
        return f"UniformPolicy({self.space})"


class GaussianPolicy:
    """A Gaussian policy: a mean that depends on the observation, and noise around it.

    Parameters
    ----------
    mean : function of an observation, or vector
        The mean action.
    std : float or vector
        The standard deviation of each component of the action.
    space : Box, optional
        The `action_space`. The mean is clipped to its bounds, and the Gaussian is truncated there and normalised, so
        that every drawn action is valid and has the right density. Without it, actions are unbounded; features and
        paths have the actions as drawn, not as the environment clips them.

    Examples
    --------
    >>> import gymnasium, numpy as np, revealed
    >>> box = gymnasium.spaces.Box(-2.0, 2.0, shape=(1,))
    >>> upright = revealed.GaussianPolicy(lambda observation: -4.0 * observation[1], 1.0, space=box)
    >>> action = upright.sample(np.array([0.8, 0.6, 0.0]), np.random.default_rng(0))
    >>> bool(-2 <= action[0] <= 2), round(upright.log_prob(np.array([0.8, 0.6, 0.0]), action), 3)
    (True, -0.639)
    """

    def __init__(self, mean: Any, std: Any, *, space: Any = None) -> None:
        self.mean = mean if callable(mean) else floats("mean", np.atleast_1d(mean))
        self.std = floats("std", np.atleast_1d(reals("std", std)))
        if not np.all(np.isfinite(self.std) & (self.std > 0.0)):
            raise ValueError(f"std is {std}: it must be above 0")
        self.space = space
        self._box: list[tuple[float, float]] | None = None
        if space is not None:
            low, high = box("GaussianPolicy", space)
            self._box = list(zip(low.tolist(), high.tolist()))
            if len(self.std) not in (1, len(low)):
                raise ValueError(f"std has {len(self.std)} entries, but actions have {len(low)}")

    # Python floats from here on: an action has few components, and numpy takes ten times as long for them.
    def _each(self, observation: Any) -> list[tuple[float, float]]:
        """The mean and the standard deviation of each component."""
        mean: Any = self.mean
        means = np.ravel(mean(observation) if callable(mean) else mean).tolist()
        stds = self.std.tolist()
        n = max(len(means), len(stds)) if self._box is None else len(self._box)
        if len(means) not in (1, n) or len(stds) not in (1, n):
            raise ValueError(f"the mean has {len(means)} components, but actions have {n}")
        return list(zip(means * n if len(means) < n else means, stds * n if len(stds) < n else stds))

    def sample(self, observation: Any, rng: np.random.Generator) -> Floats:
        """An action."""
        each = self._each(observation)
        if self._box is None:
            return np.array([mean + std * noise for (mean, std), noise in zip(each, rng.standard_normal(len(each)).tolist())])
        action = []
        for (mean, std), (low, high), share in zip(each, self._box, rng.random(len(each)).tolist()):
            mean, below, within = _mass(mean, std, low, high)
            # The inverse is defined only between 0 and 1.
            noise = _NORMAL.inv_cdf(min(max(below + within * share, 1e-300), 1.0 - 1e-16))
            action.append(min(max(mean + std * noise, low), high))
        return np.array(action)

    def log_prob(self, observation: Any, action: Any) -> float:
        """The log-density; -inf outside the space."""
        each, taken = self._each(observation), np.ravel(action).tolist()
        if len(taken) != len(each):
            raise ValueError(f"the action has {len(taken)} components, but the policy's have {len(each)}")
        log = 0.0
        for k, ((mean, std), value) in enumerate(zip(each, taken)):
            if self._box is not None:
                low, high = self._box[k]
                if not low <= value <= high:
                    return -math.inf
                mean, _, within = _mass(mean, std, low, high)
                log -= math.log(within)
            log -= 0.5 * ((value - mean) / std) ** 2 + math.log(std) + _HALF_LOG_TWO_PI
        return log

    def __repr__(self) -> str:
        space = "" if self.space is None else f", space={self.space}"
        return f"GaussianPolicy({self.mean}, std={self.std.tolist()}{space})"


def _mass(mean: float, std: float, low: float, high: float) -> tuple[float, float, float]:
    """Returns (mean, below, within) for a Gaussian whose mean is clipped to [low, high].

    `mean` is the clipped mean, `below` is the probability of values below `low`, and `within` is that of values in
    [low, high]. No digits cancel, because the clipped mean is inside the interval.
    """
    mean = min(max(mean, low), high)
    below = 0.5 * math.erfc((mean - low) / (std * _SQRT_TWO))
    return mean, below, 0.5 * math.erfc((mean - high) / (std * _SQRT_TWO)) - below


def of_each_step(what: str, policy: Any, n_steps: int) -> list[SamplingPolicy]:
    """A policy for each step."""
    listed = list(policy) if isinstance(policy, (list, tuple)) else [policy] * n_steps
    if len(listed) < n_steps:
        raise ValueError(f"{what} is a list of {len(listed)}, but paths have {n_steps} steps: give one for each")
    for one in listed[:1]:
        needed = ("sample", "log_prob") if what == "policy" else ("log_prob",)
        for name in needed:
            if not callable(getattr(one, name, None)):
                raise TypeError(
                    f"{what} is a {type(one).__name__} without `{name}`: it needs sample(observation, rng) and "
                    "log_prob(observation, action), as GaussianPolicy and UniformPolicy have them"
                )
    return listed[:n_steps]


def log_probabilities(what: str, policies: Sequence[SamplingPolicy], path: StatesAndActions, at: int) -> Floats:
    """log pi of every prefix of a path."""
    observations, actions = path
    logs = np.zeros(len(actions) + 1)
    for t in range(len(actions)):
        log = float(policies[t].log_prob(observations[t], actions[t]))
        # A reference policy may give the action probability 0; the policy that drew it may not.
        if not np.isfinite(log) and (what == "policy" or log != -np.inf):
            raise ValueError(
                f"rollout {at}, step {t}: {what}.log_prob is {log} for the action {actions[t]}, which was taken: `sample` "
                "and `log_prob` must be of one policy, and of the action as it was drawn, before it is clipped"
            )
        logs[t + 1] = logs[t] + log
    return logs


def box(who: str, space: Any) -> tuple[Floats, Floats]:
    """The bounds of a Box of vectors."""
    low, high = getattr(space, "low", None), getattr(space, "high", None)
    if low is None or high is None or np.ndim(low) != 1:
        remedy = "it must be a Box of vectors, as `env.action_space` often is"
        raise ValueError(f"{who}: the space is {space!r}: {remedy}")
    return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
