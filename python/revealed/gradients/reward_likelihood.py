"""The mean log-likelihood of demonstrations as a function of the reward, which a neural network may compute."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np

from ..inputs.columns import Floats
from ..inputs.matrices import SparseIdentity
from ..inputs.options import Horizon
from ..mdp.demonstrations import check_mdp
from ..mdp.features import Features
from ..mdp.mdp import Mdp
from .log_likelihood import LikelihoodInference, LogLikelihood
from .rewards import state_rewards, transition_rewards

__all__ = ["LossSettings", "RewardLikelihood"]


class LossSettings(TypedDict, total=False):
    """The keywords of `RewardLikelihood`, which the losses of `revealed.jax` and `revealed.torch` pass on."""

    inference: LikelihoodInference
    ends: str | None
    horizon: Horizon | None
    transitions: bool
    threads: int | None
    memory: int | None


class RewardLikelihood:
    """The mean log-likelihood as a function of the reward: a number for each state, and one for each transition.

    A neural network is trained with it; `revealed.torch.MaxEntLoss` and `revealed.jax.maxent_loss` wrap it. Transitions
    are in the order of `mdp.transitions`.

    Parameters
    ----------
    mdp : Mdp
        The MDP; its features are not used.
    demonstrations
        Demonstrated paths: anything that `Trajectories` takes.
    inference : {"exact", "causal", "causal-dual", "recursive-logit"}
        The model. "exact" is the model of the paper. "causal" is the model for worlds with chance, in which the agent
        chooses its actions and not their outcomes; with "causal-dual" the value is minus the dual of feature matching.
        "recursive-logit" is the exact model of paths of any length between each demonstration's own ends.
    ends : {"anywhere", "horizon", "terminal", "goal"}, optional
        Where a path may end. The default is "anywhere", for causal models "horizon", for the recursive logit "goal".
    horizon : int or "any", optional
        The largest number of states of a path; by default that of the longest demonstration. With "any" there is no
        largest number, which is the default for the recursive logit. Set it where the likelihoods of several sets of
        demonstrations are compared, or added up over batches.
    transitions : bool
        Whether transitions have rewards, too.
    threads : int, optional
        The number of threads; by default one for each core. Results do not depend on it.
    memory : int, optional
        The budget for messages in bytes; 2 GB by default. Results do not depend on it.

    Examples
    --------
    >>> import numpy as np, revealed
    >>> mdp = revealed.Mdp(3, 2, transitions=([0, 0], [0, 1], [1, 2], [1.0, 1.0]), start=0, terminal=[1, 2])
    >>> likelihood = revealed.RewardLikelihood(mdp, [[(0, 1), (2, None)]], ends="terminal")
    >>> value, by_state, _ = likelihood.value_and_grad(np.zeros(3))
    >>> bool(np.isclose(value, np.log(2))), by_state[1:].tolist()  # one of two equally likely paths
    (True, [0.5, -0.5])
    """

    def __init__(
        self,
        mdp: Mdp,
        demonstrations: Any,
        *,
        transitions: bool = False,
        inference: LikelihoodInference = "exact",
        ends: str | None = None,
        horizon: Horizon | None = None,
        threads: int | None = None,
        memory: int | None = None,
    ) -> None:
        check_mdp(mdp)
        self.n_states, self.n_transitions = mdp.n_states, mdp.n_transitions if transitions else 0
        width = self.n_states + self.n_transitions
        state = SparseIdentity(self.n_states, width)
        along = SparseIdentity(self.n_transitions, width, self.n_states) if transitions else None
        raw = mdp.with_features(Features(state=state, transition=along))
        self._likelihood = LogLikelihood(
            raw, demonstrations, inference=inference, ends=ends, horizon=horizon, threads=threads, memory=memory
        )
        self.ends, self.mdp = self._likelihood.ends, mdp

    @property
    def horizon(self) -> Horizon:
        """The largest number of states of a path."""
        return self._likelihood.horizon

    def value_and_grad(self, state: Any, transition: Any = None) -> tuple[float, Floats, Floats]:
        """Minus the mean log-likelihood, and its gradients by the rewards of the states and of the transitions."""
        reward = np.concatenate([state_rewards(state, self.n_states), transition_rewards(transition, self.n_transitions)])
        value, gradient = self._likelihood.value_and_grad(reward)
        return value, gradient[: self.n_states], gradient[self.n_states :]
