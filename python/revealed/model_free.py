"""ModelFreeIRL: learning from rollouts, in worlds that nobody has a table of."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from . import _native
from ._columns import Floats, count, floats, number
from .continuous import StatesAndActions
from .estimator import Bounds, bounds_of
from .imitators import imitating, tempered
from .model_free_answers import ModelFreeAnswers
from .model_free_summary import demonstration_errors
from .observed import Observed
from .parameters import Parameters
from .progress import Progress, Watcher
from .rollouts import Rollouts, SampledEnds, path_set, shapes_of
from .samplers import GaussianPolicy, UniformPolicy

__all__ = ["ModelFreeIRL"]

Self = TypeVar("Self", bound="ModelFreeIRL")

# Rounds of refinement follow weights that this share of the rollouts carry, and not those of the few that happen to be heaviest.
_CARRIED = 0.1


class ModelFreeIRL(Parameters, ModelFreeAnswers):
    """Learn the reward that behaviour reveals from rollouts of any Gymnasium environment.

    The model is p(tau) ~ p0(s_1) prod_t T(s_(t+1) | s_t, a_t) e^(theta . phi(tau)), a density of the actions' volume, or with a
    reference policy pi0 the same times prod_t pi0(a_t | s_t). Rollouts of a sampling policy pi_s stand for it with weights
    e^(theta . phi) pi0 / pi_s: the world itself cancels. Look at `effective_sample_size_`, which says what they are worth.

    Parameters
    ----------
    features : function of (observation, action, next_observation)
        The features of a step: a vector, or a mapping of names to numbers. A path's are their discounted sum.
    policy : optional
        The policy that samples: an object with `sample(observation, rng)` and `log_prob(observation, action)`, or a list of them,
        one for each step. Unless given, it imitates the demonstrations (Box actions), or is uniform (Discrete ones).
    n_rollouts : int
        How many rollouts.
    rounds : int
        How often the sampler is refined before: each round samples, learns, and fits Gaussians to the weighted rollouts.
    horizon : int, optional
        The most states of a path, one more than its steps; the longest demonstration unless given.
    ends : {"horizon", "anywhere"}, optional
        Where paths end: at the horizon, or where the environment terminates before; or after any step. "horizon" unless given.
    discount : float
        gamma.
    reference : optional
        The policy pi0 with `log_prob(observation, action)`, or a list of them. Without it actions are measured by their volume.
    basis : function of an observation to a vector, optional
        What the mean of an imitating or refined sampler is linear in; 1 and the observation unless given.
    names : list of str, optional
        What the features are called.
    reset_options : dict, optional
        What `env.reset(options=...)` is given.
    bounds, l2, tolerance, max_iter, threads, progress
        As in `MaxEntIRL`.
    seed : int
        Of the environment and of the sampler.
    rollouts : Rollouts, optional
        For `fit(demonstrations)` without an environment, as scikit-learn's searches call it.

    Attributes
    ----------
    theta_ : ndarray
        The learned weights.
    standard_errors_ : ndarray
        Of `theta_`: `sampling_errors_`, which more rollouts or a better policy make smaller, and `demonstration_errors_`, which
        more demonstrations do, together.
    effective_sample_size_ : float
        So many samples of the learned model would say as much as the rollouts do.
    largest_share_ : float
        The share of all weight that the heaviest rollout has.
    warnings_ : list of str
        Why not to trust `theta_`; empty if there is no reason. They are issued as Python warnings, too.
    weights_ : ndarray
        The share of each rollout.
    log_partition_, log_partition_error_ : float
        log Z and its standard error.
    objective_ : float
        The mean log-likelihood of the demonstrations but for a constant that takes the world to know.
    converged_, stopped_because_, n_iter_, n_evaluations_, gradient_norm_
        How the search ended, as in `MaxEntIRL`.
    rollouts_, policy_, names_, horizon_, ends_
        What was learned with.

    Examples
    --------
    >>> import gymnasium, numpy as np, revealed
    >>> env = gymnasium.make("Pendulum-v1")
    >>> cost = lambda observation, action, after: {"speed^2": observation[2] ** 2, "torque^2": action[0] ** 2}
    >>> uniform = revealed.UniformPolicy(env.action_space)
    >>> rollouts = revealed.Rollouts.sample(env, uniform, cost, 500, horizon=6, seed=1)
    >>> demonstrations = rollouts.resample([-0.1, -0.5], 100)  # somebody who saves torque, and minds speed a little
    >>> irl = revealed.ModelFreeIRL(features=cost, policy=uniform, n_rollouts=500).fit(env, demonstrations)
    >>> bool(np.all(np.abs(irl.theta_ - [-0.1, -0.5]) < 3 * irl.standard_errors_))
    True
    """

    def __init__(
        self,
        *,
        features: Callable[[Any, Any, Any], Any] | None = None,
        policy: Any = None,
        n_rollouts: int = 2000,
        rounds: int = 0,
        horizon: int | None = None,
        ends: SampledEnds | None = None,
        discount: float = 1.0,
        reference: Any = None,
        basis: Callable[[Any], Any] | None = None,
        names: Sequence[str] | None = None,
        reset_options: dict[str, Any] | None = None,
        bounds: Bounds | None = None,
        l2: float = 0.0,
        tolerance: float = 1e-8,
        max_iter: int = 10_000,
        threads: int | None = None,
        progress: bool | None = None,
        seed: int = 0,
        rollouts: Rollouts | None = None,
    ) -> None:
        self.features = features
        self.policy = policy
        self.n_rollouts = n_rollouts
        self.rounds = rounds
        self.horizon = horizon
        self.ends = ends
        self.discount = discount
        self.reference = reference
        self.basis = basis
        self.names = names
        self.reset_options = reset_options
        self.bounds = bounds
        self.l2 = l2
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.threads = threads
        self.progress = progress
        self.seed = seed
        self.rollouts = rollouts

    def fit(
        self: Self,
        env: Any,
        demonstrations: Any = None,
        *,
        sample_weight: Any = None,
        start: Any = None,
        callback: Callable[[Progress], bool | None] | None = None,
    ) -> Self:
        """Learn theta from demonstrations and rollouts.

        Parameters
        ----------
        env : gymnasium.Env or Rollouts
            The environment, which is rolled out in; or rollouts of it that you have. An estimator that was made with `rollouts=`
            may be given the demonstrations alone.
        demonstrations
            What somebody did: a list of pairs (observations, actions) with one observation more than actions, trajectories of
            `imitation`, a Minari dataset; or a matrix with a row of features for each.
        sample_weight : vector, optional
            How much each demonstration counts.
        start : vector, optional
            Where the search begins; 0 unless given.
        callback : function of a Progress, optional
            Is told how the search stands after each iteration, and ends it by returning True.

        Ctrl-C raises KeyboardInterrupt, while sampling as while searching: the estimator stays as it was.
        """
        if demonstrations is None and self.rollouts is not None:
            env, demonstrations = self.rollouts, env
        if demonstrations is None:
            raise TypeError("there are no demonstrations: call fit(env, demonstrations)")
        discount = number("discount", self.discount)
        demos = Observed(demonstrations, self.features, discount, self.names, sample_weight, shapes_of(env))
        policy: Any = None
        if isinstance(env, Rollouts):
            rollouts = env
            if rollouts.discount not in (None, discount):
                raise ValueError(f"the rollouts were summed with discount {rollouts.discount}, but discount is {discount} here")
        else:
            rollouts, policy = self._sampled(env, self._first_policy(env, demos), demos)
        theta, record = self._search(rollouts, demos, start, callback)
        record["notes"] += demos.misfits(rollouts, record["ends"])
        # Where the weights single out so few rollouts that their error cannot be told, nor can that of the demonstrations.
        told = record["model_free"]["standard_error"] is not None
        errors = self._demonstration_errors(theta, rollouts, demos) if told else np.full(len(theta), np.nan)
        self.demonstration_errors_ = errors
        self.rollouts_, self.policy_ = rollouts, policy
        self._set(theta, record)
        for words in self.warnings_:
            warnings.warn(words, UserWarning, stacklevel=2)
        return self

    def _first_policy(self, env: Any, demos: Observed) -> Any:
        acted = env.action_space
        if self.policy is not None:
            return self.policy
        if hasattr(acted, "n"):
            return UniformPolicy(acted)
        if demos.paths is None:
            raise ValueError("demonstrations that are features have no actions to imitate: give policy=, UniformPolicy say")
        return self._imitating(demos.paths, demos.weights, acted, demos.states(self.horizon))

    def _imitating(self, paths: Sequence[StatesAndActions], weights: Floats, space: Any, horizon: int) -> list[GaussianPolicy]:
        policies = imitating(paths, weights=weights, basis=self.basis, space=space)
        return policies + [policies[-1]] * (horizon - 1 - len(policies))

    def _sampled(self, env: Any, policy: Any, demos: Observed) -> tuple[Rollouts, Any]:
        """Rollouts of the policy, and the policy, which each round refines."""
        horizon, seed = demos.states(self.horizon), count("seed", self.seed, least=0)
        settings: dict[str, Any] = {
            "horizon": horizon,
            "discount": self.discount,
            "ends": "horizon" if self.ends is None else self.ends,
            "reference": self.reference,
            "names": self.names,
            "reset_options": self.reset_options,
            "progress": self.progress,
        }
        for step in range(count("rounds", self.rounds, least=0)):
            if hasattr(env.action_space, "n"):
                raise ValueError("rounds refine Gaussians, and the actions are Discrete: give a better policy, or leave it out")
            drawn = int(np.random.SeedSequence([seed, step]).generate_state(1)[0])
            rollouts = Rollouts.sample(env, policy, self.features, self.n_rollouts, seed=drawn, **settings)
            theta, _ = self._search(rollouts, demos, None, None)
            shares = tempered(rollouts.log_weights(theta), _CARRIED * len(rollouts))
            weights = np.bincount(rollouts.rollout, shares).astype(np.float64)
            policy = self._imitating(rollouts.paths or [], weights, env.action_space, horizon)
        return Rollouts.sample(env, policy, self.features, self.n_rollouts, seed=seed, **settings), policy

    def _search(self, rollouts: Rollouts, demos: Observed, start: Any, callback: Any) -> tuple[Floats, dict[str, Any]]:
        demos.compare(rollouts)
        n = rollouts.features.shape[1]
        settings = {
            "bounds": bounds_of(self.bounds, n),
            "l2": number("l2", self.l2),
            "start": None if start is None else floats("start", start, n),
            "tolerance": number("tolerance", self.tolerance),
            "max_iterations": count("max_iter", self.max_iter, least=0),
            "threads": None if self.threads is None else count("threads", self.threads),
            "ends": path_set(self.ends, rollouts),
            "horizon": rollouts.horizon if rollouts.horizon is not None else self.horizon,
        }
        with Watcher(self.progress, callback) as watch:
            try:
                columns = rollouts.native, demos.mean, len(demos.features)
                theta, model, _ = _native.fit_samples(*columns, settings, watch, watch.every)
            except KeyboardInterrupt:
                if watch.theta is not None:
                    self.partial_theta_ = watch.theta
                raise
        return theta, {**json.loads(model), "discount": number("discount", self.discount)}

    def _demonstration_errors(self, theta: Floats, rollouts: Rollouts, demos: Observed) -> Floats:
        free = np.ones(len(theta), dtype=bool)
        limits = bounds_of(self.bounds, len(theta))
        if limits is not None:
            pull = demos.mean - rollouts.shares(theta) @ rollouts.features - self.l2 * theta
            free = ~(((theta <= limits[0]) & (pull <= 0.0)) | ((theta >= limits[1]) & (pull >= 0.0)))
        return demonstration_errors(rollouts, theta, demos.features, demos.weights, float(self.l2), free)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file (.json) that the command line reads. It has the errors from sampling alone, and no rollouts."""
        self._fitted()
        _native.save_model(os.fspath(path), json.dumps(self._record))

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str], *, features: Any = None) -> Self:
        """Read a model file that was learned from rollouts, with the feature function that rewards and scores need."""
        record = json.loads(_native.load_model(os.fspath(path)))
        if record.get("model_free") is None:
            raise ValueError(f"{path}: this model was not learned from rollouts: read it with MaxEntIRL.load")
        discount = record["discount"]
        irl = cls(
            features=features,
            ends=record["ends"],
            discount=1.0 if discount is None else discount,
            horizon=record["horizon"],
            l2=record["l2"] or 0.0,
            bounds=record["bounds"],
            names=record["names"] or None,
        )
        irl.demonstration_errors_ = np.full(len(record["theta"]), np.nan)
        irl.rollouts_, irl.policy_ = None, None
        irl._set(floats("theta", record["theta"]), record)
        return irl
