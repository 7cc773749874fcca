"""Gymnasium environments with a table of transitions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._columns import Floats, Integers

__all__ = ["read"]

Rows = tuple[Integers, Integers, Integers, Floats]


def read(env: Any, action_masks: bool) -> tuple[int, int, Rows, Floats, list[int], tuple[int, int] | None]:
    """The sizes, the transitions, p0, the terminal states and the grid of an environment with `P`."""
    inner = getattr(env, "unwrapped", env)
    table = getattr(inner, "P", None)
    if table is None:
        raise ValueError(
            f"{type(inner).__name__} has no table `P` of transitions: only tabular environments (FrozenLake-v1, Taxi-v3, "
            "CliffWalking-v1, or your own with `P[s][a] = [(p, next_state, reward, terminated), ...]`) can be read; for others "
            "use revealed.ModelFreeIRL, which learns from rollouts"
        )
    n_states = _size(inner, "observation_space")
    n_actions = _size(inner, "action_space")
    source, action, target, p = [], [], [], []
    ends: set[int] = set()
    goes_on: list[tuple[int, int]] = []
    for state in range(n_states):
        for choice, outcomes in _items(table, state, n_actions):
            for outcome in outcomes:
                probability, to, _, terminated = outcome
                to = int(to)
                source.append(state)
                action.append(choice)
                target.append(to)
                p.append(float(probability))
                if terminated:
                    ends.add(to)
                elif to != state:
                    goes_on.append((state, to))
    p0 = _start(inner, n_states)
    # Tables list states that no episode visits (Taxi has 100), and what they do does not matter.
    visited = _visited(p0, ends, goes_on)
    both = sorted({to for state, to in goes_on if to in ends and state in visited})
    if both:
        raise ValueError(
            f"P enters state {both[0]} both with `terminated` set and without: whether an episode ends there depends on the "
            "transition, so give the ending ones a state of their own"
        )
    columns = np.array(source), np.array(action), np.array(target), np.array(p)
    # What leads out of a terminal state is never taken, whatever the table says.
    keep = ~np.isin(columns[0], sorted(ends)) & (columns[3] > 0.0)
    if action_masks:
        keep &= _offered(inner, n_states, n_actions)[columns[0], columns[1]]
    rows = tuple(column[keep] for column in columns)
    return n_states, n_actions, _added_up(rows), p0, sorted(ends), _grid(inner, n_states)


def _visited(p0: Floats, ends: set[int], steps: list[tuple[int, int]]) -> set[int]:
    """The states where an episode may be before it ends."""
    children: dict[int, set[int]] = {}
    for state, to in steps:
        children.setdefault(state, set()).add(to)
    visited = {int(state) for state in np.flatnonzero(p0 > 0.0)} - ends
    waiting = list(visited)
    while waiting:
        new = children.get(waiting.pop(), set()) - visited - ends
        visited |= new
        waiting += new
    return visited


def _size(env: Any, space: str) -> int:
    n = getattr(getattr(env, space, None), "n", None)
    if n is None:
        raise ValueError(f"{type(env).__name__}.{space} is {getattr(env, space, None)}: it must be Discrete")
    return int(n)


def _items(table: Any, state: int, n_actions: int) -> list[tuple[int, Any]]:
    try:
        of_state = table[state]
    except (KeyError, IndexError):
        raise ValueError(f"P has no entry for state {state}") from None
    return list(of_state.items()) if hasattr(of_state, "items") else list(enumerate(of_state))[:n_actions]


def _start(env: Any, n_states: int) -> Floats:
    p0 = getattr(env, "initial_state_distrib", None)
    if p0 is None:
        raise ValueError(
            f"{type(env).__name__} has no `initial_state_distrib`: set it to the probability of each first state, or build an Mdp "
            "from columns"
        )
    return np.asarray(p0, dtype=np.float64).reshape(n_states)


def _offered(env: Any, n_states: int, n_actions: int) -> Any:
    mask = getattr(env, "action_mask", None)
    if mask is None:
        raise ValueError(f"{type(env).__name__} has no `action_mask(state)`: leave out action_masks")
    return np.array([mask(state) for state in range(n_states)], dtype=bool).reshape(n_states, n_actions)


def _added_up(rows: Any) -> Rows:
    """P may list a next state twice for one action (a step into a wall): their probabilities add up."""
    source, action, target, p = rows
    keys = np.stack([source, action, target])
    unique, inverse = np.unique(keys, axis=1, return_inverse=True)
    total = np.zeros(unique.shape[1])
    np.add.at(total, np.reshape(inverse, -1), p)
    return unique[0], unique[1], unique[2], total


def _grid(env: Any, n_states: int) -> tuple[int, int] | None:
    shape: Any = getattr(env, "shape", None) or (getattr(env, "nrow", None), getattr(env, "ncol", None))
    if len(shape) == 2 and all(isinstance(side, (int, np.integer)) for side in shape) and shape[0] * shape[1] == n_states:
        return int(shape[0]), int(shape[1])
    return None
