"""Rewards of states and transitions as the engine takes them: finite, and one for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs.columns import Floats, floats

__all__ = ["ONCE", "state_rewards", "transition_rewards"]

ONCE = "the loss can be differentiated once: the engine has no second derivative, so use first-order optimisers"
"""The error of a loss that is differentiated twice, in JAX and in PyTorch."""


def state_rewards(state: Any, n_states: int) -> Floats:
    """The rewards of the states."""
    return _finite("state", floats("the reward of the states", state, n_states))


def transition_rewards(transition: Any, n_transitions: int) -> Floats:
    """The rewards of the transitions; zeros where none are given."""
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
