"""The model that answers queries: an MDP, weights, and the set of paths."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

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

__all__ = ["OF_A_SEARCH", "FittedModel", "NotFittedError"]

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
    threads: int | None
    memory: int | None
    _record: dict[str, Any]

    def _fitted(self) -> None:
        if not hasattr(self, "theta_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(mdp, demonstrations) first")

    @property
    def reward_(self) -> Floats:
        """The learned reward of each state. `mdp_.transition_reward(theta_)` has that of choices and transitions."""
        self._fitted()
        return self.mdp_.reward(self.theta_)

    def with_paths(self, *, ends: Ends | None = None, horizon: Horizon | None = None) -> Self:
        """A copy with the same reward over another set of paths.

        A model that was learned from paths that end anywhere can then be asked for paths to a destination, or longer
        ones.
        """
        self._fitted()
        other = copy.copy(self)
        other.ends_ = self.ends_ if ends is None else ends
        other.horizon_ = self.horizon_ if horizon is None else horizon_of(horizon)
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
        rewards = self.mdp_._native.reward(self.theta_)
        most = self.horizon_ if horizon is None else horizon_of(horizon)
        return _native.PathModel(self.mdp_._native, rewards, most, str(self.ends_), self.chance_, self._memory())

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
