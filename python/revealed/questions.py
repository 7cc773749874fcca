"""What may be asked of a learned model: likely paths, destinations, lengths, samples, visits, policies, scores."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from . import _native, planning
from ._columns import Floats, Integers, count, floats
from .demonstrations import Trajectories, native_demonstrations
from .labelled import in_world
from .mdp import Mdp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .plot import What

__all__ = ["NotFittedError", "Path"]

Ends = Literal["anywhere", "horizon", "terminal", "goal"]
Self = TypeVar("Self", bound="Questions")
# What a search found, as model files call it, and what the estimator calls it where that differs.
_OF_THE_SEARCH = ("log_likelihood", "converged", "stopped_because", "gradient_norm", "iterations", "evaluations")
_ATTRIBUTE = {"iterations": "n_iter", "evaluations": "n_evaluations"}


class NotFittedError(ValueError, AttributeError):
    """A model was asked something before it was fitted."""


@dataclass(frozen=True, eq=False)
class Path:
    """A path and its weight."""

    states: Integers
    """s_1 ... s_l."""
    actions: Integers
    """a_1 ... a_(l-1)."""
    log_weight: float
    """log of q(tau) e^R(tau), without the probability of the first state.

    Less `value(to)` at the first state, it is the log-probability of the path, given its first and last state.
    """

    def __len__(self) -> int:
        return len(self.states)

    def pairs(self) -> list[tuple[int, int | None]]:
        """The path as `Trajectories` takes it: (state, action) pairs that end in (state, None)."""
        return list(zip(self.states.tolist(), [*self.actions.tolist(), None]))


class Questions:
    """The questions that `MaxEntIRL` answers once it is fitted.

    What you write is by label where the world has labels, and by number otherwise: `start`, `to`, the pairs of a prefix, lists
    and frames of demonstrations. Answers, and `Trajectories`, have numbers. `start` is a state, a mapping of states to weights,
    or a vector over the states; the world's own p0 unless given. A prefix is a path that was begun: (state, action) pairs that
    end in (state, None), or `Trajectories` of one path.
    """

    mdp_: Mdp
    theta_: Floats
    horizon_: int
    ends_: Ends
    inference_: str
    threads: int | None
    memory: int | None
    _record: dict[str, Any]

    def _fitted(self) -> None:
        if not hasattr(self, "theta_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(mdp, demonstrations) first")

    @property
    def reward_(self) -> Floats:
        """The learned reward of each state. That of choices and transitions is in `mdp_.transition_reward(theta_)`."""
        self._fitted()
        return self.mdp_.reward(self.theta_)

    def _model(self, horizon: int | None = None) -> _native.PathModel:
        self._fitted()
        if self.inference_ == "causal":
            raise ValueError("a causal model gives policies and no weights of paths: fit with inference='exact' to ask this")
        state, transition = self.mdp_._native.reward(self.theta_)
        most = self.horizon_ if horizon is None else count("horizon", horizon)
        return _native.PathModel(self.mdp_._native, state, transition, most, str(self.ends_), self._memory())

    def _causal(self, **given: Any) -> _native.CausalModel | None:
        """The model, if it is one of causal entropy, which is not conditioned on anything."""
        self._fitted()
        if self.inference_ != "causal":
            return None
        named = [name for name, value in given.items() if value is not None]
        if named:
            raise ValueError(
                f"{named[0]}: a causal model is not conditioned on anything: leave it out, or fit with inference='exact'"
            )
        state, transition = self.mdp_._native.reward(self.theta_)
        return _native.CausalModel(self.mdp_._native, state, transition, self.horizon_, self._memory())

    def with_paths(self: Self, *, ends: Ends | None = None, horizon: int | None = None) -> Self:
        """The same reward over another set of paths: a copy whose questions are about these.

        A model that was learned from paths that end anywhere can be asked for paths to a destination, longer ones, and so on.
        """
        self._fitted()
        if self.inference_ == "causal" and ends not in (None, "horizon"):
            raise ValueError(f"ends is {ends!r}: the paths of a causal model end at the horizon, or in a terminal state")
        other = copy.copy(self)
        # The reward of a recursive logit over paths of a horizon is an exact model's.
        if self.inference_ == "recursive-logit" and (ends is not None or horizon is not None):
            other.inference_ = "exact"
        other.ends_ = self.ends_ if ends is None else ends
        other.horizon_ = self.horizon_ if horizon is None else count("horizon", horizon)
        # What the search found holds for the paths that it was over.
        other._record = {
            **self._record,
            "inference": other.inference_,
            "ends": other.ends_,
            "horizon": other.horizon_,
            **dict.fromkeys(_OF_THE_SEARCH),
        }
        for name in _OF_THE_SEARCH:
            setattr(other, f"{_ATTRIBUTE.get(name, name)}_", None)
        if other.inference_ != "causal":
            other._model()
        return other

    def _memory(self) -> int | None:
        return None if self.memory is None else count("memory", self.memory)

    def _threads(self) -> int | None:
        return None if self.threads is None else count("threads", self.threads)

    def _to(self, to: Any) -> int | None:
        return None if to is None else self.mdp_._state("to", to)

    def _prefix(self, prefix: Any) -> tuple[Integers, Integers]:
        try:
            path = prefix if isinstance(prefix, Trajectories) else in_world(self.mdp_, [prefix])
            if len(path) != 1:
                raise ValueError(f"the prefix has {len(path)} paths: give one")
        except (TypeError, ValueError) as error:
            raise type(error)(str(error).replace("demonstration 0", "the prefix")) from None
        return path.states, np.ascontiguousarray(path.actions[:-1])

    @overload
    def predict_path(
        self,
        start: Any,
        to: Any = None,
        *,
        k: None = None,
        horizon: int | None = None,
        any_length: bool = False,
        loopless: bool = False,
    ) -> Path: ...
    @overload
    def predict_path(
        self,
        start: Any,
        to: Any = None,
        *,
        k: int,
        horizon: int | None = None,
        any_length: bool = False,
        loopless: bool = False,
    ) -> list[Path]: ...
    def predict_path(
        self,
        start: Any,
        to: Any = None,
        *,
        k: int | None = None,
        horizon: int | None = None,
        any_length: bool = False,
        loopless: bool = False,
    ) -> Path | list[Path]:
        """The likeliest path between two states (or distributions over states), or the `k` likeliest, best first.

        At most as many states as the model's horizon, unless another one is given or `any_length` is set.
        """
        model = self._model(horizon)
        begin, end = self.mdp_._weights("start", start), None if to is None else self.mdp_._weights("to", to)
        n = 1 if k is None else count("k", k)
        found = [Path(*path) for path in model.best_paths(begin, end, n, not any_length, bool(loopless), self._threads())]
        return found[0] if k is None else found

    def predict_paths(self, start: Any, to: Any, *, any_length: bool = False) -> list[Path | None]:
        """The likeliest path between each of many pairs of states, on a network that is prepared once; None where there is none.

        This is the fast way for thousands of pairs. `start` and `to` are vectors of states.
        """
        self._fitted()
        pairs = self.mdp_._states("start", start), self.mdp_._states("to", to)
        if len(pairs[0]) != len(pairs[1]):
            raise ValueError(f"start has {len(pairs[0])} states and to has {len(pairs[1])}: they must be pairs")
        found = _native.Routes(self._model(), not any_length, self._threads()).find(*pairs, self._threads())
        return [None if path is None else Path(*path) for path in found]

    def predict_destination(self, prefix: Any, *, prior: Any = None, follow: bool = False) -> Floats:
        """The probability of each state to be the last, given a path that was begun.

        `prior` is "model" (the model's own), "uniform", or a weight for each state; with ends = "goal" the model has none of its
        own, and it is uniform unless given. With `follow`, an array with a row for each state of the prefix: the posterior
        after it.
        """
        self._fitted()
        if prior is None:
            prior = "uniform" if self.ends_ == "goal" else "model"
        known = prior if isinstance(prior, str) else floats("prior", prior, self.mdp_.n_states)
        posterior = self._model().posterior(*self._prefix(prefix), known, bool(follow), self._threads())
        return posterior.reshape(-1, self.mdp_.n_states) if follow else posterior

    def lengths(self, start: Any = None, to: Any = None, *, prefix: Any = None) -> Floats:
        """The probability of each number of states: entry l is that of l states (entry 0 is 0)."""
        model, goal = self._model(), self._to(to)
        if prefix is None:
            first, p = model.lengths(self.mdp_._weights("start", start), goal, self._threads())
        elif start is None:
            first, p = model.lengths_after(*self._prefix(prefix), goal, self._threads())
        else:
            raise ValueError("give start or prefix, not both")
        return np.concatenate([np.zeros(first), p])

    def sample(self, n: int = 1, *, seed: int = 0, start: Any = None, to: Any = None, prefix: Any = None) -> Trajectories:
        """Exact samples of paths: from the world's start or yours, after a prefix, to a destination."""
        number_of, key = count("n", n, least=0), count("seed", seed, least=0)
        if (causal := self._causal(start=start, to=to, prefix=prefix)) is not None:
            return Trajectories._of(causal.sample(number_of, key, self._threads()))
        model, goal = self._model(), self._to(to)
        if prefix is None:
            columns = model.sample(self.mdp_._weights("start", start), goal, number_of, key, self._threads())
        elif start is None:
            columns = model.sample_after(*self._prefix(prefix), goal, number_of, key, self._threads())
        else:
            raise ValueError("give start or prefix, not both")
        return Trajectories._of(columns)

    def marginals(self, t: int | None = None, *, start: Any = None, to: Any = None) -> Floats:
        """The probability of each state at time t (from 1); without t, its expected discounted visits."""
        at = None if t is None else count("t", t)
        if (causal := self._causal(start=start, to=to)) is not None:
            return causal.marginals(at, self._threads())
        model = self._model()
        return model.marginals(self.mdp_._weights("start", start), self._to(to), at, self._threads())

    def value(self, to: Any = None) -> Floats:
        """log of the summed weight of all paths from each state: the soft value, or logsum. Minus infinity where none begins.

        Of a causal model, the expected reward and causal entropy from each state on.
        """
        if (causal := self._causal(to=to)) is not None:
            return causal.values(1, self._threads())
        return self._model().values(self._to(to), self._threads())

    def policy(self, t: int | None = None, *, start: Any = None, to: Any = None) -> Floats:
        """pi(a | s) as an array (n_states, n_actions): at time t, or the stationary projection.

        Rows of states where nothing can be done are 0. Where the model may stop or go on, the row is that of going on; `stopping`
        has the rest. States that it never visits have the reference policy, or a uniform one. The stationary projection is the
        policy with the same (undiscounted) share of visits. A causal model has a policy for each time, and needs t.
        """
        at = None if t is None else count("t", t)
        if (causal := self._causal(start=start, to=to)) is not None:
            if at is None:
                raise ValueError("t is None: a causal model has a policy for each time, so give t")
            return planning.by_table(self.mdp_._native, causal.policy(at, self._threads()))
        model = self._model()
        choice, _ = model.policy(self.mdp_._weights("start", start), self._to(to), at, self._threads())
        return planning.by_table(self.mdp_._native, choice)

    def stopping(self, t: int | None = None, *, start: Any = None, to: Any = None) -> Floats:
        """The probability to stop in each state, where the model is there: at time t, or of the stationary projection."""
        at = None if t is None else count("t", t)
        _, stop = self._model().policy(self.mdp_._weights("start", start), self._to(to), at, self._threads())
        return stop

    def score_samples(self, demonstrations: Any) -> Floats:
        """The log-likelihood of each demonstration; minus infinity where it is no path of the model.

        The recursive logit's is given the demonstration's own ends, among paths of any length.
        """
        self._fitted()
        native = native_demonstrations(self.mdp_, in_world(self.mdp_, demonstrations))
        if self.inference_ == "recursive-logit":
            return self._model().route_scores(native, self._threads())
        return (self._causal() or self._model()).scores(native, self._threads())

    def plot(
        self,
        what: What = "reward",
        *,
        t: int | None = None,
        start: Any = None,
        to: Any = None,
        demonstrations: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Axes:
        """A picture of what was learned, with matplotlib.

        `what` is "reward", "value" (see `value`), "visits" or "policy" (see `marginals` and `policy`: at time `t`, or over all
        times). The reward of a world whose features are those of choices or transitions is drawn for those. Further options are
        those of `Mdp.plot`.
        """
        from .plot import plot_learned

        self._fitted()
        return plot_learned(self, what, t, start, to, demonstrations, {"ax": ax, **options})

    def plot_visits_over_time(
        self, ts: Sequence[int] | None = None, *, start: Any = None, to: Any = None, **options: Any
    ) -> NDArray[Any]:
        """Small pictures of where paths are at the times `ts` (up to eight of them unless given), all in one scale.

        Returns the axes. Further options are those of `Mdp.plot`.
        """
        from .plot import plot_visits_over_time

        self._fitted()
        return plot_visits_over_time(self, ts, start, to, options)
