"""A learned model: the attributes of a fit, its scores and standard errors, and its file."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from .. import _native
from ..display.progress import Counter
from ..inputs.columns import Floats
from ..inputs.numbers import number
from ..inputs.options import Chance, Ends, Horizon
from ..mdp.demonstrations import native_demonstrations, trajectories_in
from ..mdp.mdp import Mdp
from ..questions.questions import Questions
from .search import SearchingEstimator
from .summary import Summary

__all__ = ["LearnedModel"]


class LearnedModel(SearchingEstimator, Questions):
    """An estimator after its fit."""

    def _set(self, mdp: Mdp, theta: Floats, record: dict[str, Any], null_directions: list[str]) -> None:
        self._set_search(theta, record)
        self.mdp_ = mdp
        self.horizon_: Horizon = record["horizon"]
        self.ends_: Ends = record["ends"]
        self.inference_: str = record["inference"]
        self.chance_: Chance = record["chance"]
        self.log_likelihood_: float = record["log_likelihood"]
        self.notes_: list[str] = record["notes"]
        self.null_directions_ = null_directions

    def _feature_names(self) -> list[str]:
        return self.mdp_.feature_names

    def _notes(self) -> list[str]:
        return self.notes_

    def summary(self, demonstrations: Any, *, level: float = 0.95, sample_weight: Any = None) -> Summary:
        """A table with standard errors. The demonstrations are those that the model was learned from."""
        self._fitted()
        paths = native_demonstrations(self.mdp_, demonstrations, sample_weight)
        if self.log_likelihood_ is None:
            problem = "these weights were not learned over these paths"
            raise ValueError(f"{problem}: fit(mdp, demonstrations) to have standard errors")
        return Summary(self._summarised(paths, number("level", level)))

    def _summarised(self, paths: _native.Demonstrations, level: float) -> dict[str, Any]:
        """The record of the model with standard errors."""
        work = self._threads(), self._memory()
        with Counter(self.progress, "standard errors") as counter:
            summarised = _native.summarise(self.mdp_._native, paths, json.dumps(self._record), level, *work, counter)
        assert summarised is not None  # the counter never asks to stop
        record: dict[str, Any] = json.loads(summarised)
        return record

    def score(self, mdp: Any, demonstrations: Any = None, sample_weight: Any = None) -> float:
        """The mean log-likelihood of demonstrations in the MDP of the fit; higher is better.

        `score(demonstrations)` and `score(mdp, demonstrations)` are the same: the MDP is always that of the fit.
        """
        self._fitted()
        paths = trajectories_in(self.mdp_, mdp if demonstrations is None else demonstrations, sample_weight)
        counts = paths.weights > 0.0
        if not counts.any():
            raise ValueError("no demonstration has a weight above 0: there is nothing to score")
        return float(np.average(self.score_samples(paths[counts]), weights=paths.weights[counts]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file (.json) that the command line reads."""
        self._fitted()
        _native.save_model(os.fspath(path), json.dumps(self._record))
