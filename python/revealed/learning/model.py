"""A learned model: the attributes of a fit, its scores and standard errors, and its file."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from ..demonstrations.partial import PartialTrajectories
from ..demonstrations.trajectories import Trajectories
from ..demonstrations.trips import trip_column
from ..display.progress import Counter
from ..engines.engine import Engine
from ..inputs.columns import Floats, listed
from ..inputs.numbers import count, number
from ..inputs.options import Chance, Ends, Horizon
from ..mdp.demonstrations import check_mdp, native_demonstrations, trajectories_in
from ..mdp.mdp import Mdp
from ..questions.completion import native_partial
from ..questions.questions import Questions
from .counterfactual import Counterfactual, scenario_of, trips_of
from .files import model_file
from .search import SearchingEstimator
from .summary import Summary
from .worlds import native_worlds, same_names, several, worlds_of

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LearnedModel"]


class LearnedModel(SearchingEstimator, Questions):
    """An estimator after its fit."""

    worlds_: list[Mdp]
    discount: float | None

    def _set(self, worlds: list[Mdp], theta: Floats, record: dict[str, Any], null_directions: list[str]) -> None:
        self._set_search(theta, record)
        self.worlds_ = worlds
        self.__dict__.pop("mdp_", None)
        if len(worlds) == 1:
            self.mdp_ = worlds[0]
        self.horizon_: Horizon = record["horizon"]
        self.ends_: Ends = record["ends"]
        self.inference_: str = record["inference"]
        self.chance_: Chance = record["chance"]
        self.log_likelihood_: float = record["log_likelihood"]
        self.notes_: list[str] = record["notes"]
        self.null_directions_ = null_directions

    if not TYPE_CHECKING:  # A type checker would let every name pass.

        def __getattr__(self, name: str) -> Any:
            # Only called where there is no such attribute.
            if name == "mdp_" and "worlds_" in self.__dict__:
                n = len(self.worlds_)
                raise AttributeError(f"the model was learned in {n} worlds: ask irl.in_world(world), with one of irl.worlds_")
            if isinstance(getattr(type(self), name, None), property):
                self._fitted()
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def in_world(self, world: Mdp | int) -> Self:
        """The model in one world, where it answers questions: one of `worlds_`, by number, or any with the same features.

        >>> import revealed
        >>> rows = [0, 0], [0, 1], [1, 2], [1, 1]
        >>> is_left = revealed.Features(state=[[0.0], [1.0], [0.0]], names=["left"])
        >>> fork = revealed.Mdp(3, 2, transitions=rows, start=0, terminal=[1, 2], features=is_left)
        >>> left, right = [(0, 0), (1, None)], [(0, 1), (2, None)]
        >>> irl = revealed.MaxEntIRL(ends="terminal").fit([(fork, [left, left, left]), (fork, [right])])
        >>> irl.in_world(0).predict_path(0).states.tolist()
        [0, 1]
        """
        self._fitted()
        self._refuse_history("other worlds")
        mdp = self.worlds_[count("world", world, least=0, most=len(self.worlds_) - 1)] if isinstance(world, int) else world
        check_mdp(mdp)
        same_names("the world", self._feature_names(), mdp, "the model", len(self.theta_))
        found = copy.copy(self)
        found.__dict__.pop("mdp_", None)
        found.worlds_, found.mdp_ = [mdp], mdp
        return found

    def _feature_names(self) -> list[str]:
        return self.worlds_[0].feature_names

    def _notes(self) -> list[str]:
        return self.notes_

    def summary(
        self,
        demonstrations: Any,
        *,
        level: float = 0.95,
        errors: Literal["model", "robust"] | None = None,
        cluster: Any = None,
        sample_weight: Any = None,
        engine: Engine | None = None,
        groups: int = 1,
    ) -> Summary:
        """A table with standard errors. The demonstrations are those that the model was learned from.

        Parameters
        ----------
        demonstrations
            Anything that `Trajectories` takes, or `PartialTrajectories`. With several worlds, the pairs (Mdp,
            demonstrations) of the fit.
        level : float
            The confidence level of the intervals.
        errors : "model" or "robust", optional
            The errors of the z-values, p-values and intervals. Those of the model assume that it is right. The robust
            ones (sandwich) do not. By default "model", and "robust" with `cluster`.
        cluster : str or vector, optional
            Robust errors then let demonstrations of one cluster depend on each other: "origin-destination" for those
            with the same first and last state, the name of a column of `Trajectories.trip`, or a label for each
            demonstration. They need many clusters.
        sample_weight : vector, optional
            The weight of each demonstration.
        engine, groups : optional
            As `fit` takes them.
        """
        self._fitted()
        self._refuse_history("standard errors")
        if isinstance(demonstrations, PartialTrajectories):
            if sample_weight is not None or engine is not None or not (cluster is None or isinstance(cluster, str)):
                problem = "with PartialTrajectories, weights and columns of trips are theirs"
                raise ValueError(f"{problem}: give no sample_weight and no engine, and a name as cluster")
            kind = errors or ("model" if cluster is None else "robust")
            native = native_partial(self.mdp_, demonstrations)
            return Summary(self._summarised_partial(native, number("level", level), kind, cluster))
        if several(demonstrations):
            worlds = worlds_of(demonstrations, sample_weight, self.discount)
        else:
            worlds = [(self.mdp_, trajectories_in(self.mdp_, demonstrations, sample_weight))]
        if len(worlds) != len(self.worlds_):
            raise ValueError(f"the model was learned in {len(self.worlds_)} worlds, and {len(worlds)} are given: give those")
        if cluster is not None and not isinstance(cluster, str):
            if len(worlds) > 1:
                raise ValueError("with several worlds, cluster is the name of a column of Trajectories.trip")
            (world, paths), n = worlds[0], len(worlds[0][1])
            worlds = [(world, Trajectories(paths, trip={**paths.trip, "cluster": trip_column("cluster", cluster, n)}))]
            cluster = "cluster"
        if self.log_likelihood_ is None:
            problem = "these weights were not learned over these paths"
            raise ValueError(f"{problem}: fit(mdp, demonstrations) to have standard errors")
        reported = errors or ("model" if cluster is None else "robust")
        natives = native_worlds(worlds)
        ask = self._placed(engine, worlds, groups, self._settings(worlds[0][0]))
        return Summary(self._summarised(natives, number("level", level), reported, cluster, ask))

    def _settings(self, mdp: Mdp, start: Any = None) -> dict[str, Any]:
        raise NotImplementedError

    def _placed(
        self, engine: Engine | None, worlds: list[tuple[Mdp, Trajectories]], groups: int, settings: dict[str, Any]
    ) -> Callable[[str], list[str]] | None:
        raise NotImplementedError

    def _summarised(
        self,
        worlds: list[tuple[_native.Problem, _native.Demonstrations]],
        level: float,
        errors: str = "model",
        cluster: str | None = None,
        ask: Callable[[str], list[str]] | None = None,
    ) -> dict[str, Any]:
        """The record of the model with standard errors."""
        asked = level, errors, cluster, self._threads(), self._memory()
        with Counter(self.progress, "standard errors") as counter:
            summarised = _native.summarise(worlds, ask, json.dumps(self._record), *asked, counter)
        assert summarised is not None  # the counter never asks to stop
        record: dict[str, Any] = json.loads(summarised)
        return record

    def _summarised_partial(
        self,
        demonstrations: _native.PartialDemonstrations,
        level: float,
        errors: str = "model",
        cluster: str | None = None,
    ) -> dict[str, Any]:
        """The same for demonstrations that were seen in part."""
        asked = level, errors, cluster, self._threads(), self._memory()
        with Counter(self.progress, "standard errors") as counter:
            model = json.dumps(self._record)
            summarised = _native.summarise_partial(self.mdp_._native, demonstrations, model, *asked, counter)
        assert summarised is not None  # the counter never asks to stop
        record: dict[str, Any] = json.loads(summarised)
        return record

    def counterfactual(
        self,
        scenario: Mapping[str, Any] | None = None,
        *,
        summary: Summary | None = None,
        world: Mdp | None = None,
        outcomes: Sequence[str] = (),
        flows: int = 5,
        elasticities: Sequence[str | int] = (),
        ratios: Sequence[str] = (),
        trips: Any = None,
        start: Any = None,
        to: Any = None,
        travellers: float | None = None,
        level: float = 0.95,
        robust: bool = False,
    ) -> Counterfactual:
        """What would change in another world, with the same weights, and with intervals from their standard errors.

        Parameters
        ----------
        scenario : dict, optional
            The changes, with the fields of a scenario file: `close` (states), `close_transitions`, `forbid_actions`,
            `forbid_choices`, `outcomes`, `scale_feature`, `change_feature`, `add_reward`.
        summary : Summary, optional
            The standard errors, from `summary(demonstrations)`. A model that was read from a file may have its own.
        world : Mdp, optional
            Another world to compare with, with the same states and features. The changes are made to it.
        outcomes : list of str, optional
            "length", "length-variance", "reward", "logsum", "visits:S", "end:S", "transition:S,A,S", "feature:NAME" or
            "surplus:NAME" (the logsum in units of a cost). By default lengths, rewards, the logsum and the features.
        flows : int
            How many states to add, those whose visits change most.
        elasticities : list of features, optional
            Point elasticities of the outcomes by these features.
        ratios : list of str, optional
            Ratios of weights, such as the value of time: "time/price".
        trips : list of (from, to) or (from, to, weight), or Trajectories, optional
            The demand: outcomes are means over these trips, given their ends. A model with ends = "goal" needs them, or
            `to`.
        start, to : optional
            Where paths begin and end, if there are no trips.
        travellers : float, optional
            Visits, transitions and ends are multiplied by it; by default 1, or the sum of the weights of the trips.
        level : float
            The confidence level of the intervals.
        robust : bool
            Whether to use the robust covariance.

        Examples
        --------
        >>> import revealed
        >>> roads = [(0, 0, 1, 1.0), (0, 1, 2, 1.0), (1, 0, 3, 1.0), (2, 0, 3, 1.0)]
        >>> minutes = revealed.Features(state=[[0.0], [10.0], [20.0], [0.0]], names=["minutes"])
        >>> mdp = revealed.Mdp(4, 2, transitions=tuple(zip(*roads)), start=0, terminal=[3], features=minutes)
        >>> short, long = [(0, 0), (1, 0), (3, None)], [(0, 1), (2, 0), (3, None)]
        >>> trips = [short, short, short, long]
        >>> irl = revealed.MaxEntIRL(ends="terminal").fit(mdp, trips)
        >>> closed = irl.counterfactual({"close": [1]}, summary=irl.summary(trips), outcomes=["feature:minutes"])
        >>> round(closed["feature:minutes"].difference.value, 4)
        7.5
        """
        self._fitted()
        self._refuse_history("counterfactuals")
        model = self._record if summary is None else summary._model
        if model.get("summary") is None:
            raise ValueError("intervals need standard errors: give summary=irl.summary(demonstrations)")
        request: dict[str, Any] = {
            "scenario": None if scenario is None else scenario_of(self.mdp_, scenario),
            "outcomes": [str(outcome) for outcome in listed("outcomes", outcomes)],
            "flows": count("flows", flows, least=0),
            "elasticities": [str(feature) for feature in listed("elasticities", elasticities)],
            "ratios": [str(ratio) for ratio in listed("ratios", ratios)],
            "trips": trips_of(self.mdp_, trips),
            "start": None if start is None else self._first(start),
            "to": self._to(to),
            "level": number("level", level),
            "robust": bool(robust),
        }
        total = sum(trip["weight"] for trip in request["trips"]) if request["trips"] else 1.0
        request["travellers"] = number("travellers", total if travellers is None else travellers)
        other = None if world is None else world._native
        work = self._threads(), self._memory()
        with Counter(self.progress, "counterfactual") as counter:
            found = _native.counterfactual(self.mdp_._native, json.dumps(dict(model)), other, json.dumps(request), *work, counter)
        assert found is not None  # the counter never asks to stop
        return Counterfactual(json.loads(found[0]), found[1])

    def score(self, mdp: Any, demonstrations: Any = None, sample_weight: Any = None) -> float:
        """The mean log-likelihood of demonstrations in the MDP of the fit; higher is better.

        `score(demonstrations)` and `score(mdp, demonstrations)` are the same: the MDP is always that of the fit. A list of
        pairs (Mdp, demonstrations) has the mean over all demonstrations. Without a `horizon`, the model has that of the
        longest demonstration that it was learned from. If one is longer here, they are scored with its horizon: held-out
        paths are not impossible for being long.
        """
        self._fitted()
        if several(mdp) and demonstrations is None:
            worlds = worlds_of(mdp, sample_weight, self.discount)
            weights = [float(paths.weights.sum()) for _, paths in worlds]
            each = [self.in_world(world).score(paths) if weight else 0.0 for (world, paths), weight in zip(worlds, weights)]
            return float(np.average(each, weights=weights))
        paths = trajectories_in(self.mdp_, mdp if demonstrations is None else demonstrations, sample_weight)
        counts = paths.weights > 0.0
        if not counts.any():
            raise ValueError("no demonstration has a weight above 0: there is nothing to score")
        scored, longest = self, int(paths.lengths[counts].max())
        if self._horizon_is_theirs and isinstance(self.horizon_, int) and longest > self.horizon_:
            scored = self.with_paths(horizon=longest)
        return float(np.average(scored.score_samples(paths[counts]), weights=paths.weights[counts]))

    @property
    def _horizon_is_theirs(self) -> bool:
        """Whether nobody chose a horizon, so that it is that of the longest demonstration."""
        return self.horizon is None

    def report(self, path: str | os.PathLike[str], demonstrations: Any = None, *, sample_weight: Any = None) -> None:
        """Write a page of the model (.html) that opens in a browser, without a network.

        It shows what was learned, how well it fits and the world. That of a small world contains the engine: one can
        move weights, ask for paths and learn from other demonstrations in it. `revealed report` writes the same page.

        Parameters
        ----------
        path : path
            Where to write it.
        demonstrations : optional
            Anything that `Trajectories` takes: those that the model was learned from, or others that it is to explain.
            Without them, the page cannot say how well the model fits.
        sample_weight : vector, optional
            The weight of each demonstration.
        """
        self._fitted()
        page = os.fspath(path)
        if not page.lower().endswith(".html"):
            raise ValueError(f"path is {page!r}: a page is an .html file, give it that extension")
        demos = None if demonstrations is None else native_demonstrations(self.mdp_, demonstrations, sample_weight)
        title = f"A model of {type(self).__name__}, written by Python"
        _native.report(self.mdp_._native, json.dumps(self._record), demos, title, page, self.threads, self.memory)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file (.json) that the command line reads."""
        self._fitted()
        _native.save_model(model_file(path), json.dumps(self._record))
