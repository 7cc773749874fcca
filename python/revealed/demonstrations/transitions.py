"""Single steps: (s, a, s'), (s, a, r, s') and (s, a, r, s', done), path by path or all in one list, and Transitions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs.labels import label_of

__all__ = ["chained", "is_flat", "is_transitions", "of_flat", "of_transitions"]

# States and actions as they were given.
Raw = tuple[list[Any], list[Any]]


def _parts(step: Any) -> tuple[Any, Any, Any, bool]:
    """(s, a, s', done) of a step."""
    if len(step) == 3:
        return step[0], step[1], step[2], False
    return step[0], step[1], step[3], bool(step[4]) if len(step) == 5 else False


def _same(a: Any, b: Any) -> bool:
    return a is b or label_of(a) == label_of(b)


def is_step(step: Any) -> bool:
    """Whether it may be (s, a, s'), (s, a, r, s') or (s, a, r, s', done)."""
    if isinstance(step, np.ndarray):
        return step.ndim == 1 and len(step) in (3, 4, 5)
    return isinstance(step, (tuple, list)) and len(step) in (3, 4, 5)


def chained(place: str, path: Any) -> Raw | None:
    """A path of steps whose states are linked; None if it is not such a path."""
    if not len(path) or not all(is_step(step) for step in path):
        return None
    states: list[Any] = []
    actions: list[Any] = []
    for at, step in enumerate(path):
        state, action, after, done = _parts(step)
        if states and not _same(states[-1], state):
            raise ValueError(
                f"{place}: step {at} begins in {state!r}, but step {at - 1} ends in {states[-1]!r}: begin a new path there"
            )
        if not states:
            states.append(state)
        states.append(after)
        actions.append(action)
        if done and at + 1 < len(path):
            raise ValueError(f"{place}: step {at} is the last of an episode, but more follow: begin a new path there")
    return states, actions


def is_flat(listed: list[Any]) -> bool:
    """Whether it is a list of steps, and not of paths: what stands second is an action, not a step."""
    return bool(listed) and all(isinstance(step, tuple) and len(step) in (3, 4, 5) and _is_action(step[1]) for step in listed)


def _is_action(value: Any) -> bool:
    return np.isscalar(value) or (isinstance(value, np.ndarray) and value.ndim == 0)


def of_flat(steps: list[Any]) -> list[Raw]:
    """Paths from steps in order: a new one begins where a step is the last of an episode, or does not follow."""
    paths: list[Raw] = []
    over = True
    for step in steps:
        state, action, after, done = _parts(step)
        if over or not _same(paths[-1][0][-1], state):
            paths.append(([state], []))
        paths[-1][0].append(after)
        paths[-1][1].append(action)
        over = done
    return paths


def is_transitions(value: Any) -> bool:
    """Whether it has the columns of Transitions of `imitation`."""
    return all(hasattr(value, name) for name in ("obs", "acts", "next_obs"))


def of_transitions(value: Any) -> list[Raw]:
    """Paths from Transitions of `imitation`: columns obs, acts, next_obs and dones."""
    n = len(value.acts)
    dones = getattr(value, "dones", None)
    ends = np.zeros(n, dtype=bool) if dones is None else np.ravel(np.asarray(dones)).astype(bool)
    for name, column in (("obs", value.obs), ("next_obs", value.next_obs), ("dones", ends)):
        if len(column) != n:
            raise ValueError(f"the transitions have {n} acts, but {len(column)} {name}")
    return of_flat([(value.obs[at], value.acts[at], 0.0, value.next_obs[at], bool(ends[at])) for at in range(n)])
