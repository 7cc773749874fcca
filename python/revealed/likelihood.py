"""The function itself, for those who bring their own optimiser."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._columns import Floats, count, floats
from .demonstrations import check_world, native_demonstrations
from .features import Features, _Identity
from .labelled import in_world
from .mdp import Mdp

__all__ = ["LogLikelihood", "LogPartition", "RewardLikelihood"]


def options(ends: str, horizon: int | None, threads: int | None, memory: int | None) -> dict[str, Any]:
    """How likelihoods are computed, as the engine takes it."""
    if not isinstance(ends, str):
        raise TypeError(f"ends is {ends!r}: it must be one of 'anywhere', 'horizon', 'terminal', 'goal'")
    return {
        "ends": ends,
        "horizon": None if horizon is None else count("horizon", horizon),
        "threads": None if threads is None else count("threads", threads),
        "memory": None if memory is None else count("memory", memory),
    }


class LogLikelihood:
    """The mean log-likelihood of demonstrations as a function of theta, with everything prepared that does not depend on it.

    Examples
    --------
    >>> import numpy as np, revealed
    >>> mdp = revealed.Mdp(3, 1, transitions=([0, 1], [0, 0], [1, 2], [1, 1]), start=0, terminal=[2])
    >>> likelihood = revealed.LogLikelihood(mdp, [[(0, 0), (1, 0), (2, None)]])
    >>> bool(np.isclose(likelihood(np.zeros(3)), np.log(1 / 3)))  # three paths, all alike
    True
    """

    def __init__(
        self,
        mdp: Mdp,
        demonstrations: Any,
        *,
        ends: str = "anywhere",
        horizon: int | None = None,
        threads: int | None = None,
        memory: int | None = None,
    ) -> None:
        paths = native_demonstrations(mdp, in_world(mdp, demonstrations))
        self._native = _native.Likelihood(mdp._native, paths, options(ends, horizon, threads, memory))
        self.mdp = mdp

    @property
    def horizon(self) -> int:
        """The most states of a path."""
        return self._native.horizon

    def __call__(self, theta: Any) -> float:
        """The mean log-likelihood per demonstration."""
        return self._native.evaluate(floats("theta", theta))[0]

    def gradient(self, theta: Any) -> Floats:
        """Its gradient: observed minus expected features."""
        return self._native.evaluate(floats("theta", theta))[1]

    def value_and_grad(self, theta: Any) -> tuple[float, Floats]:
        """Minus the mean log-likelihood and minus its gradient, as `scipy.optimize.minimize(..., jac=True)` takes them."""
        value, gradient, _ = self._native.evaluate(floats("theta", theta))
        return -value, np.negative(gradient, out=gradient)

    def log_partition(self, theta: Any) -> float | None:
        """log Z; None with ends = "goal", where each pair of ends has its own."""
        return self._native.evaluate(floats("theta", theta))[2]


class RewardLikelihood:
    """The mean log-likelihood as a function of the reward itself: a number for each state, and one for each transition.

    This is what a neural network is trained with; `revealed.torch.MaxEntLoss` and `revealed.jax.maxent_loss` wrap it. Transitions
    are in the order of `mdp.transitions`.
    """

    def __init__(
        self,
        mdp: Mdp,
        demonstrations: Any,
        *,
        ends: str = "anywhere",
        horizon: int | None = None,
        transitions: bool = False,
        threads: int | None = None,
        memory: int | None = None,
    ) -> None:
        check_world(mdp)
        self.n_states, self.n_transitions = mdp.n_states, mdp.n_transitions if transitions else 0
        width = self.n_states + self.n_transitions
        state = _Identity(self.n_states, width)
        along = _Identity(self.n_transitions, width, self.n_states) if transitions else None
        raw = mdp.with_features(Features(state=state, transition=along))
        self._likelihood = LogLikelihood(raw, demonstrations, ends=ends, horizon=horizon, threads=threads, memory=memory)
        self.mdp = mdp

    @property
    def horizon(self) -> int:
        """The most states of a path."""
        return self._likelihood.horizon

    def value_and_grad(self, state: Any, transition: Any = None) -> tuple[float, Floats, Floats]:
        """Minus the mean log-likelihood, and its gradients by the rewards of the states and of the transitions."""
        reward = np.concatenate([state_rewards(state, self.n_states), transition_rewards(transition, self.n_transitions)])
        value, gradient = self._likelihood.value_and_grad(reward)
        return value, gradient[: self.n_states], gradient[self.n_states :]


class LogPartition:
    """log Z as a function of the reward itself, with everything prepared that does not depend on it.

    Z sums the weights of all paths of at most `horizon` states. The gradient of log Z by the reward of a state (a transition) is
    the expected discounted number of its visits.

    Parameters
    ----------
    mdp : Mdp
        The world; its features are not used.
    horizon : int
        The most states of a path.
    ends : {"anywhere", "horizon", "terminal", "goal"}
        Where paths may end.
    start : int, mapping of state to weight, or vector over the states, optional
        Where paths begin; the world's own p0 unless given. With ends = "goal" the first state is given, and log Z is the mean of
        the log Z of the first states.
    to : int, optional
        Where paths end; needed with ends = "goal".
    transitions : bool
        Whether transitions have rewards of their own.
    threads : int, optional
        All cores unless given.

    Examples
    --------
    >>> import numpy as np, revealed
    >>> chain = revealed.worlds.linear_chain(3)
    >>> log_partition = revealed.LogPartition(chain, horizon=3)
    >>> value, visits, _ = log_partition.value_and_grad(np.zeros(3))  # three paths: 0, 0-1 and 0-1-2
    >>> bool(np.isclose(value, np.log(3))), visits.round(3).tolist()
    (True, [1.0, 0.667, 0.333])
    """

    def __init__(
        self,
        mdp: Mdp,
        *,
        horizon: int,
        ends: str = "anywhere",
        start: Any = None,
        to: Any = None,
        transitions: bool = False,
        threads: int | None = None,
    ) -> None:
        chosen = options(ends, count("horizon", horizon), threads, None)
        check_world(mdp)
        self.mdp = mdp
        self.n_states, self.n_transitions = mdp.n_states, mdp.n_transitions if transitions else 0
        begin = mdp._weights("start", start)
        end = None if to is None else mdp._state("to", to)
        self._native = _native.Partition(mdp._native, ends, chosen["horizon"], begin, end, bool(transitions), chosen["threads"])

    def __call__(self, state: Any, transition: Any = None) -> float:
        """log Z at these rewards."""
        return self.value_and_grad(state, transition)[0]

    def value_and_grad(self, state: Any, transition: Any = None) -> tuple[float, Floats, Floats]:
        """log Z, and its gradients by the rewards of the states and of the transitions (empty without `transitions`)."""
        rewards = state_rewards(state, self.n_states), transition_rewards(transition, self.n_transitions)
        return self._native.evaluate(*rewards)


def state_rewards(state: Any, n_states: int) -> Floats:
    """Rewards of states as the engine takes them."""
    return _finite("state", floats("the reward of the states", state, n_states))


def transition_rewards(transition: Any, n_transitions: int) -> Floats:
    """Rewards of transitions as the engine takes them; zeros where none are given."""
    if transition is None:
        return np.zeros(n_transitions)
    if not n_transitions and np.size(transition):
        raise ValueError("rewards of transitions were given: ask for them with transitions=True")
    return _finite("transition", floats("the reward of the transitions", transition, n_transitions))


def _finite(what: str, rewards: Floats) -> Floats:
    bad = np.flatnonzero(~np.isfinite(rewards))
    if len(bad):
        raise ValueError(f"the reward of {what} {bad[0]} is {rewards[bad[0]]}: it must be finite")
    return rewards
