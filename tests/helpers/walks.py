"""Random behaviour: the uniform policy of an MDP, and episodes of an environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import revealed


def uniform_policy(mdp: revealed.Mdp) -> Any:
    """Every action that a state offers, with the same probability. Every state must offer one."""
    policy = np.zeros((mdp.n_states, mdp.n_actions))
    state, action, _, _ = mdp.transitions
    policy[state, action] = 1.0
    return policy / policy.sum(axis=1, keepdims=True)


def random_episode(env: Any, state: Any) -> list[tuple[Any, Any]]:
    """An episode from a first state as (state, action) pairs that end in (state, None)."""
    path, over = [], False
    while not over:
        action = env.action_space.sample()
        path.append((state, action))
        state, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    return [*path, (state, None)]
