"""Deep rewards with JAX: a loss with an exact gradient, which may be jitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .likelihood import RewardLikelihood
from .mdp import Mdp

__all__ = ["maxent_loss"]


def maxent_loss(
    mdp: Mdp,
    demonstrations: Any,
    *,
    ends: str = "anywhere",
    horizon: int | None = None,
    transitions: bool = False,
    threads: int | None = None,
) -> Callable[..., jax.Array]:
    """The function from rewards to minus the mean log-likelihood of demonstrations.

    It takes the reward of each state and, with `transitions=True`, of each transition; it can be differentiated once, and jitted.
    The engine computes in double precision whatever JAX is set to.
    """
    likelihood = RewardLikelihood(mdp, demonstrations, ends=ends, horizon=horizon, transitions=transitions, threads=threads)

    def on_host(state: Any, transition: Any) -> tuple[Any, Any, Any]:
        along = np.asarray(transition, dtype=np.float64) if transitions else None
        value, of_state, of_transition = likelihood.value_and_grad(np.asarray(state, dtype=np.float64), along)
        kinds = np.asarray(state).dtype, np.asarray(transition).dtype
        return kinds[0].type(value), of_state.astype(kinds[0]), of_transition.astype(kinds[1])

    def called(state: jax.Array, transition: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        shapes = (
            jax.ShapeDtypeStruct((), state.dtype),
            jax.ShapeDtypeStruct(state.shape, state.dtype),
            jax.ShapeDtypeStruct(transition.shape, transition.dtype),
        )
        answer: tuple[jax.Array, jax.Array, jax.Array] = jax.pure_callback(
            on_host, shapes, state, transition, vmap_method="sequential"
        )
        return answer

    @jax.custom_vjp
    def loss(state: jax.Array, transition: jax.Array) -> jax.Array:
        return called(state, transition)[0]

    def forward(state: jax.Array, transition: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
        value, of_state, of_transition = called(state, transition)
        return value, (of_state, of_transition)

    def backward(kept: tuple[jax.Array, jax.Array], scale: jax.Array) -> tuple[jax.Array, jax.Array]:
        return scale * kept[0], scale * kept[1]

    loss.defvjp(forward, backward)

    def of_rewards(state: Any, transition: Any = None) -> jax.Array:
        state = jnp.asarray(state)
        if transition is None:
            transition = jnp.zeros(likelihood.n_transitions, state.dtype)
        elif not transitions:
            raise ValueError("rewards of transitions were given: make the loss with transitions=True")
        value: jax.Array = loss(state, jnp.asarray(transition))
        return value

    return of_rewards
