"""Threads of this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .. import _native
from .engine import Engine
from .partition import PartOfWorld, WorldSource, loaded

__all__ = ["ThreadEngine"]


class ThreadEngine(Engine):
    """Evaluates parts on threads of this process. The engine in Rust does not hold up Python's other threads.

    Parameters
    ----------
    workers : int, optional
        The number of threads; by default one for each core.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.workers)
        self._parts: list[_native.Part] = []

    def place(self, worlds: Sequence[WorldSource], parts: Sequence[PartOfWorld]) -> None:
        found = loaded(worlds, parts, range(len(parts)), self.workers)
        self._parts = [found[number] for number in range(len(parts))]

    def evaluate(self, question: str) -> list[str]:
        if len(self._parts) < self.workers:
            return [part.answer(question) for part in self._parts]
        return list(self._pool.map(lambda part: part.answer(question), self._parts))

    def map(self, function: Callable[[Any, Any], Any], items: Iterable[Any], shared: Any = None) -> list[Any]:
        return list(self._pool.map(lambda item: function(shared, item), items))

    def close(self) -> None:
        self._parts = []
        self._pool.shutdown()
