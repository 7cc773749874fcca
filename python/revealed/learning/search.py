"""The search for theta as both estimators run it: its settings, its progress, Ctrl-C, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..display.progress import Callback, Watcher
from ..inputs.columns import Floats, floats
from ..inputs.numbers import count, number
from ..inputs.options import Bounds, bounds_of
from .parameters import Parameters

__all__ = ["SearchingEstimator"]

Found = TypeVar("Found")


class SearchingEstimator(Parameters):
    """An estimator that searches for theta."""

    bounds: Bounds | None
    l2: float
    tolerance: float
    max_iter: int
    progress: bool | None

    def _search_settings(self, n_features: int, start: Any) -> dict[str, Any]:
        """The settings of the search, as the engine takes them."""
        return {
            "bounds": bounds_of(self.bounds, n_features),
            "l2": number("l2", self.l2),
            "start": None if start is None else floats("start", start, n_features),
            "tolerance": number("tolerance", self.tolerance),
            "max_iterations": count("max_iter", self.max_iter, least=0),
        }

    def _watched(self, callback: Callback | None, search: Callable[[Watcher], Found]) -> Found:
        """Runs a search with a progress bar. Ctrl-C keeps the last weights in `partial_theta_`, and is raised again."""
        with Watcher(self.progress, callback) as watch:
            try:
                return search(watch)
            except KeyboardInterrupt:
                if watch.theta is not None:
                    self.partial_theta_ = watch.theta
                raise

    def _set_search(self, theta: Floats, record: dict[str, Any]) -> None:
        """The attributes that tell how a search ended, from the record of a model file."""
        self.theta_ = theta
        self.n_features_in_ = len(theta)
        self.converged_: bool = record["converged"]
        self.stopped_because_: str = record["stopped_because"]
        self.gradient_norm_: float = record["gradient_norm"]
        self.n_iter_: int = record["iterations"]
        self.n_evaluations_: int = record["evaluations"]
        self._record = record
