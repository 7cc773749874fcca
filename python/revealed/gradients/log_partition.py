"""log Z as a function of the reward."""

from __future__ import annotations

from typing import Any

from .. import _native
from ..inputs.columns import Floats
from ..inputs.options import Horizon, horizon_of, path_options
from ..mdp.demonstrations import check_mdp
from ..mdp.mdp import Mdp
from .rewards import state_rewards, transition_rewards

__all__ = ["LogPartition"]


class LogPartition:
    """log Z as a function of the reward. Everything that does not depend on the reward is prepared once.

    Z is the sum of the weights of all paths of at most `horizon` states. The gradient of log Z by the reward of a state
    (a transition) is the expected discounted number of its visits.

    Parameters
    ----------
    mdp : Mdp
        The MDP; its features are not used.
    horizon : int or "any"
        The largest number of states of a path.
    ends : {"anywhere", "horizon", "terminal", "goal"}
        Where a path may end.
    start : int, mapping of state to weight, or vector over the states, optional
        Where paths begin; p0 by default. With ends = "goal" the first state is given, and log Z is the mean of the log
        Z of the first states.
    to : int, optional
        The last state; required with ends = "goal".
    transitions : bool
        Whether transitions have rewards, too.
    threads : int, optional
        The number of threads; by default one for each core. Results do not depend on it.

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
        horizon: Horizon,
        ends: str = "anywhere",
        start: Any = None,
        to: Any = None,
        transitions: bool = False,
        threads: int | None = None,
    ) -> None:
        chosen = path_options(ends, horizon_of(horizon), threads, None)
        check_mdp(mdp)
        self.mdp = mdp
        self.n_states, self.n_transitions = mdp.n_states, mdp.n_transitions if transitions else 0
        begin = mdp._weights("start", start)
        end = None if to is None else mdp._state("to", to)
        sizes = begin, end, bool(transitions), chosen["threads"]
        self._native = _native.Partition(mdp._native, ends, chosen["horizon"], *sizes)

    def __call__(self, state: Any, transition: Any = None) -> float:
        """log Z at these rewards."""
        return self.value_and_grad(state, transition)[0]

    def value_and_grad(self, state: Any, transition: Any = None) -> tuple[float, Floats, Floats]:
        """log Z, and its gradients by the rewards of states and of transitions (empty without `transitions`)."""
        rewards = state_rewards(state, self.n_states), transition_rewards(transition, self.n_transitions)
        return self._native.evaluate(*rewards)
