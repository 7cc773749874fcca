"""Processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from .engine import Engine, EngineError
from .partition import PartOfWorld, WorldSource, assigned, loaded

__all__ = ["ProcessEngine"]

# A part that ends its process this often ends the next one, too.
_MOST_LOSSES = 3


def _work(connection: Connection) -> None:
    """The loop of a worker: it loads parts, answers questions, and calls functions."""
    parts: dict[int, Any] = {}
    shared: Any = None
    while True:
        try:
            asked, *given = connection.recv()
        except EOFError:
            return
        try:
            answer: Any = None
            if asked == "place":
                parts = loaded(given[0], given[1], given[2], 1)
            elif asked == "evaluate":
                answer = [(number, part.answer(given[0])) for number, part in parts.items()]
            elif asked == "share":
                shared = given[0]
            elif asked == "call":
                answer = given[0](shared, given[1])
        except Exception as error:
            connection.send((False, error))
        else:
            connection.send((True, answer))


class _Worker:
    """A process, and what it was given."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._start()

    def _start(self) -> None:
        self.connection, other = self._context.Pipe()
        self.process = self._context.Process(target=_work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def again(self) -> None:
        """Start another process in the place of one that has ended."""
        self.connection.close()
        self.process.join()
        self._start()

    def say(self, *words: Any) -> bool:
        """Whether it could be said."""
        try:
            self.connection.send(words)
        except (BrokenPipeError, OSError):
            return False
        return True

    def hear(self) -> tuple[bool, Any] | None:
        """What it answers; None if it has ended."""
        try:
            found: tuple[bool, Any] = self.connection.recv()
            return found
        except (EOFError, OSError):
            return None


class ProcessEngine(Engine):
    """Evaluates parts in processes of this machine. A process that ends is replaced, and asked again.

    Parameters
    ----------
    workers : int, optional
        The number of processes; by default one for each core.
    """

    def __init__(self, workers: int | None = None) -> None:
        context = multiprocessing.get_context("spawn")
        self._workers = [_Worker(context) for _ in range(workers or os.cpu_count() or 1)]
        self._placed: list[tuple[Any, ...]] = []
        self._n_parts = 0

    def place(self, worlds: Sequence[WorldSource], parts: Sequence[PartOfWorld]) -> None:
        self._n_parts = len(parts)
        shares = assigned(worlds, parts, len(self._workers))
        self._placed = [("place", list(worlds), list(parts), numbers) for numbers in shares]
        self._all(self._placed, again=lambda at: None)

    def evaluate(self, question: str) -> list[str]:
        answers: list[Any] = [None] * self._n_parts
        asked = [("evaluate", question) for _ in self._placed]
        for found in self._all(asked, again=lambda at: self._placed[at]):
            for number, answer in found:
                answers[number] = answer
        return answers

    def _all(self, words: Sequence[tuple[Any, ...]], again: Callable[[int], tuple[Any, ...] | None]) -> list[Any]:
        """Says something to each worker, and waits for all answers. A worker that has ended gets `again` first."""
        for worker, asked in zip(self._workers, words):
            worker.say(*asked)
        return [self._answer(at, asked, again) for at, asked in enumerate(words)]

    def _answer(self, at: int, asked: tuple[Any, ...], again: Callable[[int], tuple[Any, ...] | None]) -> Any:
        worker = self._workers[at]
        for _ in range(_MOST_LOSSES):
            heard = worker.hear()
            if heard is None:
                worker.again()
                before = again(at)
                if before is not None and (not worker.say(*before) or worker.hear() is None):
                    continue
                worker.say(*asked)
                continue
            fine, answer = heard
            if fine:
                return answer
            raise answer
        raise EngineError(f"worker {at} has ended {_MOST_LOSSES} times at the same work: it may need more memory than there is")

    def map(self, function: Callable[[Any, Any], Any], items: Iterable[Any], shared: Any = None) -> list[Any]:
        todo = list(items)
        self._all([("share", shared)] * len(self._workers), again=lambda at: None)
        found: list[Any] = []
        for first in range(0, len(todo), len(self._workers)):
            calls = [("call", function, item) for item in todo[first : first + len(self._workers)]]
            found += self._all(calls, again=lambda at: ("share", shared))
        return found

    def close(self) -> None:
        for worker in self._workers:
            worker.connection.close()
        for worker in self._workers:
            worker.process.join(timeout=5)
            if worker.process.is_alive():
                worker.process.terminate()
        self._workers, self._placed = [], []
