"""Planning with a known reward: optimal policies, their episodes, and how much a learned reward loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..display.cards import card
from ..inputs.columns import Floats, floats
from ..inputs.matrices import policy_table
from ..inputs.numbers import count, number, optional_count, optional_number
from ..inputs.seeds import Seed, seed_of
from .parts import MdpParts

__all__ = ["Plan", "PlannableMdp", "Recovery", "table_of_choices"]

AtTerminal = Literal["ends", "keeps-paying"]
Paid = Literal["in-state", "on-arrival"]


@dataclass(frozen=True, eq=False)
class Plan:
    """An optimal policy."""

    value: Floats
    """The value of each state."""
    policy: Floats
    """pi(a | s) as an array (n_states, n_actions); rows of terminal states are 0."""
    error_bound: float | None
    """A bound on the error of the values; None if there is none."""
    iterations: int
    """The number of policy improvements."""
    converged: bool
    """Whether the error bound is below the tolerance."""

    def _repr_html_(self) -> str:
        acting = self.policy.sum(axis=1) > 0.0
        several = int((np.count_nonzero(self.policy[acting], axis=1) > 1).sum())
        rows: list[tuple[str, Any]] = [
            ("states", f"{len(self.value):,}, of which {int(acting.sum()):,} act"),
            ("values", f"{self.value.min():.4g} to {self.value.max():.4g}"),
            ("more than one action", f"in {several:,} states"),
            ("policy improvements", f"{self.iterations:,}"),
            ("converged", "yes" if self.converged else "no"),
        ]
        if self.error_bound is not None:
            rows.append(("error of the values", f"at most {self.error_bound:.1e}"))
        return card("Plan", rows)


@dataclass(frozen=True)
class Recovery:
    """The loss of value from planning with a learned reward instead of the true one."""

    inverse_learning_error: float
    """The loss of the learned reward's optimal policy, summed over the states."""
    expected_value_difference: float
    """The same loss, averaged over the first state."""
    n_different: int
    """The number of states in which the two optimal policies differ."""


def _settings(
    discount: float | None, at_terminal: str, paid: str, tolerance: float, max_iter: int, threads: int | None
) -> dict[str, Any]:
    """Options of planning, as the engine takes them."""
    return {
        "discount": optional_number("discount", discount),
        "at_terminal": str(at_terminal),
        "paid": str(paid),
        "tolerance": number("tolerance", tolerance),
        "max_iterations": count("max_iter", max_iter),
        "threads": optional_count("threads", threads),
    }


def _policy_by_choices(problem: _native.Problem, policy: Any) -> Floats:
    """A policy (n_states, n_actions) as the engine has it: a probability for each action that a state offers."""
    n_states, n_actions = problem.sizes[:2]
    table = policy_table(policy, n_states, n_actions)
    states, actions = problem.choices()
    not_offered = np.ones((n_states, n_actions), dtype=bool)
    not_offered[states, actions] = False
    bad = np.argwhere(not_offered & (table != 0.0))
    if len(bad):
        state, action = bad[0]
        value = table[state, action]
        raise ValueError(f"policy[{state}, {action}] is {value}: state {state} does not offer action {action}")
    return np.ascontiguousarray(table[states, actions])


def table_of_choices(problem: _native.Problem, choice: Floats) -> Floats:
    """A number of each action that a state offers, as a table (n_states, n_actions); 0 for the others."""
    table = np.zeros(problem.sizes[:2])
    states, actions = problem.choices()
    table[states, actions] = choice
    return table


class PlannableMdp(MdpParts):
    """An MDP with the methods of planning."""

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
        """The optimal policy for the reward of theta (by default the true one), by modified policy iteration.

        With `temperature`, a Boltzmann policy over the optimal action values instead. `at_terminal` says whether a
        terminal state ends the episode or keeps paying its reward. `paid` says whether the reward of a state is paid in
        the state or on arrival; Gymnasium pays on arrival, so the first state pays nothing. A `true_reward` is that of
        transitions, and is paid when they are made.

        >>> import revealed
        >>> lake = revealed.worlds.frozen_lake(discount=0.99)
        >>> plan = lake.plan(paid="on-arrival")
        >>> round(float(plan.value[0]), 4), int(plan.policy[0].argmax())
        (0.542, 0)
        """
        chosen = _settings(discount, at_terminal, paid, tolerance, max_iter, threads)
        rewards = self._rewards(theta)
        noise = optional_number("temperature", temperature)
        value, policy, bound, iterations, converged = _native.plan(self._native, rewards, noise, chosen)
        return Plan(value, table_of_choices(self._native, policy), bound, iterations, converged)

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
        """The value of each state under a policy (n_states, n_actions) and the reward of theta, by default the true one.

        `discount`, `at_terminal` and `paid` are those of `plan`.
        """
        chosen = _settings(discount, at_terminal, paid, 1e-10, 100_000, threads)
        rewards = self._rewards(theta)
        return _native.policy_values(self._native, rewards, _policy_by_choices(self._native, policy), chosen)

    def rollouts(self, policy: Any, n: int, *, max_states: int = 1000, seed: Seed = 0) -> Trajectories:
        """Episodes of a policy (n_states, n_actions), from p0 to a terminal state or to `max_states` states."""
        sizes = count("n", n, least=0), count("max_states", max_states), seed_of(seed)
        return Trajectories._of(_native.rollouts(self._native, _policy_by_choices(self._native, policy), *sizes))

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
        """The loss of planning with theta where the reward of `truth` (by default the one that is known) is the true one.

        `discount`, `at_terminal` and `paid` are those of `plan`.
        """
        chosen = _settings(discount, at_terminal, paid, 1e-10, 100_000, threads)
        learned = self._native.reward(floats("theta", theta, self.n_features))
        return Recovery(*_native.recovery(self._native, self._rewards(truth), learned, chosen))

    def _rewards(self, theta: Any) -> tuple[Floats, Floats]:
        """The rewards of states and transitions: those of theta, or the true ones."""
        if theta is not None:
            return self._native.reward(floats("theta", theta, self.n_features))
        known = self.true_theta
        if known is not None:
            return self._native.reward(known)
        paid = self._extras.true_reward
        if paid is None:
            raise ValueError("this MDP has no true_theta and no true_reward: give theta")
        return np.zeros(self.n_states), paid
