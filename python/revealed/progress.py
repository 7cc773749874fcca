"""How long work stands: a bar where somebody is watching, a callback for everything else."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from ._columns import Floats

__all__ = ["Progress"]

# A bar that flashes up for a fit of milliseconds is a nuisance.
_PATIENCE = 1.0
# Often enough for a bar, and for what is kept when a search is interrupted.
_EVERY = 0.05

Self = TypeVar("Self", bound="_Bar")


@dataclass(frozen=True, eq=False)
class Progress:
    """How a search stands after an iteration."""

    iteration: int
    """From 1."""
    evaluations: int
    """Likelihoods computed so far."""
    theta: Floats
    """Where the search stands."""
    objective: float
    """The mean log-likelihood there, less the penalty."""
    gradient_norm: float
    """The largest component of the projected gradient, in the units of the tolerance."""


class _Bar:
    """A tqdm bar that appears when work takes longer than a moment; none without tqdm, or where nobody is watching."""

    def __init__(self, progress: bool | None, description: str, unit: str) -> None:
        self._show = ("ipykernel" in sys.modules or sys.stderr.isatty()) if progress is None else bool(progress)
        self._at_once = bool(progress)
        self._words = description, unit
        self._begun = time.monotonic()
        self._bar: Any = None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _to(self, done: int, total: int | None, words: str = "") -> None:
        if self._bar is None and self._show and (self._at_once or time.monotonic() - self._begun > _PATIENCE):
            try:
                # Without ipywidgets tqdm complains in a notebook, and then draws a bar of text, which will do.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    from tqdm.auto import tqdm
            except ImportError:
                self._show = False
                return
            description, unit = self._words
            self._bar = tqdm(desc=description, unit=unit, total=total, leave=False)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
            self._bar.set_postfix_str(words, refresh=False)


class Watcher(_Bar):
    """Watches a search, and remembers where it stands."""

    def __init__(self, progress: bool | None, callback: Callable[[Progress], bool | None] | None) -> None:
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is {callback!r}: it must be a function of a Progress")
        super().__init__(progress, "learning", " steps")
        self._callback = callback
        self.theta: Floats | None = None
        self.every = 0.0 if callback is not None else _EVERY

    def __call__(self, iteration: int, evaluations: int, theta: Floats, value: float, gradient_norm: float) -> bool:
        self.theta = theta
        self._to(iteration, None, f"objective {value:.6f}, gradient {gradient_norm:.1e}")
        if self._callback is None:
            return False
        return bool(self._callback(Progress(iteration, evaluations, theta.copy(), value, gradient_norm)))


class Counter(_Bar):
    """Counts pieces of work."""

    def __init__(self, progress: bool | None, description: str) -> None:
        super().__init__(progress, description, "")

    def __call__(self, done: int, total: int) -> bool:
        self._to(done, total)
        return False
