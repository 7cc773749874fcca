"""Rolling out a policy in a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inputs.running import step
from .paths import StatesAndActions
from .samplers import SamplingPolicy

__all__ = ["roll", "spaces"]


def spaces(env: Any) -> tuple[Any, Any]:
    """The spaces of observations and actions, which must be Box or Discrete."""
    for name in ("reset", "step", "observation_space", "action_space"):
        if not hasattr(env, name):
            raise TypeError(f"env is a {type(env).__name__} without `{name}`: give a Gymnasium environment, or Rollouts")
    if hasattr(env, "num_envs"):
        raise TypeError("env is a vector environment: give a single one")
    for name in ("observation_space", "action_space"):
        space = getattr(env, name)
        if not hasattr(space, "n") and not (hasattr(space, "low") and hasattr(space, "high")):
            remedy = "wrap the environment (gymnasium.wrappers.FlattenObservation does it for observations)"
            raise ValueError(f"{name} is {space}: it must be Box or Discrete; {remedy}")
    return env.observation_space, env.action_space


def roll(env: Any, policies: Sequence[SamplingPolicy], first: Any, rng: np.random.Generator, at: int) -> StatesAndActions:
    """A path from a first observation to the horizon, or until the environment terminates."""
    observations, actions = [np.asarray(first)], []
    for t, policy in enumerate(policies):
        action = policy.sample(observations[-1], rng)
        observation, _, terminated, truncated, _ = step(env, action, "the policy")
        observations.append(np.asarray(observation))
        actions.append(action)
        if terminated:
            break
        if truncated and t + 1 < len(policies):
            raise ValueError(
                f"rollout {at}: the environment was truncated after {t + 1} steps, but horizon={len(policies) + 1} asks for "
                f"{len(policies)}: lower it, or make the environment with a larger max_episode_steps"
            )
    return np.array(observations), np.array(actions)
