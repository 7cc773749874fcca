"""Progress of long work: a bar in a terminal or notebook, and a callback for everything else."""

from __future__ import annotations

import logging
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..inputs.columns import Floats

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Callback", "Counter", "Progress", "Stages", "Watcher"]

_LOG = logging.getLogger("revealed")

# A bar that flashes up for a fit of milliseconds is a nuisance.
_SECONDS_BEFORE_A_BAR = 1.0
# Often enough for a bar, and for what is kept when a search is interrupted.
_SECONDS_BETWEEN_STEPS = 0.05


# What stderr raises if it is full, closed, or not there.
_UNWRITABLE = (OSError, ValueError, AttributeError)


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except _UNWRITABLE:
        return False


@dataclass(frozen=True, eq=False)
class Progress:
    """The state of a search after an iteration."""

    iteration: int
    """The number of the iteration, from 1."""
    evaluations: int
    """How many likelihoods were computed so far."""
    theta: Floats
    """The current weights."""
    objective: float
    """The mean log-likelihood at `theta`, minus the penalty."""
    gradient_norm: float
    """The largest component of the projected gradient, in the units of the tolerance."""


Callback = Callable[[Progress], "bool | None"]


class _Bar:
    """A tqdm bar that appears if the work takes longer than a moment.

    There is no bar without tqdm, or if the output is neither a terminal nor a notebook.
    """

    def __init__(self, progress: bool | None, description: str, unit: str) -> None:
        self._show = ("ipykernel" in sys.modules or _is_terminal()) if progress is None else bool(progress)
        self._at_once = bool(progress)
        self._texts = description, unit
        self._begun = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._draw(lambda bar: bar.close())

    def _draw(self, change: Callable[[Any], object]) -> None:
        """Changes the bar. One that cannot be written, on a full or closed stderr, is dropped: the work goes on."""
        if self._bar is None:
            return
        try:
            change(self._bar)
        except _UNWRITABLE:
            self._bar.disable = True
            self._bar, self._show = None, False

    def _to(self, done: int, total: int | None, text: str = "") -> None:
        waited = self._at_once or time.monotonic() - self._begun > _SECONDS_BEFORE_A_BAR
        if self._bar is None and self._show and waited:
            try:
                # Without ipywidgets tqdm complains in a notebook, and then draws a bar of text, which will do.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    from tqdm.auto import tqdm
            except ImportError:
                self._show = False
                return
            description, unit = self._texts
            try:
                self._bar = tqdm(desc=description, unit=unit, total=total, leave=False)
            except _UNWRITABLE:
                self._show = False
        self._draw(lambda bar: (bar.update(done - bar.n), bar.set_postfix_str(text, refresh=False)))


class Watcher(_Bar):
    """Watches a search: shows a bar, calls the user's callback, and remembers the current weights."""

    def __init__(self, progress: bool | None, callback: Callback | None) -> None:
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is {callback!r}: it must be a function of a Progress")
        super().__init__(progress, "learning", " steps")
        self._callback = callback
        self.theta: Floats | None = None
        self.stopped = False
        self.every = 0.0 if callback is not None else _SECONDS_BETWEEN_STEPS

    def __call__(self, iteration: int, evaluations: int, theta: Floats, value: float, gradient_norm: float) -> bool:
        self.theta = theta
        self._to(iteration, None, f"objective {value:.6f}, gradient {gradient_norm:.1e}")
        _LOG.debug("iteration %d: objective %.10g, gradient %.3g", iteration, value, gradient_norm)
        if self._callback is None:
            return False
        self.stopped = bool(self._callback(Progress(iteration, evaluations, theta.copy(), value, gradient_norm)))
        return self.stopped


class Counter(_Bar):
    """Counts finished pieces of work."""

    def __init__(self, progress: bool | None, description: str) -> None:
        super().__init__(progress, description, "")

    def __call__(self, done: int, total: int) -> bool:
        self._to(done, total)
        return False


class Stages(_Bar):
    """Counts finished pieces of work in several stages, one after the other, each with a bar of its own."""

    def __init__(self, progress: bool | None) -> None:
        super().__init__(progress, "", "")

    def __call__(self, what: str, done: int, total: int) -> bool:
        if what != self._texts[0]:
            self._draw(lambda bar: bar.close())
            self._bar, self._texts = None, (what, "")
        self._to(done, total or None)
        return False
