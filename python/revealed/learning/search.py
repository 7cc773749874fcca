"""The search for theta as both estimators run it: its settings, its progress, Ctrl-C, and how it ended."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..display.progress import Callback, Watcher
from ..engines.engine import EngineError
from ..inputs.columns import Floats, floats
from ..inputs.numbers import count, number
from ..inputs.options import Bounds, bounds_of
from .parameters import Parameters

__all__ = ["ConvergenceWarning", "STOPPED", "SearchingEstimator", "first_theta"]

Found = TypeVar("Found")

STOPPED = "stopped by the callback"
"""What `stopped_because_` says of a search that a callback ended."""

_LOG = logging.getLogger("revealed")


class ConvergenceWarning(UserWarning):
    """A search ended before it found the optimum. A search that a callback stops is no such search."""


def first_theta(theta0: Any, start: Any) -> Any:
    """Where a search begins: `theta0`, which was `start` once."""
    if start is None:
        return theta0
    if theta0 is not None:
        raise TypeError("theta0 and start are both given: give theta0 alone, start is its old name")
    warnings.warn("start is now theta0: fit(..., theta0=weights)", DeprecationWarning, stacklevel=3)
    return start


def _finite(theta0: Floats) -> Floats:
    bad = np.flatnonzero(~np.isfinite(theta0))
    if len(bad):
        raise ValueError(f"theta0[{bad[0]}] is {theta0[bad[0]]:g}: it must be a finite number")
    return theta0


class SearchingEstimator(Parameters):
    """An estimator that searches for theta."""

    bounds: Bounds | None
    l2: float
    tolerance: float
    max_iter: int
    progress: bool | None
    _was_stopped: bool = False

    def _search_settings(self, n_features: int, start: Any) -> dict[str, Any]:
        """The settings of the search, as the engine takes them."""
        return {
            "bounds": bounds_of(self.bounds, n_features),
            "l2": number("l2", self.l2),
            "start": None if start is None else _finite(floats("theta0", start, n_features)),
            "tolerance": number("tolerance", self.tolerance),
            "max_iterations": count("max_iter", self.max_iter, least=0),
        }

    def _watched(self, callback: Callback | None, search: Callable[[Watcher], Found]) -> Found:
        """Runs a search with a progress bar.

        Ctrl-C, or the failure of an engine, keeps the last weights in `partial_theta_`, and is raised again.
        """
        begun = time.monotonic()
        with Watcher(self.progress, callback) as watch:
            try:
                found = search(watch)
            except (KeyboardInterrupt, EngineError):
                if watch.theta is not None:
                    self.partial_theta_ = watch.theta
                _LOG.info("%s: interrupted after %.2f s", type(self).__name__, time.monotonic() - begun)
                raise
            finally:
                self._was_stopped = watch.stopped
        _LOG.info("%s: searched for %.2f s", type(self).__name__, time.monotonic() - begun)
        return found

    def _stopped_in(self, record: dict[str, Any]) -> dict[str, Any]:
        """The record of a search. If a callback stopped it, it says so."""
        if self._was_stopped and not record["converged"]:
            record = {**record, "stopped_because": STOPPED}
        return record

    def _warn_unless_converged(self) -> None:
        """A warning where the search failed to find the optimum, and nobody stopped it."""
        if not self.converged_ and not self.stopped_ and self.max_iter > 0:
            remedy = "theta_ is not the optimum; raise max_iter, or give bounds or l2 if weights grow without end"
            warnings.warn(f"{self.stopped_because_}: {remedy}", ConvergenceWarning, stacklevel=3)

    def _set_search(self, theta: Floats, record: dict[str, Any]) -> None:
        """The attributes that tell how a search ended, from the record of a model file."""
        self.theta_ = theta
        self.n_features_in_ = len(theta)
        self.converged_: bool = record["converged"]
        self.stopped_: bool = record["stopped_because"] == STOPPED
        self.stopped_because_: str = record["stopped_because"]
        self.gradient_norm_: float = record["gradient_norm"]
        self.n_iter_: int = record["iterations"]
        self.n_evaluations_: int = record["evaluations"]
        self._record = record
