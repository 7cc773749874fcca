"""The model that answers queries: an MDP, weights, and the set of paths."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Floats, Integers
from ..inputs.numbers import optional_count
from ..inputs.options import Chance, Ends, Horizon, horizon_of
from ..mdp.demonstrations import trajectories_in
from ..mdp.mdp import Mdp

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["OF_A_SEARCH", "FittedModel", "MarginalKind", "NotFittedError"]

MarginalKind = Literal["state", "state-action", "transition"]

# What only a search can tell, as model files name it, and what the estimator names it if that differs.
OF_A_SEARCH = ("log_likelihood", "converged", "stopped_because", "gradient_norm", "iterations", "evaluations")
_ATTRIBUTE = {"iterations": "n_iter", "evaluations": "n_evaluations"}


class NotFittedError(ValueError, AttributeError):
    """A model was used before it was fitted."""


class FittedModel:
    """The attributes that a fit sets, and the models of the engine that answer queries."""

    mdp_: Mdp
    theta_: Floats
    horizon_: Horizon
    ends_: Ends
    inference_: str
    chance_: Chance
    horizon: Horizon | None
    threads: int | None
    memory: int | None
    _record: dict[str, Any]

    def _fitted(self) -> None:
        if not hasattr(self, "theta_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(mdp, demonstrations) first")

    @property
    def reward_(self) -> Floats:
        """The learned reward of each state from the features of states; `reward(of)` has that of choices and transitions."""
        self._fitted()
        self._refuse_history("reward of states alone")
        return self.mdp_.reward(self.theta_)

    def reward(self, of: MarginalKind = "state") -> Floats:
        """The learned reward of states, choices or transitions, whatever the features are.

        With `of="transition"` it is that of each transition, in the order of `Mdp.transitions`: of being in its state, of
        the choice, and of the transition itself. With `of="state-action"` it is the mean over the outcomes of a choice,
        as an array (n_states, n_actions); NaN for actions that a state does not offer. With `of="state"` it is the mean
        over the choices of the model (see `policy`), which is `reward_` if only states have features; for a terminal
        state it is `reward_`. The reward of a path is the sum over its transitions, plus `reward_` of its last state.

        >>> import numpy as np, revealed
        >>> price = revealed.Features(state_action=[[[1.0], [3.0]], [[0.0], [0.0]]], names=["price"])
        >>> shop = revealed.Mdp(2, 2, transitions=([0, 0], [0, 1], [1, 1], [1, 1]), start=0, terminal=[1], features=price)
        >>> model = revealed.MaxEntIRL.from_theta(shop, [-1.0], horizon=2, ends="terminal")
        >>> model.reward("state-action")[0].tolist()
        [-1.0, -3.0]
        """
        self._fitted()
        self._refuse_history("reward of states or steps alone")
        if of not in get_args(MarginalKind):
            raise ValueError(f"of is {of!r}: it must be one of {', '.join(map(repr, get_args(MarginalKind)))}")
        own, along = self.mdp_._native.reward(self.theta_)
        source, action, _, p = self.mdp_.transitions
        paid: Floats = own[source] + (along if len(along) else 0.0)
        if of == "transition":
            return paid
        if of == "state" and not along.any():
            return own
        table = np.full((self.mdp_.n_states, self.mdp_.n_actions), np.nan)
        table[source, action] = 0.0
        np.add.at(table, (source, action), p * paid)
        if of == "state-action":
            return table
        choice, _ = self._path_model().policy(self._first(None), None, None, self._threads())
        states, actions = self.mdp_._native.choices()
        mean = np.zeros(self.mdp_.n_states)
        np.add.at(mean, states, choice * table[states, actions])
        acts = np.isin(np.arange(self.mdp_.n_states), states)
        return np.where(acts, mean, own)

    def with_paths(self, *, ends: Ends | None = None, horizon: Horizon | None = None) -> Self:
        """A copy with the same reward over another set of paths.

        A model that was learned from paths that end anywhere can then be asked for paths to a destination, or longer
        ones.
        """
        self._fitted()
        other = copy.copy(self)
        other.ends_ = self.ends_ if ends is None else ends
        other.horizon_ = self.horizon_ if horizon is None else horizon_of(horizon)
        if horizon is not None:
            other.horizon = other.horizon_  # somebody chose it: scores do not lengthen it
        # The reward of a recursive logit over other paths is that of an exact model.
        if self.inference_ == "recursive-logit" and (other.ends_, other.horizon_) != ("goal", "any"):
            other.inference_ = "exact"
        paths = {"inference": other.inference_, "ends": other.ends_, "horizon": other.horizon_}
        # What the search found holds only for the paths that it was over.
        other._record = {**self._record, **paths, **dict.fromkeys(OF_A_SEARCH)}
        for name in OF_A_SEARCH:
            setattr(other, f"{_ATTRIBUTE.get(name, name)}_", None)
        other._path_model()
        return other

    def _path_model(self, horizon: Horizon | None = None) -> _native.PathModel:
        self._fitted()
        most = self.horizon_ if horizon is None else horizon_of(horizon)
        if self._record.get("history"):
            record = json.dumps({"format": "revealed-model/1", **self._record, "horizon": most, "ends": str(self.ends_)})
            return _native.PathModel.with_history(self.mdp_._native, record, most, str(self.ends_), self._memory())
        rewards = self.mdp_._native.reward(self.theta_)
        return _native.PathModel(self.mdp_._native, rewards, most, str(self.ends_), self.chance_, self._memory())

    def _refuse_history(self, what: str) -> None:
        if self._record.get("history"):
            raise ValueError(f"a model with a history has no {what}: ask it about paths, visits or policy_after(path)")

    def _memory(self) -> int | None:
        return optional_count("memory", self.memory)

    def _threads(self) -> int | None:
        return optional_count("threads", self.threads)

    def _to(self, to: Any) -> int | None:
        return None if to is None else self.mdp_._state("to", to)

    def _first(self, start: Any) -> list[tuple[int, float]]:
        """The first states with their weights."""
        return self.mdp_._weights("start", start)

    def _beginning(self, start: Any, prefix: Any) -> list[tuple[int, float]] | tuple[Integers, Integers]:
        """Where paths begin: the first states with their weights, or the states and actions of a prefix."""
        if prefix is None:
            return self._first(start)
        if start is not None:
            raise ValueError("give start or prefix, not both")
        return self._prefix(prefix)

    def _prefix(self, prefix: Any) -> tuple[Integers, Integers]:
        try:
            path = prefix if isinstance(prefix, Trajectories) else trajectories_in(self.mdp_, [prefix])
            if len(path) != 1:
                raise ValueError(f"the prefix has {len(path)} paths: give one")
        except (TypeError, ValueError) as error:
            raise type(error)(str(error).replace("demonstration 0", "the prefix")) from None
        return path.states, np.ascontiguousarray(path.actions[:-1])
