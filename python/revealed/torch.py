"""Deep rewards with PyTorch: any `nn.Module` may be the reward."""

from __future__ import annotations

from typing import Any

import torch

from .likelihood import RewardLikelihood
from .mdp import Mdp

__all__ = ["MaxEntLoss"]


class _NegativeLogLikelihood(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, state: torch.Tensor, transition: torch.Tensor | None, likelihood: RewardLikelihood) -> torch.Tensor:
        along = None if transition is None else transition.detach().double().cpu().numpy()
        value, of_state, of_transition = likelihood.value_and_grad(state.detach().double().cpu().numpy(), along)
        ctx.of_state = torch.as_tensor(of_state, dtype=state.dtype, device=state.device)
        ctx.of_transition = None
        if transition is not None:
            ctx.of_transition = torch.as_tensor(of_transition, dtype=transition.dtype, device=transition.device)
        return torch.as_tensor(value, dtype=state.dtype, device=state.device)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *grad_output: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None, None]:
        (scale,) = grad_output
        along = None if ctx.of_transition is None else scale * ctx.of_transition
        return scale * ctx.of_state, along, None


class MaxEntLoss(torch.nn.Module):
    """Minus the mean log-likelihood of demonstrations, as a function of the reward of each state (and transition).

    The gradient is exact: observed minus expected visits. Rewards of any dtype and device are taken; the engine computes in double
    precision on the processor.

    Examples
    --------
    With a network and an optimiser of PyTorch::

        loss = revealed.torch.MaxEntLoss(mdp, demonstrations)
        for _ in range(200):
            optimiser.zero_grad()
            loss(network(features).squeeze(-1)).backward()
            optimiser.step()
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
    ) -> None:
        super().__init__()
        self.likelihood = RewardLikelihood(
            mdp, demonstrations, ends=ends, horizon=horizon, transitions=transitions, threads=threads
        )

    def forward(self, state: torch.Tensor, transition: torch.Tensor | None = None) -> torch.Tensor:
        """The loss at these rewards."""
        loss: torch.Tensor = _NegativeLogLikelihood.apply(state, transition, self.likelihood)
        return loss
