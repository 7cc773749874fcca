"""Deep rewards with JAX: a loss with an exact gradient that works under `jit`, `vmap` and `scan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from .gradients.reward_likelihood import LossSettings, RewardLikelihood
from .gradients.rewards import ONCE
from .mdp.mdp import Mdp

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["maxent_loss"]

_Answer = tuple[jax.Array, jax.Array, jax.Array]


def maxent_loss(mdp: Mdp, demonstrations: Any, **settings: Unpack[LossSettings]) -> Callable[..., jax.Array]:
    """The function from rewards to minus the mean log-likelihood of demonstrations.

    It takes the reward of each state and, with `transitions=True`, that of each transition in the order of
    `mdp.transitions`. Its gradient is exact. With inference="causal-dual" it is minus the dual of feature matching. It
    can be differentiated once, in reverse. It works under `jax.jit`, under `jax.vmap` (one after the other) and inside
    `jax.lax.scan`; an invalid value (NaN) found there is a JaxRuntimeError with the same message.

    Parameters
    ----------
    mdp, demonstrations, inference, ends, horizon, transitions, threads, memory
        As in `RewardLikelihood`.

    Returns
    -------
    function of (state, transition=None)
        The loss, in the dtype of the states' rewards. The engine computes in double precision whatever JAX is set to.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, revealed
    >>> mdp = revealed.Mdp(3, 2, transitions=([0, 0], [0, 1], [1, 2], [1.0, 1.0]), start=0, terminal=[1, 2])
    >>> to_work, to_home = [(0, 1), (2, None)], [(0, 0), (1, None)]
    >>> loss = revealed.jax.maxent_loss(mdp, [to_work, to_work, to_work, to_home], ends="terminal")
    >>> jax.grad(loss)(jnp.zeros(3))[1:].tolist()  # 1/2 expected at work, 3/4 observed
    [0.25, -0.25]
    """
    likelihood = RewardLikelihood(mdp, demonstrations, **settings)
    loss = _differentiable(likelihood)

    def maxent_loss_of(state: Any, transition: Any = None) -> jax.Array:
        state = _rewards("states", state, likelihood.n_states)
        if transition is None:
            transition = jnp.zeros(likelihood.n_transitions, state.dtype)
        elif not settings.get("transitions", False):
            raise ValueError("rewards of transitions were given: make the loss with transitions=True")
        return loss(state, _rewards("transitions", transition, likelihood.n_transitions))

    return maxent_loss_of


def _differentiable(likelihood: RewardLikelihood) -> Callable[[jax.Array, jax.Array], jax.Array]:
    """The loss with its gradient. Both come from one evaluation, so that the backward pass only scales."""
    called = _evaluation(likelihood)

    @jax.custom_vjp
    def loss(state: jax.Array, transition: jax.Array) -> jax.Array:
        return called(state, transition)[0]

    def forward(state: jax.Array, transition: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
        value, *gradients = called(state, transition)
        return value, (gradients[0], gradients[1])

    def backward(gradients: tuple[jax.Array, jax.Array], scale: jax.Array) -> tuple[jax.Array, jax.Array]:
        of_state, of_transition = gradients
        return scale.astype(of_state.dtype) * of_state, scale.astype(of_transition.dtype) * of_transition

    loss.defvjp(forward, backward)
    return loss  # type: ignore[no-any-return, unused-ignore]


def _evaluation(likelihood: RewardLikelihood) -> Callable[[jax.Array, jax.Array], _Answer]:
    """The loss and its gradients by the rewards of states and transitions, computed by the engine on the host."""

    def on_host(state: Any, transition: Any) -> tuple[Any, Any, Any]:
        rewards = np.asarray(state), np.asarray(transition)
        value, *gradients = likelihood.value_and_grad(*(reward.astype(np.float64) for reward in rewards))
        of_state, of_transition = (gradient.astype(reward.dtype) for gradient, reward in zip(gradients, rewards))
        return rewards[0].dtype.type(value), of_state, of_transition

    @jax.custom_jvp
    def called(state: jax.Array, transition: jax.Array) -> _Answer:
        if not isinstance(state, jax.core.Tracer) and not isinstance(transition, jax.core.Tracer):
            value, of_state, of_transition = on_host(state, transition)
            return jnp.asarray(value), jnp.asarray(of_state), jnp.asarray(of_transition)
        each = [jax.ShapeDtypeStruct(rewards.shape, rewards.dtype) for rewards in (state, transition)]
        shapes = jax.ShapeDtypeStruct((), state.dtype), *each
        answer: _Answer = jax.pure_callback(on_host, shapes, state, transition, vmap_method="sequential")
        return answer

    called.defjvp(_only_once)
    return called  # type: ignore[no-any-return, unused-ignore]


def _only_once(primals: Any, tangents: Any) -> Any:
    raise TypeError(ONCE)


def _rewards(what: str, values: Any, length: int) -> jax.Array:
    """Rewards of the right shape and dtype; JAX knows both while it traces, and the values only later."""
    rewards = jnp.asarray(values)
    if not jnp.issubdtype(rewards.dtype, jnp.floating):
        raise TypeError(f"the reward of the {what} has dtype {rewards.dtype}: it must be floating")
    if rewards.shape != (length,):
        remedy = ": take its only column, reward[:, 0]" if rewards.shape == (length, 1) else ""
        raise ValueError(f"the reward of the {what} has shape {rewards.shape}, expected ({length},){remedy}")
    return rewards
