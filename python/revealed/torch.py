"""Deep rewards with PyTorch: a loss for a reward that any `nn.Module` computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from .gradients.reward_likelihood import LossSettings, RewardLikelihood
from .gradients.rewards import ONCE
from .mdp.demonstrations import trajectories_in
from .mdp.mdp import Mdp

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["MaxEntLoss"]

_Answer = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class _NegativeLogLikelihood(torch.autograd.Function):
    """The loss with its gradients. Both come from one evaluation, so that the backward pass only scales."""

    @staticmethod
    def forward(state: torch.Tensor, transition: torch.Tensor, likelihood: RewardLikelihood) -> _Answer:
        rewards = (_lent(state), _lent(transition))
        value, of_state, of_transition = likelihood.value_and_grad(*rewards)
        return _like(state, np.asarray(value)), _like(state, of_state), _like(transition, of_transition)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: _Answer) -> None:
        _, *gradients = output
        ctx.mark_non_differentiable(*gradients)
        ctx.save_for_backward(*gradients, *inputs[:2])

    @staticmethod
    def backward(ctx: Any, *scales: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        of_state, of_transition, *rewards = ctx.saved_tensors
        gradients = scales[0] * of_state, scales[0].to(of_transition.dtype) * of_transition
        return _Once.apply(gradients[0], *rewards), _Once.apply(gradients[1], *rewards), None

    @staticmethod
    def vmap(info: Any, dims: Any, state: torch.Tensor, transition: torch.Tensor, likelihood: RewardLikelihood) -> Any:
        def of(tensor: torch.Tensor, dim: int | None, at: int) -> torch.Tensor:
            return tensor if dim is None else tensor.select(dim, at)

        each = [
            _NegativeLogLikelihood.apply(of(state, dims[0], at), of(transition, dims[1], at), likelihood)
            for at in range(info.batch_size)
        ]
        return tuple(torch.stack(parts) for parts in zip(*each)), (0, 0, 0)


class _Once(torch.autograd.Function):
    """A gradient that raises when it is differentiated again.

    With torch's once_differentiable, the terms of the second derivative would be missing without an error.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(gradient: torch.Tensor, state: torch.Tensor, transition: torch.Tensor) -> torch.Tensor:
        return gradient.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *scales: torch.Tensor) -> Any:
        raise TypeError(ONCE)


def _lent(rewards: torch.Tensor) -> Any:
    return rewards.detach().to("cpu", torch.float64).numpy()


def _like(rewards: torch.Tensor, values: Any) -> torch.Tensor:
    return torch.as_tensor(values, dtype=rewards.dtype, device=rewards.device)


class MaxEntLoss(torch.nn.Module):
    """Minus the mean log-likelihood of demonstrations, as a function of the reward of each state (and transition).

    Its gradient is exact. With inference="causal-dual" it is minus the dual of feature matching. Rewards may have any
    floating dtype and device, and the loss has the same; the engine computes in double precision on the CPU. The loss
    can be differentiated once. It works under `torch.func.grad` and `torch.func.vmap` (one after the other). The module
    has no parameters, and can be copied and pickled.

    Parameters
    ----------
    mdp, demonstrations, inference, ends, horizon, transitions, threads, memory
        As in `RewardLikelihood`.

    Examples
    --------
    With a `network` from features of the states to rewards, and an `optimiser` of its parameters::

        loss = revealed.torch.MaxEntLoss(mdp, demonstrations)
        for _ in range(200):
            optimiser.zero_grad()
            loss(network(features).squeeze(-1)).backward()
            optimiser.step()
    """

    likelihood: RewardLikelihood

    def __init__(self, mdp: Mdp, demonstrations: Any, **settings: Unpack[LossSettings]) -> None:
        super().__init__()
        self._made_of = mdp, trajectories_in(mdp, demonstrations), settings
        self._make()

    def _make(self) -> None:
        mdp, paths, settings = self._made_of
        self.likelihood = RewardLikelihood(mdp, paths, **settings)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "likelihood"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._make()

    def forward(self, state: torch.Tensor, transition: torch.Tensor | None = None) -> torch.Tensor:
        """The loss at the rewards of the states and, with `transitions=True`, those of the transitions."""
        likelihood = self.likelihood
        _check("states", state, likelihood.n_states)
        if transition is None:
            transition = state.new_zeros(likelihood.n_transitions)
        elif not self._made_of[2].get("transitions", False):
            raise ValueError("rewards of transitions were given: make the loss with transitions=True")
        _check("transitions", transition, likelihood.n_transitions)
        loss: torch.Tensor = _NegativeLogLikelihood.apply(state, transition, likelihood)[0]
        return loss

    def extra_repr(self) -> str:
        """What is printed between the brackets."""
        mdp, paths, settings = self._made_of
        inference, ends, horizon = settings.get("inference", "exact"), self.likelihood.ends, self.likelihood.horizon
        return f"{mdp.n_states} states, {len(paths)} demonstrations, {inference=!r}, {ends=!r}, {horizon=!r}"


def _check(what: str, rewards: Any, length: int) -> None:
    if not isinstance(rewards, torch.Tensor):
        raise TypeError(f"the reward of the {what} is a {type(rewards).__name__}: it must be a tensor")
    if not rewards.is_floating_point():
        raise TypeError(f"the reward of the {what} has dtype {rewards.dtype}: it must be floating")
    if rewards.shape != (length,):
        remedy = ": take its only column with squeeze(-1)" if rewards.shape == (length, 1) else ""
        raise ValueError(f"the reward of the {what} has shape {tuple(rewards.shape)}, expected ({length},){remedy}")
