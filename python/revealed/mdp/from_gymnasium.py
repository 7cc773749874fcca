"""Gymnasium environments that have a table `P` of transitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs.columns import Floats, floats
from ..inputs.numbers import count, number
from . import from_tables
from .from_tables import Rows

__all__ = ["Table", "read"]


@dataclass(frozen=True, eq=False)
class Table:
    """The parts of an MDP that an environment determines."""

    n_states: int
    n_actions: int
    rows: Rows
    rewards: Floats
    start: Floats
    terminal: list[int]
    grid: tuple[int, int] | None


def read(env: Any, action_masks: bool, start: Any = None) -> Table:
    """The sizes, the transitions, p0, the terminal states and the grid of an environment with `P`."""
    if isinstance(env, str):
        raise TypeError(f"env is {env!r}: give the environment itself, gymnasium.make({env!r})")
    inner = getattr(env, "unwrapped", env)
    name = type(inner).__name__
    table = getattr(inner, "P", None)
    if table is None:
        raise ValueError(
            f"{name} has no table `P` of transitions: only tabular environments (FrozenLake-v1, Taxi-v4, CliffWalking-v1, "
            "or your own with `P[s][a] = [(p, next_state, reward, terminated), ...]`) can be read; Mdp.from_env(env) "
            "tries every action instead, where states can be counted; if you know the probabilities, give them to "
            "revealed.Mdp or Mdp.from_dense; otherwise learn from rollouts with revealed.ModelFreeIRL"
        )
    if getattr(inner, "fickle_passenger", False):
        raise ValueError(f"{name} has a fickle passenger, who is not in its table `P`: make it with fickle_passenger=False")
    n_states, n_actions = _size(inner, "observation_space"), _size(inner, "action_space")
    rows, rewards, terminated = _rows(table, n_states, n_actions)
    p0 = _start(inner, n_states, start)
    ends = {int(state) for state in rows[2][terminated]}
    _check_ends(rows, terminated, ends, p0)
    keep = ~np.isin(rows[0], sorted(ends))  # transitions out of a terminal state are never taken, whatever P has
    unlisted = np.setdiff1d(np.arange(n_states), [*rows[0], *ends])
    if len(unlisted):
        raise ValueError(f"P has no entry for state {unlisted[0]}, which is not terminal: list its actions")
    if action_masks:
        keep &= _offered(inner, n_states, n_actions)[rows[0], rows[1]]
    kept = rows[0][keep], rows[1][keep], rows[2][keep], rows[3][keep]
    added, means = _added_up(kept, rewards[keep])
    return Table(n_states, n_actions, added, means, p0, sorted(ends), _grid(inner, n_states))


def _size(env: Any, space: str) -> int:
    found = getattr(env, space, None)
    n, first = getattr(found, "n", None), getattr(found, "start", 0)
    if n is None or np.ndim(n) or first != 0:
        raise ValueError(f"{type(env).__name__}.{space} is {found}: it must be Discrete(n), numbered from 0")
    return int(n)


def _rows(table: Any, n_states: int, n_actions: int) -> tuple[Rows, Floats, Any]:
    """The outcomes of P as rows, their rewards, and which of them end an episode."""
    found: list[tuple[int, int, int, float, float, bool]] = []
    for state in range(n_states):
        for choice, outcomes in _items(table, state):
            place = f"P[{state}][{choice!r}]"
            action = count(f"the action of {place}", choice, least=0, most=n_actions - 1)
            try:
                each = [(probability, to, paid, terminated) for probability, to, paid, terminated in outcomes]
            except (TypeError, ValueError):
                raise ValueError(
                    f"{place} is {outcomes!r}: it must be a list of (p, next_state, reward, terminated); an array of "
                    "probabilities is read by Mdp.from_dense"
                ) from None
            for probability, to, paid, terminated in each:
                chance = number(f"a probability of {place}", probability)
                target = count(f"a next state of {place}", to, least=0, most=n_states - 1)
                if chance != 0.0:  # NaN is kept: the engine rejects it
                    reward = number(f"a reward of {place}", paid)
                    found.append((state, action, target, chance, reward, bool(terminated)))
    whole = np.array([row[:3] for row in found], dtype=np.int64).reshape(-1, 3)
    p, paid = (np.array([row[at] for row in found], dtype=np.float64) for at in (3, 4))
    terminated = np.array([row[5] for row in found], dtype=bool)
    return (whole[:, 0], whole[:, 1], whole[:, 2], p), paid, terminated


def _items(table: Any, state: int) -> list[tuple[Any, Any]]:
    """The actions of a state with their outcomes; none where P has no entry, as may be for terminal states."""
    try:
        of_state = table[state]
    except (KeyError, IndexError):
        return []
    if hasattr(of_state, "items"):
        return list(of_state.items())
    try:
        return list(enumerate(of_state))
    except TypeError:
        raise ValueError(f"P[{state}] is {of_state!r}: it must have a list of outcomes for each action") from None


def _check_ends(rows: Rows, terminated: Any, ends: set[int], p0: Floats) -> None:
    """Rejects a table in which one transition into a state ends the episode and another does not."""
    remedy = "whether an episode ends there depends on the transition, so give the ending transitions a separate state"
    for state in np.flatnonzero(p0 > 0.0):
        if int(state) in ends:
            raise ValueError(f"episodes start in state {state}, which P also enters with `terminated` set: {remedy}")
    # Tables list states that no episode visits (Taxi has 100); their transitions do not matter.
    on = ~terminated & (rows[0] != rows[2])
    steps = list(zip(rows[0][on].tolist(), rows[2][on].tolist()))
    visited = _visited(p0, ends, steps)
    both = sorted({to for state, to in steps if to in ends and state in visited})
    if both:
        raise ValueError(f"P enters state {both[0]} both with `terminated` set and without: {remedy}")


def _visited(p0: Floats, ends: set[int], steps: list[tuple[int, int]]) -> set[int]:
    """The states that an episode can visit before it ends."""
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


def _start(env: Any, n_states: int, given: Any) -> Floats:
    if given is not None:
        states, p = from_tables.start(given, n_states)
        bad = np.flatnonzero((states < 0) | (states >= n_states))
        if len(bad):
            raise ValueError(f"start has state {states[bad[0]]}: there are {n_states} (0 to {n_states - 1})")
        p0 = np.zeros(n_states)
        p0[states] = p
        return p0
    known = getattr(env, "initial_state_distrib", getattr(env, "isd", None))
    if known is None:
        remedy = "give start, the probability of each first state"
        raise ValueError(f"{type(env).__name__} has no `initial_state_distrib`: {remedy}")
    return floats(f"{type(env).__name__}.initial_state_distrib", known, n_states)


def _offered(env: Any, n_states: int, n_actions: int) -> Any:
    mask = getattr(env, "action_mask", None)
    if mask is None:
        raise ValueError(f"{type(env).__name__} has no `action_mask(state)`: call without action_masks")
    return np.array([mask(state) for state in range(n_states)], dtype=bool).reshape(n_states, n_actions)


def _added_up(rows: Rows, rewards: Floats) -> tuple[Rows, Floats]:
    """P may list a next state twice for one action (a step into a wall): their probabilities add up.

    Its reward is then the mean.
    """
    source, action, target, p = rows
    unique, inverse = np.unique(np.stack([source, action, target]), axis=1, return_inverse=True)
    total, paid = np.zeros(unique.shape[1]), np.zeros(unique.shape[1])
    np.add.at(total, np.reshape(inverse, -1), p)
    np.add.at(paid, np.reshape(inverse, -1), p * rewards)
    return (unique[0], unique[1], unique[2], total), paid / total


def _grid(env: Any, n_states: int) -> tuple[int, int] | None:
    shape: Any = getattr(env, "shape", None) or (getattr(env, "nrow", None), getattr(env, "ncol", None))
    if not isinstance(shape, (tuple, list)) or len(shape) != 2 or not all(isinstance(side, (int, np.integer)) for side in shape):
        return None
    return (int(shape[0]), int(shape[1])) if shape[0] * shape[1] == n_states else None
