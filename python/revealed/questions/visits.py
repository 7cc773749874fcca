"""Questions about states and time: visits, values, policies, stopping."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..inputs.columns import Floats
from ..inputs.numbers import number, optional_count
from ..mdp.planning import table_of_choices
from .model import FittedModel, MarginalKind

__all__ = ["VisitQuestions"]


class VisitQuestions(FittedModel):
    """The queries about visits, values and policies."""

    def marginals(self, t: int | None = None, *, of: MarginalKind = "state", start: Any = None, to: Any = None) -> Floats:
        """The probability of each state at time t (from 1); without t, its expected discounted visits.

        With `of="state-action"` it is that of each action in each state, as an array (n_states, n_actions). With
        `of="transition"` it is that of each transition, in the order of `Mdp.transitions`. A path that ends at t has a
        state at t but no action, so the sum over the actions is smaller where paths end.
        """
        at, kind = optional_count("t", t), str(of)
        model = self._path_model()
        visits = model.marginals(self._first(start), self._to(to), at, kind, self._threads())
        return table_of_choices(self.mdp_._native, visits) if kind == "state-action" else visits

    def flows(self, trips: Iterable[Sequence[Any]]) -> Floats:
        """The expected visits to each state of trips (from, to) or (from, to, number of trips): an assignment.

        All trips follow the recursive logit with the weights of the model, and one elimination serves all of them.
        """
        return self._path_model().flows(self._trips(trips), self._threads())

    def flow_elasticities(self, trips: Iterable[Sequence[Any]], feature: str | int) -> Floats:
        """By how many per cent each flow of `flows(trips)` changes if a feature is 1 % larger everywhere.

        It is the derivative of the logarithm of the flow by the logarithm of the feature's weight, computed exactly; NaN
        where there is no flow.
        """
        found, number_of = self._trips(trips), self.mdp_._feature(feature)
        return self._path_model().flow_elasticities(found, self.theta_.tolist(), [number_of], self._threads())[0]

    def _trips(self, trips: Iterable[Sequence[Any]]) -> list[tuple[tuple[int, int], float]]:
        """Trips as the engine takes them."""
        self._fitted()
        if self.chance_ == "fixed":
            raise ValueError("flows are those of the recursive logit: a causal model has no weights of paths")
        found: list[tuple[tuple[int, int], float]] = []
        for at, trip in enumerate(trips):
            if len(trip) not in (2, 3):
                raise ValueError(f"trip {at} is {trip!r}: give (from, to) or (from, to, number of trips)")
            first, last = (self.mdp_._state(f"trip {at}: the state", state) for state in trip[:2])
            found.append(((first, last), number(f"trip {at}: the number of trips", trip[2]) if len(trip) == 3 else 1.0))
        if not found:
            raise ValueError("there are no trips: give at least one")
        return found

    def value(self, to: Any = None) -> Floats:
        """The soft value (logsum) of each state: the log of the summed weight of all paths from it.

        It is minus infinity where no path begins. For a causal model it is the expected reward plus the causal entropy
        from the state on.
        """
        return self._path_model().values(self._to(to), self._threads())

    def policy(self, t: int | None = None, *, start: Any = None, to: Any = None) -> Floats:
        """pi(a | s) as an array (n_states, n_actions): at time t, or the stationary projection.

        Rows of states without actions are 0. If the model may stop or continue, the row is conditional on
        continuing; `stopping` gives the probability of stopping. In states that the model never visits, the row is the
        reference policy, or a uniform one. The stationary projection is the policy with the same (undiscounted) share
        of visits. Without a horizon, the policy does not depend on t.
        """
        at = optional_count("t", t)
        choice, _ = self._path_model().policy(self._first(start), self._to(to), at, self._threads())
        return table_of_choices(self.mdp_._native, choice)

    def policy_after(self, prefix: Any, *, to: Any = None) -> Floats:
        """The probability of each action after a path, given that it goes on; with a history, the policy given the history.

        >>> import revealed
        >>> chain = revealed.worlds.linear_chain(3)
        >>> irl = revealed.MaxEntIRL.from_theta(chain, [0.0, 0.0, 5.0], horizon=3)
        >>> irl.policy_after([(0, 0), (1, None)]).tolist()
        [1.0]
        """
        states, actions = self._prefix(prefix)
        choice, _ = self._path_model().policy_after(states, actions, self._to(to), self._threads())
        found: Floats = table_of_choices(self.mdp_._native, choice)[states[-1]]
        return found

    def stopping(self, t: int | None = None, *, start: Any = None, to: Any = None) -> Floats:
        """The probability of stopping in each state, given that the model is there.

        It is that at time t, or by default that of the stationary projection.
        """
        at = optional_count("t", t)
        _, stop = self._path_model().policy(self._first(start), self._to(to), at, self._threads())
        return stop
