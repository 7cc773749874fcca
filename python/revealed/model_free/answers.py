"""Questions to a model that was learned from rollouts: standard errors, rewards, scores, samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs.columns import Floats, floats
from ..inputs.numbers import number
from ..inputs.seeds import Seed
from ..learning.search import SearchingEstimator
from ..questions.model import NotFittedError
from .observed import Observed
from .path_features import PathFeatures
from .paths import StatesAndActions, read_paths
from .rollouts import Estimate, Rollouts, SampledEnds
from .summary import ModelFreeSummary

__all__ = ["ModelFreeAnswers"]


class ModelFreeAnswers(SearchingEstimator):
    """The queries that `ModelFreeIRL` answers once it is fitted."""

    features: Any
    discount: float
    rollouts_: Rollouts | None
    demonstration_errors_: Floats

    def _set(self, theta: Floats, record: dict[str, Any]) -> None:
        self._set_search(theta, record)
        found = record["model_free"]
        self.names_: list[str] = record["names"]
        self.horizon_: int = record["horizon"]
        self.ends_: SampledEnds = record["ends"]
        self.objective_: float = found["objective"]
        self.log_partition_: float = found["log_partition"]
        self.log_partition_error_: float = found["log_partition_error"]
        self.effective_sample_size_: float = found["effective_sample_size"]
        self.largest_share_: float = found["largest_share"]
        errors = found["standard_error"]
        self.sampling_errors_ = np.full(len(theta), np.nan) if errors is None else floats("standard_error", errors)
        self.warnings_: list[str] = record["notes"]

    def _feature_names(self) -> list[str]:
        return self.names_

    def _notes(self) -> list[str]:
        return self.warnings_

    def _fitted(self) -> None:
        if not hasattr(self, "theta_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(env, demonstrations) first")

    @property
    def standard_errors_(self) -> Floats:
        """The standard errors of `theta_`: those from rollouts and those from demonstrations combined."""
        self._fitted()
        errors: Floats = np.hypot(self.sampling_errors_, self.demonstration_errors_)
        return errors

    def _rollouts(self) -> Rollouts:
        self._fitted()
        if self.rollouts_ is None:
            raise ValueError("a model file does not contain rollouts: fit again to ask this")
        return self.rollouts_

    @property
    def weights_(self) -> Floats:
        """The share of each rollout in the total weight, in the learned model."""
        return self._rollouts().weights(self.theta_)

    def summary(self, *, level: float = 0.95) -> ModelFreeSummary:
        """A table with standard errors, and where they come from."""
        self._fitted()
        found = self._record["model_free"]
        expectation = np.full(len(self.theta_), np.nan)
        if self.rollouts_ is not None:
            expectation = self.rollouts_.estimate(self.theta_).expectation
        estimate = Estimate(
            found["log_partition"],
            found["log_partition_error"],
            expectation,
            np.array(found["gradient_error"]),
            found["effective_sample_size"],
            found["largest_share"],
        )
        base = "actions measured by their volume" if found["baseline"] == "one" else "relative to the reference policy"
        # An unknown horizon is written as 1.
        states = f" of at most {self.horizon_} states" if self.horizon_ > 1 else ""
        texts = [
            f"{self._record['n_demonstrations']} demonstrations, {found['rollouts']} rollouts{states}",
            f"paths end: {self.ends_}; {base}",
        ]
        errors = self.sampling_errors_, self.demonstration_errors_
        notes = list(self.warnings_)
        if found["flat_directions"]:
            problem = "theta is not identified: directions that change no weight of a rollout"
            notes.append(f"{problem}: {found['flat_directions']}")
        if not self.converged_:
            notes.append(self.stopped_because_)
        return ModelFreeSummary(self.theta_, self.names_, *errors, estimate, level, texts, notes)

    def reward(self, observations: Any, actions: Any) -> Floats:
        """The learned reward of each step of a path, not discounted. `observations` has one row more than `actions`."""
        self._fitted()
        path = read_paths([(observations, actions)], "path")[0]
        counted = PathFeatures(self.features, 1.0, self.names_ or None)
        counted.width = len(self.theta_)
        reward: Floats = counted.steps(path, "path 0") @ self.theta_
        return reward

    def score(self, demonstrations: Any, sample_weight: Any = None) -> float:
        """The mean log-likelihood of demonstrations up to a constant that the transitions determine; higher is better.

        Compare scores of one set of demonstrations only, and of fits to the same rollouts: log Z is estimated.
        """
        self._fitted()
        found = Observed(demonstrations, self.features, number("discount", self.discount), self.names_ or None, sample_weight)
        if len(found.mean) != len(self.theta_):
            raise ValueError(f"the demonstrations have {len(found.mean)} features, but theta_ {len(self.theta_)}")
        return float(found.mean @ self.theta_ - self.log_partition_)

    def sample(self, n: int, *, seed: Seed = 0) -> list[StatesAndActions]:
        """Approximate samples of the learned model: rollouts of the fit, drawn in proportion to their weights."""
        return self._rollouts().resample(self.theta_, n, seed=seed)
