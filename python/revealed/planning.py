"""What somebody with a known reward does: optimal policies and their episodes, to make demonstrations and to judge a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from . import _native
from ._columns import Floats, count, number, reals

__all__ = ["Plan", "Recovery"]

AtTerminal = Literal["ends", "keeps-paying"]
Paid = Literal["in-state", "on-arrival"]


@dataclass(frozen=True, eq=False)
class Plan:
    """An optimal policy."""

    value: Floats
    """What each state is worth."""
    policy: Floats
    """pi(a | s) as an array (n_states, n_actions); rows of terminal states are 0."""
    error_bound: float | None
    """How far the values may be from the true ones; None where nothing can be said."""
    iterations: int
    """How often the policy was improved."""
    converged: bool
    """Whether the bound is below the tolerance."""


@dataclass(frozen=True)
class Recovery:
    """How much is lost by following a learned reward where another one is true."""

    inverse_learning_error: float
    """The sum over the states of what the learned reward's optimal policy loses."""
    expected_value_difference: float
    """The same, expected over the first state."""
    n_different: int
    """In how many states the two optimal policies differ."""


def settings(
    discount: float | None, at_terminal: str, paid: str, tolerance: float, max_iter: int, threads: int | None
) -> dict[str, Any]:
    """How to plan, as the engine takes it."""
    return {
        "discount": None if discount is None else number("discount", discount),
        "at_terminal": str(at_terminal),
        "paid": str(paid),
        "tolerance": number("tolerance", tolerance),
        "max_iterations": count("max_iter", max_iter),
        "threads": None if threads is None else count("threads", threads),
    }


def by_choices(problem: _native.Problem, policy: Any) -> Floats:
    """A table (n_states, n_actions) as the engine has it: a probability for each choice that there is."""
    n_states, n_actions = problem.sizes[:2]
    table = reals("policy", policy)
    if table.shape != (n_states, n_actions):
        raise ValueError(f"policy has shape {table.shape}: it must be ({n_states}, {n_actions}), a row for each state")
    states, actions = problem.choices()
    taken = np.ones((n_states, n_actions), dtype=bool)
    taken[states, actions] = False
    bad = np.argwhere(taken & (table != 0.0))
    if len(bad):
        state, action = bad[0]
        raise ValueError(f"policy[{state}, {action}] is {table[state, action]}: state {state} does not offer action {action}")
    return np.ascontiguousarray(table[states, actions], dtype=np.float64)


def by_table(problem: _native.Problem, choice: Floats) -> Floats:
    """The other way round."""
    table = np.zeros(problem.sizes[:2])
    states, actions = problem.choices()
    table[states, actions] = choice
    return table
