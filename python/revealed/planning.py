"""What somebody with a known reward does: optimal policies and their episodes, to make demonstrations and to judge a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _native
from ._columns import Floats, count, floats, number, reals
from .world import World

if TYPE_CHECKING:
    from .demonstrations import Trajectories

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


class Planned(World):
    """A world that can be planned in, and rolled out."""

    __slots__ = ()

    def plan(
        self,
        theta: Any = None,
        *,
        temperature: float | None = None,
        discount: float | None = None,
        at_terminal: AtTerminal = "ends",
        paid: Paid = "in-state",
        tolerance: float = 1e-10,
        max_iter: int = 100_000,
        threads: int | None = None,
    ) -> Plan:
        """The optimal policy of the reward of theta (of `true_theta` unless given), by modified policy iteration.

        With `temperature`, a Boltzmann policy over the optimal action values instead. Terminal states end an episode, or keep
        paying; a state's reward is paid in it, or on arrival (as Gymnasium does: then that of the first state is not paid).

        >>> import revealed
        >>> lake = revealed.worlds.frozen_lake(discount=0.99)
        >>> plan = lake.plan(paid="on-arrival")
        >>> round(float(plan.value[0]), 4), int(plan.policy[0].argmax())
        (0.542, 0)
        """
        chosen = settings(discount, at_terminal, paid, tolerance, max_iter, threads)
        rewards = self._native.reward(self._theta(theta))
        heat = None if temperature is None else number("temperature", temperature)
        value, policy, bound, iterations, converged = _native.plan(self._native, *rewards, heat, chosen)
        return Plan(value, by_table(self._native, policy), bound, iterations, converged)

    def policy_value(
        self,
        policy: Any,
        theta: Any = None,
        *,
        discount: float | None = None,
        at_terminal: AtTerminal = "ends",
        paid: Paid = "in-state",
        threads: int | None = None,
    ) -> Floats:
        """What each state is worth to somebody who follows a policy (n_states, n_actions), under the reward of theta."""
        chosen = settings(discount, at_terminal, paid, 1e-10, 100_000, threads)
        rewards = self._native.reward(self._theta(theta))
        return _native.policy_values(self._native, *rewards, by_choices(self._native, policy), chosen)

    def rollouts(self, policy: Any, n: int, *, max_states: int = 1000, seed: int = 0) -> Trajectories:
        """Episodes of a policy (n_states, n_actions), from p0 to a terminal state or to `max_states` states."""
        from .demonstrations import Trajectories

        sizes = count("n", n, least=0), count("max_states", max_states), count("seed", seed, least=0)
        return Trajectories._of(_native.rollouts(self._native, by_choices(self._native, policy), *sizes))

    def compare(
        self,
        theta: Any,
        truth: Any = None,
        *,
        discount: float | None = None,
        at_terminal: AtTerminal = "ends",
        paid: Paid = "in-state",
        threads: int | None = None,
    ) -> Recovery:
        """How much is lost by acting on the reward of theta where that of `truth` (`true_theta` unless given) is true."""
        chosen = settings(discount, at_terminal, paid, 1e-10, 100_000, threads)
        learned = self._native.reward(floats("theta", theta, self.n_features))
        return Recovery(*_native.recovery(self._native, self._native.reward(self._theta(truth)), learned, chosen))

    def _theta(self, theta: Any) -> Floats:
        if theta is not None:
            return floats("theta", theta, self.n_features)
        known = self.true_theta
        if known is None:
            raise ValueError("this world has no true_theta: give theta")
        return known
