"""The seam: what an engine must do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .partition import PartOfWorld, WorldSource

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Engine", "EngineError"]


class EngineError(RuntimeError):
    """An engine cannot go on: its workers lack the package, or are gone for good."""


class Engine:
    """Places the parts of the evidence once, and evaluates them often.

    The parts are fixed by the data, and the answers come in their order. So the number of workers, and which of them
    does what, do not change a bit of the result. An engine is three calls: `place`, `evaluate` and `close`. `map` is for
    work that is not a fit in parts, such as the fits of a bootstrap.
    """

    def place(self, worlds: Sequence[WorldSource], parts: Sequence[PartOfWorld]) -> None:
        """Hand the parts to the workers. Each worker loads the worlds that its parts need, once."""
        raise NotImplementedError

    def evaluate(self, question: str) -> list[str]:
        """The answer of each part to a question, in the order of the parts."""
        raise NotImplementedError

    def close(self) -> None:
        """Let the workers and what they hold go."""

    def map(self, function: Callable[[Any, Any], Any], items: Iterable[Any], shared: Any = None) -> list[Any]:
        """`function(shared, item)` for each item, in their order. `shared` is handed over once for each worker."""
        return [function(shared, item) for item in items]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
