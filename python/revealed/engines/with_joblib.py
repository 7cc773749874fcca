"""joblib: whichever backend is chosen with `joblib.parallel_config`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import _native
from .engine import Engine
from .partition import PartOfWorld, WorldSource, loaded

__all__ = ["JoblibEngine"]

_KEYS = itertools.count()
# The parts that a worker of joblib has loaded, by the engine that placed them.
_LOADED: dict[int, dict[int, _native.Part]] = {}


def _answer(key: int, worlds: list[WorldSource], parts: list[PartOfWorld], number: int, question: str) -> str:
    for other in [other for other in _LOADED if other != key]:
        del _LOADED[other]
    known = _LOADED.setdefault(key, {})
    if number not in known:
        known.update(loaded(worlds, parts, [number], threads=1))
    return known[number].answer(question)


class JoblibEngine(Engine):
    """Evaluates parts by `joblib.Parallel`. Every question carries the worlds, so give files for large ones.

    Parameters
    ----------
    n_jobs : int, optional
        As joblib has it.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        import joblib

        self._delayed = joblib.delayed
        self._parallel = joblib.Parallel(n_jobs=n_jobs)
        self._placed: tuple[int, list[WorldSource], list[PartOfWorld]] = (0, [], [])

    def place(self, worlds: Sequence[WorldSource], parts: Sequence[PartOfWorld]) -> None:
        self._placed = (next(_KEYS), list(worlds), list(parts))

    def evaluate(self, question: str) -> list[str]:
        calls = (self._delayed(_answer)(*self._placed, number, question) for number in range(len(self._placed[2])))
        return list(self._parallel(calls))

    def map(self, function: Callable[[Any, Any], Any], items: Iterable[Any], shared: Any = None) -> list[Any]:
        return list(self._parallel(self._delayed(function)(shared, item) for item in items))
