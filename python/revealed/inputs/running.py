"""Resets and steps of an environment that runs, with errors that say what is wrong with it or with the policy."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

__all__ = ["reset", "step"]

_OLD = "the interface of Gym before 0.26: write that of Gymnasium, or wrap it by shimmy.GymV21CompatibilityV0(env=env)"


def reset(env: Any, seed: int | None, options: dict[str, Any] | None) -> tuple[Any, Any]:
    """The first observation, and what else the environment tells."""
    try:
        found = env.reset(seed=seed, options=options)
    except TypeError:
        for part in (env, env.unwrapped):
            if not _takes(part.reset, seed=seed, options=options):
                problem = f"{_name(env)}.reset() does not take seed= and options=, which is"
                raise TypeError(f"{problem} {_OLD}") from None
        raise
    if not (isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], Mapping)):
        raise TypeError(f"{_name(env)}.reset() returned {_short(found)} and not (observation, info), which is {_OLD}")
    return found


def step(env: Any, action: Any, whose: str) -> tuple[Any, Any, Any, Any, Any]:
    """(observation, reward, terminated, truncated, info). `whose` is who chose the action, for the error."""
    try:
        found = env.step(action)
    except Exception as error:
        if _allows(env.action_space, action):
            raise
        raise ValueError(
            f"{whose} chose the action {_short(action)}, which is not in the action space {env.action_space}: "
            f"{_name(env)}.step failed with {type(error).__name__}: {error}"
        ) from error
    if not (isinstance(found, tuple) and len(found) == 5):
        problem = f"{_name(env)}.step() returned {_short(found)} and not (observation, reward, terminated, truncated, info)"
        raise TypeError(f"{problem}, which is {_OLD}")
    return found


def _takes(function: Any, **arguments: Any) -> bool:
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError:
        return False
    except ValueError:  # a function without a signature
        return True
    return True


def _allows(space: Any, action: Any) -> bool:
    try:
        return bool(space.contains(action))
    except Exception:  # what no space expects, such as None or a text
        return False


def _name(env: Any) -> str:
    return type(getattr(env, "unwrapped", env)).__name__


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
