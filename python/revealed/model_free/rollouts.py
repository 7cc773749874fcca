"""Rollouts of a sampling policy, and the importance weights that turn them into samples of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import _native
from ..display.progress import Counter
from ..inputs.columns import Floats, floats, integers, reals
from ..inputs.numbers import count, number
from ..inputs.running import reset
from ..inputs.seeds import Seed, seed_of
from .environment import roll, spaces
from .path_features import PathFeatures
from .paths import Shapes, StatesAndActions, read_paths
from .samplers import SamplingPolicy, log_probabilities, of_each_step

__all__ = ["Estimate", "Rollouts", "SampledEnds", "path_set", "shapes_of"]

SampledEnds = Literal["anywhere", "horizon"]


@dataclass(frozen=True, eq=False)
class Estimate:
    """What rollouts estimate of the model with weights theta."""

    log_partition: float
    """log Z."""
    log_partition_error: float
    """Its standard error."""
    expectation: Floats
    """The expected features of a path."""
    standard_errors: Floats
    """Their standard errors."""
    effective_sample_size: float
    """The number of samples of the model itself that would be as informative."""
    largest_share: float
    """The largest share of the total weight that one rollout has."""


class Rollouts:
    """Sampled paths: their features, and their log-probabilities under the policy that sampled them.

    A path tau has the weight e^(theta . phi(tau)) pi0(tau) / pi_s(tau), with the sampling policy pi_s and the reference
    policy pi0 (1 without one). The transition probabilities cancel, so they need not be known.

    `Rollouts.sample` makes them from an environment, `Rollouts.from_paths` from existing paths; this constructor takes
    numbers.

    Parameters
    ----------
    features : matrix
        A row for each sample: the features of the path, discounted and summed.
    log_policy : vector
        log pi_s(tau), the sum of the log-probabilities (or log-densities) of its actions.
    log_reference : vector, optional
        log pi0(tau), the same for the reference policy.
    length : vector, optional
        The number of states of each sample.
    rollout : vector, optional
        Samples with the same number are parts of one rollout; by default each is a separate rollout.
    names : list of str, optional
        The names of the features.
    discount : float, optional
        The gamma that the features were summed with.
    paths : list of (observations, actions), optional
        The rollouts themselves, in the order of their numbers.

    Examples
    --------
    >>> import numpy as np, revealed
    >>> tosses = revealed.Rollouts(np.array([[0.0], [1.0]]), np.log([0.25, 0.75]))  # a biased coin
    >>> tosses.weights([0.0]).round(2).tolist()
    [0.75, 0.25]
    """

    def __init__(
        self,
        features: Any,
        log_policy: Any,
        *,
        log_reference: Any = None,
        length: Any = None,
        rollout: Any = None,
        names: Sequence[str] | None = None,
        discount: float | None = None,
        paths: Sequence[StatesAndActions] | None = None,
    ) -> None:
        matrix = reals("features", features)
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise ValueError(f"features has shape {matrix.shape}: it must be a matrix with a row for each sample")
        n = len(matrix)
        # A copy: rollouts outlive the arrays that they were made of.
        self.features: Floats = np.array(matrix, dtype=np.float64, order="C")
        self.log_policy = floats("log_policy", log_policy, n).copy()
        self.log_reference = None if log_reference is None else floats("log_reference", log_reference, n)
        self.length = None if length is None else integers("length", length, n)
        self.rollout = np.arange(n) if rollout is None else integers("rollout", rollout, n)
        self.names = [] if names is None else [str(name) for name in names]
        if self.names and len(self.names) != matrix.shape[1]:
            raise ValueError(f"names has {len(self.names)} entries, but there are {matrix.shape[1]} features")
        self.discount = discount
        self._numbers, self._of = np.unique(self.rollout, return_inverse=True)
        if len(self) < 2:
            raise ValueError("there is a single rollout: sample at least two, and better a thousand")
        self.paths = None if paths is None else list(paths)
        if self.paths is not None and len(self.paths) != len(self):
            raise ValueError(f"there are {len(self.paths)} paths, but {len(self)} rollouts")

    @classmethod
    def sample(
        cls,
        env: Any,
        policy: SamplingPolicy | Sequence[SamplingPolicy],
        features: Any,
        n: int,
        *,
        horizon: int,
        discount: float = 1.0,
        ends: SampledEnds = "horizon",
        reference: Any = None,
        names: Sequence[str] | None = None,
        seed: Seed = 0,
        reset_options: dict[str, Any] | None = None,
        progress: bool | None = None,
    ) -> Rollouts:
        """Roll a policy out in a Gymnasium environment.

        Parameters
        ----------
        env : gymnasium.Env
            With Box or Discrete spaces.
        policy
            An object with `sample(observation, rng)` and `log_prob(observation, action)`, or a list with one for each
            step.
        features : function of (observation, action, next_observation)
            The features of a step: a vector, or a mapping of names to numbers. Those of a path are their discounted
            sum.
        n : int
            The number of rollouts.
        horizon : int
            The largest number of states of a path, one more than its steps. Rollouts end there, or where the
            environment terminates.
        discount, ends, reference, names
            As in `ModelFreeIRL`.
        seed
            The seed of the environment and of the policy.
        reset_options : dict, optional
            The options of `env.reset(options=...)`.
        progress : bool, optional
            Whether to show a tqdm bar; by default in a notebook or terminal.
        """
        spaces(env)
        policies = of_each_step("policy", policy, count("horizon", horizon) - 1)
        n, first_seed = count("n", n, least=2), seed_of(seed)
        rng = np.random.default_rng([1, first_seed])
        paths: list[StatesAndActions] = []
        with Counter(progress, "rollouts") as counter:
            for at in range(n):
                first, _ = reset(env, first_seed if at == 0 else None, reset_options)
                paths.append(roll(env, policies, first, rng, at))
                counter(at + 1, n)
        return cls.from_paths(
            paths, policy, features, discount=discount, ends=ends, reference=reference, names=names, progress=progress
        )

    @classmethod
    def from_paths(
        cls,
        paths: Any,
        policy: SamplingPolicy | Sequence[SamplingPolicy],
        features: Any,
        *,
        discount: float = 1.0,
        ends: SampledEnds = "horizon",
        reference: Any = None,
        names: Sequence[str] | None = None,
        progress: bool | None = None,
    ) -> Rollouts:
        """From existing paths, as pairs of observations and actions, and the policy that sampled them.

        Each path must go on to the horizon, or to where the environment terminated. A path that was cut short would
        count as a whole one.
        """
        listed = read_paths(paths, "rollout")
        prefixes = ends_anywhere(ends)
        longest = max(len(actions) for _, actions in listed)
        counted = PathFeatures(features, number("discount", discount), names)
        policies = of_each_step("policy", policy, longest)
        references = None if reference is None else of_each_step("reference", reference, longest)
        matrix, of_policy, of_reference, lengths, numbers = [], [], [], [], []
        with Counter(progress, "features") as counter:
            for at, path in enumerate(listed):
                sums = counted.prefixes(path, f"rollout {at}")
                rows = range(len(sums)) if prefixes else range(len(sums) - 1, len(sums))
                matrix.append(sums[rows.start :])
                of_policy.append(log_probabilities("policy", policies, path, at)[rows.start :])
                if references is not None:
                    of_reference.append(log_probabilities("reference", references, path, at)[rows.start :])
                lengths += [row + 1 for row in rows]
                numbers += [at] * len(rows)
                counter(at + 1, len(listed))
        if counted.width is None:
            raise ValueError("no rollout has a step: the horizon is 1, or the environment terminates at once")
        return cls(
            np.concatenate([rows if rows.shape[1] else np.zeros((len(rows), counted.width)) for rows in matrix]),
            np.concatenate(of_policy),
            log_reference=np.concatenate(of_reference) if references is not None else None,
            length=lengths,
            rollout=numbers,
            names=counted.names,
            discount=counted.discount,
            paths=listed,
        )

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return f"Rollouts({len(self)} rollouts, {len(self.features)} samples, {self.features.shape[1]} features)"

    @property
    def horizon(self) -> int | None:
        """The largest number of states of a sample; None where lengths are not known."""
        return None if self.length is None else int(self.length.max())

    @property
    def _native(self) -> dict[str, Any]:
        """The columns as the engine takes them."""
        names = ("features", "log_policy", "log_reference", "length", "rollout", "names")
        return {name: getattr(self, name) for name in names}

    def estimate(self, theta: Any, *, threads: int | None = None) -> Estimate:
        """log Z and the expected features of the model with weights theta, with their standard errors."""
        return Estimate(*_native.estimate(self._native, self._theta(theta), threads))

    def _theta(self, theta: Any) -> Floats:
        return floats("theta", theta, self.features.shape[1])

    def shares(self, theta: Any) -> Floats:
        """The share of each sample in the total weight, in the model with weights theta."""
        log = self.log_weights(theta)
        weights = np.exp(log - log.max())
        shares: Floats = weights / weights.sum()
        return shares

    def log_weights(self, theta: Any) -> Floats:
        """log of e^(theta . phi) pi0 / pi_s for each sample."""
        log = self.features @ self._theta(theta) - self.log_policy
        return log if self.log_reference is None else log + self.log_reference

    def weights(self, theta: Any) -> Floats:
        """The share of each rollout in the total weight, in the model with weights theta."""
        weights: Floats = np.bincount(self._of, self.shares(theta), len(self)).astype(np.float64)
        return weights

    def resample(self, theta: Any, n: int, *, seed: Seed = 0) -> list[StatesAndActions]:
        """Approximate samples of the model with weights theta: rollouts drawn in proportion to their weights.

        They are only as good as the effective sample size at theta. A path may be drawn more than once.
        """
        if self.paths is None or self.length is None:
            remedy = "make them with Rollouts.sample or Rollouts.from_paths"
            raise ValueError(f"these rollouts have features but no paths: {remedy}")
        rng = np.random.default_rng([2, seed_of(seed)])
        drawn = rng.choice(len(self.features), size=count("n", n), p=self.shares(theta))
        cut = [(self.paths[self._of[row]], int(self.length[row])) for row in drawn.tolist()]
        return [(observations[:length], actions[: length - 1]) for (observations, actions), length in cut]


def ends_anywhere(ends: Any) -> bool:
    """Whether every prefix of a rollout is a path."""
    if ends not in ("anywhere", "horizon"):
        raise ValueError(f"ends is {ends!r}: without a model of the world it is 'horizon' or 'anywhere'")
    return bool(ends == "anywhere")


def shapes_of(world: Any) -> Shapes | None:
    """The shapes of an observation and of an action, of an environment or of rollouts; None if they are unknown."""
    if not isinstance(world, Rollouts):
        observed, acted = spaces(world)
        return observed.shape, acted.shape
    if not world.paths:
        return None
    observations, actions = world.paths[0]
    return observations.shape[1:], actions.shape[1:]


def path_set(ends: Any, rollouts: Rollouts) -> SampledEnds:
    """Which paths the rollouts represent: several parts of one rollout are its prefixes."""
    prefixes = len(rollouts) < len(rollouts.features)
    if ends is None:
        return "anywhere" if prefixes else "horizon"
    if prefixes and not ends_anywhere(ends):
        raise ValueError("ends is 'horizon', but the samples are parts of rollouts: these are paths that end anywhere")
    return "anywhere" if ends_anywhere(ends) else "horizon"
