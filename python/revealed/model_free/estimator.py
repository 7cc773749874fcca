"""ModelFreeIRL: learns a reward from demonstrations and rollouts of an environment."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from ..display.progress import Callback, Watcher
from ..inputs.columns import Floats, floats
from ..inputs.numbers import count, number, optional_count
from ..inputs.options import Bounds, bounds_of
from ..inputs.seeds import Seed, seed_of
from ..learning.files import model_file
from ..learning.search import first_theta
from .answers import ModelFreeAnswers
from .imitating import imitating, tempered
from .observed import Observed
from .paths import StatesAndActions
from .rollouts import Rollouts, SampledEnds, path_set, shapes_of
from .samplers import UniformPolicy
from .softmax import Indicators
from .summary import demonstration_errors

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ModelFreeIRL"]

# The effective sample size, as a share of the rollouts, that weights are tempered to when a sampler is refined.
_CARRIED = 0.1


class ModelFreeIRL(ModelFreeAnswers):
    """Learn the reward that explains the demonstrations from rollouts of any Gymnasium environment.

    The model is p(tau) ~ p0(s_1) prod_t T(s_(t+1) | s_t, a_t) e^(theta . phi(tau)), a density with respect to the
    volume of the actions. With a reference policy pi0 it has the further factor prod_t pi0(a_t | s_t). Rollouts of a
    sampling policy pi_s get the weights e^(theta . phi) pi0 / pi_s: the transition probabilities cancel. Check
    `effective_sample_size_`, which measures how well the rollouts represent the learned model.

    Parameters
    ----------
    features : function of (observation, action, next_observation)
        The features of a step: a vector, or a mapping of names to numbers. Those of a path are their discounted sum.
    policy : optional
        The sampling policy: an object with `sample(observation, rng)` and `log_prob(observation, action)`, or a list
        with one for each step. By default it imitates the demonstrations: with Gaussians (Box actions) or softmax
        choices (Discrete actions).
    n_rollouts : int
        The number of rollouts.
    rounds : int
        How often the sampler is refined first: each round samples, learns, and imitates the weighted rollouts.
    horizon : int, optional
        The largest number of states of a path, one more than its steps; by default that of the longest demonstration.
    ends : {"horizon", "anywhere"}, optional
        Where paths end: at the horizon, or earlier if the environment terminates (the default); or after any step.
    discount : float
        gamma.
    reference : optional
        The policy pi0 with `log_prob(observation, action)`, or a list with one for each step.
    basis : function of an observation to a vector, optional
        What the mean, or the scores of choices, of an imitating or refined sampler are linear in; by default 1 and the
        observation, or an indicator of each observation of a Discrete space.
    names : list of str, optional
        The names of the features.
    reset_options : dict, optional
        The options of `env.reset(options=...)`.
    bounds, l2, tolerance, max_iter, threads, progress
        As in `MaxEntIRL`.
    seed
        The seed of the environment and of the sampler.
    rollouts : Rollouts, optional
        For `fit(demonstrations)` without an environment, as scikit-learn's searches call it.

    Attributes
    ----------
    theta_ : ndarray
        The learned weights.
    standard_errors_ : ndarray
        The standard errors of `theta_`. They combine `sampling_errors_`, which shrink with more rollouts or a better
        policy, and `demonstration_errors_`, which shrink with more demonstrations.
    effective_sample_size_ : float
        The number of samples of the learned model that would be as informative as the rollouts.
    largest_share_ : float
        The largest share of the total weight that one rollout has.
    warnings_ : list of str
        Reasons not to trust `theta_`; empty if there are none. They are issued as Python warnings, too.
    weights_ : ndarray
        The share of each rollout in the total weight.
    log_partition_, log_partition_error_ : float
        log Z and its standard error.
    objective_ : float
        The mean log-likelihood of the demonstrations up to a constant that the transitions determine.
    converged_, stopped_because_, n_iter_, n_evaluations_, gradient_norm_
        How the search ended, as in `MaxEntIRL`.
    rollouts_, policy_, names_, horizon_, ends_
        The inputs and settings of the fit.

    Examples
    --------
    >>> import gymnasium, numpy as np, revealed
    >>> env = gymnasium.make("Pendulum-v1")
    >>> cost = lambda observation, action, after: {"speed^2": observation[2] ** 2, "torque^2": action[0] ** 2}
    >>> uniform = revealed.UniformPolicy(env.action_space)
    >>> rollouts = revealed.Rollouts.sample(env, uniform, cost, 500, horizon=6, seed=1)
    >>> demonstrations = rollouts.resample([-0.1, -0.5], 100)  # torque costs more than speed
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
        seed: Seed = 0,
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
        self,
        env: Any,
        demonstrations: Any = None,
        *,
        sample_weight: Any = None,
        theta0: Any = None,
        callback: Callback | None = None,
        start: Any = None,
    ) -> Self:
        """Learn theta from demonstrations and rollouts.

        Parameters
        ----------
        env : gymnasium.Env or Rollouts
            The environment that rollouts are sampled in, or existing rollouts. If the estimator was made with
            `rollouts=`, give the demonstrations alone.
        demonstrations
            A list of pairs (observations, actions) with one observation more than actions, trajectories of `imitation`,
            a Minari dataset, or a matrix with a row of features for each demonstration.
        sample_weight, theta0, callback, start
            As in `MaxEntIRL.fit`.

        Ctrl-C raises KeyboardInterrupt, during sampling and during the search: the estimator stays as it was.
        """
        theta0 = first_theta(theta0, start)
        if demonstrations is None and self.rollouts is not None:
            env, demonstrations = self.rollouts, env
        if demonstrations is None:
            raise TypeError("there are no demonstrations: call fit(env, demonstrations)")
        discount = number("discount", self.discount)
        demos = Observed(demonstrations, self.features, discount, self.names, sample_weight, shapes_of(env))
        rollouts, policy = self._rollouts_of(env, demos, discount)
        theta, record = self._search(rollouts, demos, theta0, callback)
        record["notes"] += demos.misfits(rollouts, record["ends"])
        # Where the weights single out so few rollouts that their error is unknown, so is that of the demonstrations.
        known = record["model_free"]["standard_error"] is not None
        errors = self._demonstration_errors(theta, rollouts, demos) if known else np.full(len(theta), np.nan)
        self.demonstration_errors_ = errors
        self.rollouts_, self.policy_ = rollouts, policy
        self._set(theta, record)
        for warning in self.warnings_:
            warnings.warn(warning, UserWarning, stacklevel=2)
        self._warn_unless_converged()
        return self

    def _rollouts_of(self, env: Any, demos: Observed, discount: float) -> tuple[Rollouts, Any]:
        """The given rollouts, or new ones of an environment with the policy that sampled them."""
        if not isinstance(env, Rollouts):
            return self._sampled(env, self._first_policy(env, demos), demos)
        if env.discount not in (None, discount):
            problem = f"the rollouts were summed with discount {env.discount}"
            raise ValueError(f"{problem}, but discount is {discount} here")
        return env, None

    def _first_policy(self, env: Any, demos: Observed) -> Any:
        acted = env.action_space
        if self.policy is not None:
            return self.policy
        if demos.paths is None and hasattr(acted, "n"):
            return UniformPolicy(acted)
        if demos.paths is None:
            problem = "demonstrations that are features have no actions to imitate"
            raise ValueError(f"{problem}: give policy=, for example a UniformPolicy")
        return self._imitating(env, demos.paths, demos.weights, demos.states(self.horizon))

    def _imitating(self, env: Any, paths: Sequence[StatesAndActions], weights: Floats, horizon: int) -> list[Any]:
        basis = self.basis
        if basis is None and hasattr(env.action_space, "n") and hasattr(env.observation_space, "n"):
            basis = Indicators(env.observation_space)
        policies = imitating(paths, weights=weights, basis=basis, space=env.action_space)
        return policies + [policies[-1]] * (horizon - 1 - len(policies))

    def _sampled(self, env: Any, policy: Any, demos: Observed) -> tuple[Rollouts, Any]:
        """Rollouts of the policy, and the policy itself, which each round refines."""
        horizon, seed = demos.states(self.horizon), seed_of(self.seed)
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
            drawn = int(np.random.SeedSequence([seed, step]).generate_state(1)[0])
            rollouts = Rollouts.sample(env, policy, self.features, self.n_rollouts, seed=drawn, **settings)
            theta, _ = self._search(rollouts, demos, None, None)
            shares = tempered(rollouts.log_weights(theta), _CARRIED * len(rollouts))
            weights = np.bincount(rollouts.rollout, shares).astype(np.float64)
            policy = self._imitating(env, rollouts.paths or [], weights, horizon)
        return Rollouts.sample(env, policy, self.features, self.n_rollouts, seed=seed, **settings), policy

    def _search(
        self, rollouts: Rollouts, demos: Observed, start: Any, callback: Callback | None
    ) -> tuple[Floats, dict[str, Any]]:
        demos.compare(rollouts)
        settings = {
            **self._search_settings(rollouts.features.shape[1], start),
            "threads": optional_count("threads", self.threads),
            "ends": path_set(self.ends, rollouts),
            "horizon": rollouts.horizon if rollouts.horizon is not None else self.horizon,
        }
        columns = rollouts._native, demos.mean, len(demos.features)

        def search(watch: Watcher) -> tuple[Floats, str, list[str]]:
            return _native.fit_samples(*columns, settings, watch, watch.every)

        theta, model, _ = self._watched(callback, search)
        return theta, {**self._stopped_in(json.loads(model)), "discount": number("discount", self.discount)}

    def _demonstration_errors(self, theta: Floats, rollouts: Rollouts, demos: Observed) -> Floats:
        free = np.ones(len(theta), dtype=bool)
        limits = bounds_of(self.bounds, len(theta))
        if limits is not None:
            pull = demos.mean - rollouts.shares(theta) @ rollouts.features - self.l2 * theta
            free = ~(((theta <= limits[0]) & (pull <= 0.0)) | ((theta >= limits[1]) & (pull >= 0.0)))
        return demonstration_errors(rollouts, theta, demos.features, demos.weights, float(self.l2), free)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file (.json) that the command line reads. It has only the sampling errors, and no rollouts."""
        self._fitted()
        _native.save_model(model_file(path), json.dumps(self._record))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, features: Any = None) -> Self:
        """Read a model file that was learned from rollouts. `features` is the function that rewards and scores need."""
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
