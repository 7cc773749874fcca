"""MaxEntIRL: learning, in the manner of scikit-learn."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from . import _native
from ._columns import Floats, count, floats, listed, number
from .demonstrations import check_world, native_demonstrations
from .labelled import in_world
from .likelihood import options
from .mdp import Mdp
from .parameters import Parameters
from .progress import Counter, Progress, Watcher
from .questions import Ends, Questions
from .summary import Summary
from .validation import Validation

__all__ = ["MaxEntIRL", "Validation"]

Inference = Literal["exact", "ziebart2008", "ziebart2010", "causal", "recursive-logit"]
_USUAL_ENDS = {"causal": "horizon", "recursive-logit": "goal"}
Bounds = tuple[float, float] | Sequence[tuple[float | None, float | None]]
Self = TypeVar("Self", bound="MaxEntIRL")


class MaxEntIRL(Parameters, Questions):
    """Learn the reward that behaviour reveals, and forecast.

    Parameters
    ----------
    bounds : (low, high), or one such pair for each feature, optional
        Where theta may lie; None in a pair is no bound. Demonstrations that never do something push its weight to minus infinity:
        bounds or `l2` stop it.
    l2 : float
        Subtracts `l2 / 2 * |theta|^2` from the mean log-likelihood.
    ends : {"anywhere", "horizon", "terminal", "goal"}, optional
        Where a path may end. "anywhere" unless given ("horizon" for causal inference, "goal" for the recursive logit).
    discount : float, optional
        gamma in place of the world's.
    inference : {"exact", "ziebart2008", "ziebart2010", "causal", "recursive-logit"}
        Which expectations are matched. The first is the paper's; the last is as exact, for paths of any length between each
        demonstration's own ends, and fast on road networks; those between are baselines.
    horizon : int, optional
        The most states of a path; the longest demonstration unless given.
    tolerance, max_iter : float, int
        When the search ends.
    threads : int, optional
        All cores unless given; any number gives the same bits.
    memory : int, optional
        Bytes that messages may take; 2 GB unless given. Any amount gives the same bits.
    progress : bool, optional
        A tqdm bar; where somebody is watching (a notebook or terminal, and a fit of more than a second) unless given.
    mdp : Mdp, optional
        The world, for `fit(demonstrations)` without one, as scikit-learn's searches call it.

    Attributes
    ----------
    theta_ : ndarray
        The learned weights.
    reward_ : ndarray
        The reward of each state.
    log_likelihood_ : float
        Mean per demonstration.
    converged_ : bool
        Whether `theta_` is the optimum; `stopped_because_` says it in words.
    notes_ : list of str
        What a reader of `theta_` has to know.
    n_iter_, n_evaluations_ : int
        What the search took.
    gradient_norm_ : float
        The largest component of the gradient that no bound holds.
    horizon_, ends_, inference_, mdp_
        What was learned with.

    Examples
    --------
    >>> import revealed
    >>> mdp = revealed.Mdp(3, 2, transitions=([0, 0], [0, 1], [1, 2], [1.0, 1.0]), start=0, terminal=[1, 2])
    >>> to_work, to_home = [(0, 1), (2, None)], [(0, 0), (1, None)]
    >>> irl = revealed.MaxEntIRL(ends="terminal").fit(mdp, [to_work, to_work, to_work, to_home])
    >>> round(float(irl.theta_[2] - irl.theta_[1]), 6)  # work is worth log 3 more than home
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
        horizon: int | None = None,
        tolerance: float = 1e-8,
        max_iter: int = 10_000,
        threads: int | None = None,
        memory: int | None = None,
        progress: bool | None = None,
        mdp: Mdp | None = None,
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

    def _settings(self, mdp: Mdp, start: Any = None) -> dict[str, Any]:
        if not isinstance(self.inference, str):
            raise TypeError(f"inference is {self.inference!r}: it must be one of {', '.join(map(repr, get_args(Inference)))}")
        ends = self.ends if self.ends is not None else _USUAL_ENDS.get(self.inference, "anywhere")
        return {
            "options": options(ends, self.horizon, self.threads, self.memory),
            "inference": self.inference,
            "bounds": bounds_of(self.bounds, mdp.n_features),
            "l2": number("l2", self.l2),
            "start": None if start is None else floats("start", start, mdp.n_features),
            "tolerance": number("tolerance", self.tolerance),
            "max_iterations": count("max_iter", self.max_iter, least=0),
        }

    def _world(self, mdp: Any, demonstrations: Any) -> tuple[Mdp, Any]:
        """The world and the demonstrations, which stand first where the estimator has the world."""
        if demonstrations is None and not isinstance(mdp, Mdp) and self.mdp is not None:
            mdp, demonstrations = self.mdp, mdp
        if not isinstance(mdp, Mdp):
            raise TypeError(f"mdp is a {type(mdp).__name__}: make one with Mdp, Mdp.from_gymnasium or Mdp.from_dense")
        if demonstrations is None:
            raise TypeError("there are no demonstrations: call fit(mdp, demonstrations)")
        return (mdp if self.discount is None else mdp.with_discount(self.discount)), demonstrations

    def fit(
        self: Self,
        mdp: Any,
        demonstrations: Any = None,
        *,
        sample_weight: Any = None,
        start: Any = None,
        callback: Callable[[Progress], bool | None] | None = None,
    ) -> Self:
        """Learn theta from demonstrations (anything that `Trajectories` takes) in a world.

        Parameters
        ----------
        mdp : Mdp
            The world. An estimator that was made with `mdp=` may be given the demonstrations alone.
        demonstrations
            What somebody did.
        sample_weight : vector, optional
            How much each demonstration counts.
        start : vector, optional
            Where the search begins; 0 unless given.
        callback : function of a Progress, optional
            Is told how the search stands after each iteration, and ends it by returning True.

        Ctrl-C raises KeyboardInterrupt: the estimator stays as it was, and where the search stood is in `partial_theta_`, to go
        on from with `start=`.
        """
        mdp, demonstrations = self._world(mdp, demonstrations)
        paths = native_demonstrations(mdp, in_world(mdp, demonstrations, sample_weight))
        settings = self._settings(mdp, start)
        with Watcher(self.progress, callback) as watch:
            try:
                theta, model, directions, warning = _native.fit(mdp._native, paths, settings, watch, watch.every)
            except KeyboardInterrupt:
                if watch.theta is not None:
                    self.partial_theta_ = watch.theta
                raise
        if warning is not None:
            warnings.warn(warning, stacklevel=2)
        self._set(mdp, theta, json.loads(model))
        self.null_directions_ = directions
        self.__dict__.pop("partial_theta_", None)
        self.n_features_in_ = mdp.n_features
        return self

    def _set(self, mdp: Mdp, theta: Floats, record: dict[str, Any]) -> None:
        self.mdp_ = mdp
        self.theta_ = theta
        self.horizon_: int = record["horizon"]
        self.ends_: Ends = record["ends"]
        self.inference_: str = record["inference"]
        self.log_likelihood_: float = record["log_likelihood"]
        self.converged_: bool = record["converged"]
        self.stopped_because_: str = record["stopped_because"]
        self.gradient_norm_: float = record["gradient_norm"]
        self.n_iter_: int = record["iterations"]
        self.n_evaluations_: int = record["evaluations"]
        self.notes_: list[str] = record["notes"]
        self._record = record

    def summary(self, demonstrations: Any, *, level: float = 0.95, sample_weight: Any = None) -> Summary:
        """How sure the fit is: a table with standard errors, of the demonstrations that it was learned from."""
        self._fitted()
        paths = native_demonstrations(self.mdp_, in_world(self.mdp_, demonstrations, sample_weight))
        if self.log_likelihood_ is None:
            raise ValueError("these weights were not learned over these paths: fit(mdp, demonstrations) to have standard errors")
        work = self._threads(), self._memory()
        with Counter(self.progress, "standard errors") as counter:
            model = _native.summarise(self.mdp_._native, paths, json.dumps(self._record), number("level", level), *work, counter)
        assert model is not None  # the counter never asks to stop
        return Summary(json.loads(model))

    def cross_validate(
        self,
        mdp: Any,
        demonstrations: Any = None,
        *,
        l2: Sequence[float] = (),
        folds: int = 5,
        seed: int = 0,
        group_identical: bool = False,
        sample_weight: Any = None,
    ) -> Validation:
        """Held-out log-likelihoods of several penalties, each demonstration scored by the fit that has not seen it.

        With `group_identical`, demonstrations that are the same path stay in one fold.
        """
        mdp, demonstrations = self._world(mdp, demonstrations)
        paths = native_demonstrations(mdp, in_world(mdp, demonstrations, sample_weight))
        penalties = floats("l2", listed("l2", l2)).tolist()
        chosen = penalties, count("folds", folds), count("seed", seed, least=0), bool(group_identical)
        with Counter(self.progress, "fits") as counter:
            found = _native.cross_validate(mdp._native, paths, self._settings(mdp), *chosen, counter)
        assert found is not None  # the counter never asks to stop
        best, simplest = (float(found["l2"][found[key]]) for key in ("best", "simplest"))
        fold_of = np.array([-1 if fold is None else fold for fold in found["fold_of"]], dtype=np.int64)
        names = ("l2", "held_out", "standard_error", "in_sample", "shortfall", "shortfall_error")
        return Validation(**{name: found[name] for name in names}, best_l2=best, simplest_l2=simplest, fold_of=fold_of)

    def score(self, mdp: Any, demonstrations: Any = None, sample_weight: Any = None) -> float:
        """The mean log-likelihood of demonstrations in the world of the fit, higher is better.

        `score(demonstrations)` and `score(mdp, demonstrations)` are the same: the world is that of the fit.
        """
        self._fitted()
        paths = in_world(self.mdp_, mdp if demonstrations is None else demonstrations, sample_weight)
        counts = paths.weights > 0.0
        if not counts.any():
            raise ValueError("no demonstration has a weight above 0: there is nothing to score")
        return float(np.average(self.score_samples(paths[counts]), weights=paths.weights[counts]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file (.json) that the command line reads."""
        self._fitted()
        _native.save_model(os.fspath(path), json.dumps(self._record))

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str], mdp: Mdp) -> Self:
        """Read a model file that was learned on this world, with the discount that it was learned with.

        A model that was learned on another world is taken with a warning, if it has as many weights. Settings of the search are
        not in the file.
        """
        check_world(mdp)
        record = json.loads(_native.load_model(os.fspath(path)))
        theta = floats("theta", record["theta"])
        if len(theta) != mdp.n_features:
            raise ValueError(f"{path}: theta has {len(theta)} entries, but the world has {mdp.n_features} features")
        if record.get("model_free") is not None:
            raise ValueError(f"{path}: this model was learned from rollouts: read it with ModelFreeIRL.load")
        discount = record["discount"]
        settings = {name: record[name] for name in ("ends", "inference", "horizon", "bounds")}
        irl = cls(**settings, l2=record["l2"] or 0.0, discount=None if discount == mdp.discount else discount)
        if discount is not None and discount != mdp.discount:
            mdp = mdp.with_discount(discount)
        if record["problem_digest"] not in (None, mdp.digest):
            warnings.warn(f"{path}: the model was learned on another world than this, or with other features", stacklevel=2)
        irl._set(mdp, theta, record)
        irl.null_directions_, irl.n_features_in_ = [], mdp.n_features
        return irl

    @classmethod
    def from_theta(
        cls: type[Self], mdp: Mdp, theta: Any, *, horizon: int, ends: Ends = "anywhere", threads: int | None = None
    ) -> Self:
        """A model whose weights are known: to sample from it, or to ask it anything, without learning.

        What only a search can tell (`log_likelihood_`, `converged_`, ...) is None. To give a reward for each state in place of
        theta, make it in `mdp.with_features(None)`.

        >>> import revealed
        >>> chain = revealed.worlds.linear_chain(3)
        >>> likes_the_end = revealed.MaxEntIRL.from_theta(chain, [0.0, 0.0, 5.0], horizon=3)
        >>> likes_the_end.predict_path(0).states.tolist()
        [0, 1, 2]
        """
        weights = floats("theta", theta, mdp.n_features)
        record = {"theta": weights.tolist(), "inference": "exact", "notes": [], **options(ends, horizon, threads, None)}
        record |= {"names": mdp.feature_names, "problem_digest": mdp.digest, "discount": mdp.discount}
        unknown = ("log_likelihood", "converged", "stopped_because", "gradient_norm", "iterations", "evaluations")
        irl = cls(ends=ends, horizon=horizon, threads=threads)
        irl._set(mdp, weights, record | dict.fromkeys(unknown))
        irl.null_directions_, irl.n_features_in_ = [], mdp.n_features
        irl._model()  # which checks them
        return irl


def bounds_of(bounds: Any, n_features: int) -> tuple[Floats, Floats] | None:
    """Lower and upper bounds of each parameter."""
    if bounds is None:
        return None
    pairs = list(listed("bounds", bounds))
    if len(pairs) == 2 and not any(_is_pair(value) for value in pairs):
        pairs = [pairs] * n_features
    if len(pairs) != n_features or not all(_is_pair(pair) for pair in pairs):
        raise ValueError(f"bounds is {bounds!r}: give (low, high), or one such pair for each of the {n_features} features")
    low = [-np.inf if lo is None else number("the lower bound", lo) for lo, _ in pairs]
    high = [np.inf if hi is None else number("the upper bound", hi) for _, hi in pairs]
    return np.array(low), np.array(high)


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list, np.ndarray)) and getattr(value, "shape", (1,)) != () and len(value) == 2
