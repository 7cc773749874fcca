"""MaxEntIRL: learns the reward of a known MDP from demonstrations."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from .. import _native
from ..demonstrations.partial import PartialTrajectories
from ..demonstrations.trajectories import Trajectories
from ..display.progress import Callback, Counter, Watcher
from ..engines.engine import Engine
from ..engines.partition import WorldSource, divided
from ..inputs.columns import floats, listed
from ..inputs.numbers import count
from ..inputs.options import Bounds, Chance, Ends, Horizon, path_options, usual_ends
from ..inputs.seeds import Seed, seed_of
from ..mdp.demonstrations import check_mdp, native_demonstrations, trajectories_in
from ..mdp.mdp import Mdp
from ..questions.completion import native_partial
from ..questions.model import OF_A_SEARCH
from .checkpoint import Checkpoint
from .history import History, history_of
from .luck import LuckWarning
from .model import LearnedModel
from .search import first_theta
from .summary import Summary
from .validation import Validation
from .worlds import native_worlds, same_names, several, worlds_of

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["MaxEntIRL"]

Inference = Literal["exact", "ziebart2008", "ziebart2010", "causal", "causal-dual", "recursive-logit"]


class MaxEntIRL(LearnedModel):
    """Learn the reward that explains the demonstrations, and forecast.

    Parameters
    ----------
    bounds : (low, high), or one such pair for each feature, optional
        The range of theta; None in a pair means no bound. If no demonstration ever uses a feature, its weight goes to
        minus infinity unless bounds or `l2` stop it.
    l2 : float
        Subtracts `l2 / 2 * |theta|^2` from the mean log-likelihood.
    ends : {"anywhere", "horizon", "terminal", "goal"}, optional
        Where a path may end. The default is "anywhere", for causal models "horizon", for the recursive logit "goal". With
        "horizon" and `horizon="any"`, episodes of a causal model end only in terminal states, and demonstrations may be
        parts of episodes.
    discount : float, optional
        gamma in place of that of the MDP.
    inference : {"exact", "ziebart2008", "ziebart2010", "causal", "causal-dual", "recursive-logit"}
        Which model is learned, and how. "exact" is the model of the paper. "recursive-logit" is exact as well: paths
        have any length between the two ends of each demonstration, and it is fast on road networks. "causal" is the model
        for worlds with chance: the agent chooses its actions and not their outcomes. It is learned by maximum likelihood
        of the actions; "causal-dual" matches features instead. Ziebart's are baselines.
    horizon : int or "any", optional
        The largest number of states of a path; by default that of the longest demonstration. With "any" there is no
        largest number, which is the default for the recursive logit. It needs a discount of 1 and loops that cost enough;
        a causal model takes any discount.
    tolerance, max_iter : float, int
        The search ends when the gradient is below `tolerance`, or after `max_iter` iterations.
    threads : int, optional
        The number of threads; by default one for each core. Results do not depend on it.
    memory : int, optional
        The memory budget for messages in bytes; 2 GB by default. Results do not depend on it.
    progress : bool, optional
        Whether to show a tqdm bar. By default it is shown in a notebook or terminal when a fit takes more than a
        second.
    mdp : Mdp, optional
        The MDP, for `fit(demonstrations)` without one, as scikit-learn's searches call it.
    standard_errors : bool
        Whether `fit` also computes standard errors, which become `summary_`; `summary` computes them later.
    history : int or History, optional
        Features of the last states of a path and of the step that follows, besides those of the MDP. With a number k, there
        is an indicator of each step after each window of 1, ..., k states that occurs in the demonstrations. States stay
        what they are in every answer, and `policy_after` has the policy after a path.

    Attributes
    ----------
    theta_ : ndarray
        The learned weights.
    reward_ : ndarray
        The reward of each state.
    log_likelihood_ : float
        The mean log-likelihood of a demonstration.
    converged_ : bool
        Whether `theta_` is the optimum; `stopped_because_` gives the reason why the search ended.
    stopped_ : bool
        Whether a callback ended the search.
    summary_ : Summary
        The standard errors of `theta_`, with `standard_errors=True`. `save` writes them, too.
    notes_ : list of str
        Remarks that are needed to interpret `theta_`.
    n_iter_, n_evaluations_ : int
        The number of iterations and of likelihoods of the search.
    gradient_norm_ : float
        The largest component of the gradient among weights that are not held by a bound.
    horizon_, ends_, inference_, chance_, mdp_
        The settings and the MDP of the fit. `chance_` is "tilted" if the reward also makes lucky outcomes likelier, and
        "fixed" in causal models.

    Examples
    --------
    >>> import revealed
    >>> mdp = revealed.Mdp(3, 2, transitions=([0, 0], [0, 1], [1, 2], [1.0, 1.0]), start=0, terminal=[1, 2])
    >>> to_work, to_home = [(0, 1), (2, None)], [(0, 0), (1, None)]
    >>> irl = revealed.MaxEntIRL(ends="terminal").fit(mdp, [to_work, to_work, to_work, to_home])
    >>> round(float(irl.theta_[2] - irl.theta_[1]), 6)  # 3 of 4 go to work: log 3
    1.098612
    """

    def __init__(
        self,
        *,
        bounds: Bounds | None = None,
        l2: float = 0.0,
        ends: Ends | None = None,
        discount: float | None = None,
        inference: Inference = "exact",
        horizon: Horizon | None = None,
        tolerance: float = 1e-8,
        max_iter: int = 10_000,
        threads: int | None = None,
        memory: int | None = None,
        progress: bool | None = None,
        mdp: Mdp | None = None,
        standard_errors: bool = False,
        history: int | History | None = None,
    ) -> None:
        self.bounds = bounds
        self.l2 = l2
        self.ends = ends
        self.discount = discount
        self.inference = inference
        self.horizon = horizon
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.threads = threads
        self.memory = memory
        self.progress = progress
        self.mdp = mdp
        self.standard_errors = standard_errors
        self.history = history

    def _settings(self, mdp: Mdp, theta0: Any = None, n_features: int | None = None) -> dict[str, Any]:
        if not isinstance(self.inference, str):
            names = ", ".join(map(repr, get_args(Inference)))
            raise TypeError(f"inference is {self.inference!r}: it must be one of {names}")
        ends = self.ends if self.ends is not None else usual_ends(self.inference)
        return {
            "options": path_options(ends, self.horizon, self.threads, self.memory),
            "inference": self.inference,
            **self._search_settings(n_features or mdp.n_features, theta0),
            "history": None,
        }

    def _world(self, mdp: Any, demonstrations: Any) -> tuple[Mdp, Any]:
        """The MDP and the demonstrations. If the estimator has the MDP, the demonstrations are the first argument."""
        if demonstrations is None and not isinstance(mdp, Mdp) and self.mdp is not None:
            mdp, demonstrations = self.mdp, mdp
        check_mdp(mdp)
        if demonstrations is None:
            raise TypeError("there are no demonstrations: call fit(mdp, demonstrations)")
        return (mdp if self.discount is None else mdp.with_discount(self.discount)), demonstrations

    def fit(
        self,
        mdp: Any,
        demonstrations: Any = None,
        *,
        sample_weight: Any = None,
        theta0: Any = None,
        callback: Callback | None = None,
        engine: Engine | None = None,
        groups: int = 1,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        restarts: int = 0,
        seed: Seed = 0,
        start: Any = None,
    ) -> Self:
        """Learn theta from demonstrations in an MDP, or in several.

        Parameters
        ----------
        mdp : Mdp, or list of pairs (Mdp, demonstrations)
            The MDP. If the estimator was made with `mdp=`, give the demonstrations alone. With a list, one theta is
            learned from all worlds, which have the same features; `in_world` then asks the model in one of them.
        demonstrations
            Demonstrated paths: anything that `Trajectories` takes; or `PartialTrajectories`, if something of them was not
            seen.
        sample_weight : vector, optional
            The weight of each demonstration; with several worlds, a list of such vectors. If the demonstrations have weights
            of their own, it is an error.
        theta0 : vector, optional
            The weights where the search begins; 0 by default.
        callback : function of a Progress, optional
            It is called after each iteration, and ends the search by returning True; then `stopped_` is True.
        engine : Engine, optional
            Where the worlds are evaluated: `revealed.ray.RayEngine`, or an engine of `revealed.engines`. By default in
            this process. The result depends on `groups`, in the last digits, but not on the engine.
        groups : int
            With an engine and ends = "goal", divide the demonstrations of each world into so many parts.
        checkpoint : path of a model file, optional
            The model is written to it. While the search runs, `PATH.partial` has the weights so far, as on the command
            line.
        resume : bool
            Whether the search begins with the weights of the checkpoint, if there is one.
        restarts : int
            How many further searches to begin around the first, for `PartialTrajectories`: their likelihood may have
            several optima. The best is kept, and `notes_` says how many agree.
        seed : int
            The same seed gives the same restarts.
        start : vector, optional
            The old name of `theta0`.

        In a world with chance, a `LuckWarning` says how much of what a model of paths explains is luck. A
        `ConvergenceWarning` says that the search did not find the optimum.

        Ctrl-C raises KeyboardInterrupt: the estimator stays as it was, and `partial_theta_` has the last weights of the
        search, to continue from with `theta0=`. It is the same if an engine fails (EngineError).
        """
        theta0 = first_theta(theta0, start)
        if isinstance(demonstrations, PartialTrajectories) or isinstance(mdp, PartialTrajectories):
            elsewhere = (sample_weight, engine, checkpoint, resume or None)
            world, seen = self._world(mdp, demonstrations)
            return self._fit_partial(world, seen, elsewhere, theta0, callback, count("restarts", restarts, least=0), seed)
        if restarts != 0:
            raise ValueError("restarts are for PartialTrajectories: with whole demonstrations one search finds the optimum")
        worlds = self._worlds(mdp, demonstrations, sample_weight)
        natives = native_worlds(worlds)
        if resume and checkpoint is None:
            raise ValueError("there is nothing to resume: give checkpoint=, the path of the model file")
        windows, n_features = self._windows(worlds, natives, engine, checkpoint)
        saving = None
        if checkpoint is not None:
            longest = max(paths.longest for _, paths in natives)
            saving = Checkpoint(checkpoint, self._unfinished(worlds[0][0], longest))
            theta0 = saving.theta() if resume and theta0 is None else theta0
            callback = saving.watching(callback)
        settings = {**self._settings(worlds[0][0], theta0, n_features), "history": windows}
        ask = self._placed(engine, worlds, groups, settings)

        def search(watch: Watcher) -> tuple[Any, str, list[str], str | None, str | None]:
            return _native.fit(natives, settings, ask, watch, watch.every)

        theta, model, null_directions, circles, luck = self._watched(callback, search)
        if circles is not None:
            warnings.warn(circles, stacklevel=2)
        if luck is not None:
            warnings.warn(luck, LuckWarning, stacklevel=2)
        record = self._stopped_in(json.loads(model))
        self._set([world for world, _ in worlds], theta, record, null_directions)
        for stale in ("partial_theta_", "summary_"):
            self.__dict__.pop(stale, None)
        if self.standard_errors:
            self._record = self._summarised(natives, 0.95, ask=ask)
            self.summary_ = Summary(self._record)
        self._warn_unless_converged()
        if saving is not None:
            self.save(saving.path)
            saving.remove()
        return self

    def _windows(
        self, worlds: list[tuple[Mdp, Trajectories]], natives: Any, engine: Engine | None, checkpoint: Any
    ) -> tuple[str | None, int | None]:
        """The windows of the history, as a model file has them, and the number of all features."""
        if self.history is None:
            return None, None
        if len(worlds) != 1 or engine is not None:
            raise ValueError("a history needs one world in this process: give one MDP, and no engine")
        if self.standard_errors or checkpoint is not None:
            raise ValueError("a model with a history has no standard errors and no checkpoint: leave them out")
        mdp = worlds[0][0]
        windows = history_of(self.history, mdp, natives[0][1])
        assert windows is not None
        return windows, mdp.n_features + int(json.loads(windows)["n_features"])

    def _without_history(self, what: str) -> None:
        if self.history is not None:
            raise ValueError(f"a model with a history has no {what}: leave history out")

    def _fit_partial(
        self,
        mdp: Mdp,
        seen: PartialTrajectories,
        elsewhere: tuple[Any, ...],
        theta0: Any,
        callback: Callback | None,
        restarts: int,
        seed: Seed,
    ) -> Self:
        """The fit to demonstrations that were seen in part."""
        if any(given is not None for given in elsewhere):
            problem = "sample_weight, engine, checkpoint and resume are for demonstrations that were seen whole"
            raise ValueError(f"{problem}; PartialTrajectories have weights of their own")
        self._without_history("demonstrations that are seen in part")
        native, settings = native_partial(mdp, seen), self._settings(mdp, theta0)

        def search(watch: Watcher) -> tuple[Any, str, list[str]]:
            return _native.fit_partial(mdp._native, native, settings, 1 + restarts, seed_of(seed), watch, watch.every)

        theta, model, null_directions = self._watched(callback, search)
        self._set([mdp], theta, self._stopped_in(json.loads(model)), null_directions)
        for stale in ("partial_theta_", "summary_"):
            self.__dict__.pop(stale, None)
        if self.standard_errors:
            self._record = self._summarised_partial(native, 0.95)
            self.summary_ = Summary(self._record)
        self._warn_unless_converged()
        return self

    def _worlds(self, mdp: Any, demonstrations: Any, weights: Any) -> list[tuple[Mdp, Trajectories]]:
        """The worlds with their demonstrations."""
        if not several(mdp) or demonstrations is not None:
            world, given = self._world(mdp, demonstrations)
            return [(world, trajectories_in(world, given, weights))]
        return worlds_of(mdp, weights, self.discount)

    def _placed(
        self, engine: Engine | None, worlds: list[tuple[Mdp, Trajectories]], groups: int, settings: dict[str, Any]
    ) -> Callable[[str], list[str]] | None:
        """How the engine is asked; None if there is none."""
        if engine is None:
            if groups != 1:
                raise ValueError(f"groups is {groups}: only an engine divides worlds into groups, so give engine=")
            return None
        sources = [WorldSource(world, paths) for world, paths in worlds]
        engine.place(sources, divided(sources, settings, count("groups", groups)))
        return engine.evaluate

    def _unfinished(self, mdp: Mdp, longest: int) -> dict[str, Any]:
        """What a model file says before the search has ended."""
        options = self._settings(mdp)["options"]
        chance = "fixed" if self.inference.startswith("causal") else "tilted"
        horizon = options["horizon"]
        if horizon is None:
            horizon = "any" if self.inference == "recursive-logit" else longest
        known = {"names": mdp.feature_names, "problem_digest": mdp.digest, "discount": mdp.discount}
        return {"inference": self.inference, "chance": chance, "ends": options["ends"], "horizon": horizon, **known}

    def cross_validate(
        self,
        mdp: Any,
        demonstrations: Any = None,
        *,
        l2: Sequence[float] = (),
        folds: int = 5,
        seed: Seed = 0,
        group_identical: bool = False,
        sample_weight: Any = None,
    ) -> Validation:
        """Held-out log-likelihoods of several penalties. Each demonstration is scored by a fit that did not use it.

        `l2` has the penalties, by default the one of this estimator. The demonstrations are divided into `folds`, at
        random by `seed`. With `group_identical`, demonstrations that are the same path stay in one fold.
        """
        self._without_history("cross-validation of its own, because windows are chosen by all demonstrations")
        mdp, demonstrations = self._world(mdp, demonstrations)
        paths = native_demonstrations(mdp, demonstrations, sample_weight)
        penalties = floats("l2", listed("l2", l2)).tolist()
        chosen = penalties, count("folds", folds), seed_of(seed), bool(group_identical)
        with Counter(self.progress, "fits") as counter:
            found = _native.cross_validate(mdp._native, paths, self._settings(mdp), *chosen, counter)
        assert found is not None  # the counter never asks to stop
        best, simplest = (float(found["l2"][found[key]]) for key in ("best", "simplest"))
        fold_of = np.array([-1 if fold is None else fold for fold in found["fold_of"]], dtype=np.int64)
        names = ("l2", "held_out", "standard_error", "in_sample", "shortfall", "shortfall_error")
        return Validation(**{name: found[name] for name in names}, best_l2=best, simplest_l2=simplest, fold_of=fold_of)

    @classmethod
    def load(cls, path: str | os.PathLike[str], mdp: Mdp) -> Self:
        """Read a model file that was learned on this MDP. The discount is the one that it was learned with.

        If the model was learned on another MDP with the same number of features, it is read with a warning. The file
        does not contain `tolerance`, `max_iter`, `threads`, `memory` and `progress`: they have their default values.
        """
        check_mdp(mdp)
        record = json.loads(_native.load_model(os.fspath(path)))
        theta = floats("theta", record["theta"])
        history = record.get("history")
        of_windows = history["n_features"] if history else 0
        if len(theta) != mdp.n_features + of_windows:
            raise ValueError(
                f"{path}: theta has {len(theta)} entries, but the MDP has {mdp.n_features} features"
                + (f" and the history {of_windows}" if history else "")
            )
        if record.get("model_free") is not None:
            raise ValueError(f"{path}: this model was learned from rollouts: read it with ModelFreeIRL.load")
        if record.get("worlds"):
            same_names(str(path), record["names"], mdp)
        discount = record["discount"]
        settings = {name: record[name] for name in ("ends", "inference", "horizon", "bounds")}
        if history:
            windows = _native.history_of_table(mdp._native, json.dumps(history))
            settings["history"] = History(json.loads(windows)["order"])
        irl = cls(**settings, l2=record["l2"] or 0.0, discount=None if discount == mdp.discount else discount)
        if discount is not None and discount != mdp.discount:
            mdp = mdp.with_discount(discount)
        known = [world["problem_digest"] for world in record.get("worlds") or []] or [record["problem_digest"]]
        if known != [None] and mdp.digest not in known and not record.get("worlds"):
            warnings.warn(f"{path}: the model was learned on another MDP, or with other features", stacklevel=2)
        irl._set([mdp], theta, record, [])
        return irl

    @classmethod
    def from_theta(
        cls,
        mdp: Mdp,
        theta: Any,
        *,
        horizon: Horizon,
        ends: Ends | None = None,
        chance: Chance = "tilted",
        threads: int | None = None,
    ) -> Self:
        """A model with known weights, to sample from it or to ask it anything without learning.

        With `chance="fixed"` it is a causal model. By default paths end anywhere, those of a causal model at the horizon.
        Attributes of the search (`log_likelihood_`, `converged_`, ...) are None. To give a reward for each state in
        place of theta, make the model with `mdp.with_features(None)`.

        >>> import revealed
        >>> chain = revealed.worlds.linear_chain(3)
        >>> likes_the_end = revealed.MaxEntIRL.from_theta(chain, [0.0, 0.0, 5.0], horizon=3)
        >>> likes_the_end.predict_path(0).states.tolist()
        [0, 1, 2]
        """
        weights = floats("theta", theta, mdp.n_features)
        if chance not in get_args(Chance):
            raise ValueError(f"chance is {chance!r}: it must be 'tilted' or 'fixed'")
        inference: Inference = "causal" if chance == "fixed" else "exact"
        ends = ends if ends is not None else usual_ends(inference)
        record = {"theta": weights.tolist(), "inference": inference, "chance": chance, "notes": []}
        record |= path_options(ends, horizon, threads, None)
        record |= {"names": mdp.feature_names, "problem_digest": mdp.digest, "discount": mdp.discount}
        irl = cls(ends=ends, inference=inference, horizon=horizon, threads=threads)
        irl._set([mdp], weights, record | dict.fromkeys(OF_A_SEARCH), [])
        irl._path_model()  # which checks the weights
        return irl
