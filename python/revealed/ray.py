"""Worlds on a Ray cluster: `pip install 'revealed[ray]'`.

>>> import revealed, revealed.ray  # doctest: +SKIP
>>> with revealed.ray.RayEngine() as engine:  # doctest: +SKIP
...     irl = revealed.MaxEntIRL().fit([(north, trips_north), (south, trips_south)], engine=engine)
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ray
from ray.exceptions import (
    ActorUnschedulableError,
    ObjectLostError,
    RayActorError,
    RayError,
    RaySystemError,
    RayTaskError,
    WorkerCrashedError,
)
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ._native import __version__
from .engines.engine import Engine, EngineError
from .engines.partition import PartOfWorld, WorldSource, assigned, loaded

__all__ = ["RayEngine"]

# A worker is a straggler if it needs this many times as long as the slowest that has answered, and a second more.
_STRAGGLES = 3.0
_LEAST_SECONDS = 1.0
_LOST = (RayActorError, ActorUnschedulableError, ObjectLostError, WorkerCrashedError)
_NO_PACKAGE = "No module named 'revealed"


class _Worker:
    """An actor: it loads parts when it is first asked about them, and keeps them."""

    def __init__(self, version: str, threads: int) -> None:
        if version != __version__:
            raise ValueError(f"this worker has revealed {__version__}, and the driver has {version}: install the same version")
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads)
        # Ray may ask twice at once: about its own parts, and about those of a straggler.
        self._loading = threading.Lock()
        self._key = -1
        self._worlds: list[Any] = []
        self._parts: list[PartOfWorld] = []
        self._known: dict[int, Any] = {}

    def ping(self) -> int:
        """Its process."""
        return os.getpid()

    def where(self) -> str:
        """Its node."""
        return str(ray.get_runtime_context().get_node_id())

    def ask(self, key: int, placed: list[Any], numbers: list[int], question: str) -> list[tuple[int, str]]:
        """The answers of these parts. `placed` has references to the worlds and to the list of parts."""
        with self._loading:
            if key != self._key:
                references, self._parts = ray.get(placed[0])
                self._worlds = [_Referenced(reference) for reference in references]
                self._key, self._known = key, {}
            missing = [number for number in numbers if number not in self._known]
            if missing:
                self._known |= loaded(self._worlds, self._parts, missing, self._threads)
            asked = [self._known[number] for number in numbers]
        answers = self._pool.map(lambda part: part.answer(question), asked)
        return list(zip(numbers, answers))

    def memory(self) -> dict[str, int]:
        """What the process holds in bytes: its own pages, and those that it shares with the object store."""
        with open("/proc/self/status") as status:
            fields = dict(line.split(":", 1) for line in status if line.startswith("Rss"))
        own, shared = (int(fields[name].split()[0]) * 1024 for name in ("RssAnon", "RssShmem"))
        return {"own": own, "shared": shared}


class _Referenced:
    """A world in the object store. Its columns are read there, without a copy."""

    def __init__(self, reference: Any) -> None:
        self._reference = reference

    def load(self) -> Any:
        return ray.get(self._reference).load()


def _call(function: Callable[[Any, Any], Any], shared: Any, item: Any) -> Any:
    return function(shared, item)


class _Hand:
    """A worker as the driver sees it: the actor, its node, and the parts that it is asked about."""

    def __init__(self, actor: Any, node: str, numbers: list[int]) -> None:
        self.actor, self.node, self.numbers = actor, node, numbers


class RayEngine(Engine):
    """Evaluates parts on Ray actors, by default one on each node with a thread for each of its CPUs.

    The worlds are put into the object store once. A worker builds a world from the columns there, so that a node holds
    each world that it works on once. An evaluation sends theta to every worker and adds the answers in the order of the
    parts. A worker or a node that is lost is replaced, and its parts are evaluated again. The parts of a straggler are
    divided among workers that have finished.

    Parameters
    ----------
    address : str, optional
        The cluster, as `ray.init` takes it; by default this machine alone, unless Ray runs already.
    workers : int, optional
        The number of workers; by default one for each node.
    threads : int, optional
        The threads of each worker; by default the CPUs of its node, divided among its workers.
    patience : float
        For how many seconds to wait for a node that takes a worker.
    runtime_env : dict, optional
        The environment of the workers, as Ray takes it.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        workers: int | None = None,
        threads: int | None = None,
        patience: float = 60.0,
        runtime_env: dict[str, Any] | None = None,
    ) -> None:
        self._own = not ray.is_initialized()
        if self._own:
            try:
                ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING, include_dashboard=False)
            except (ConnectionError, RayError) as error:
                raise EngineError(f"there is no Ray cluster at {address!r}: {error}") from error
        self._wanted, self._threads, self._patience, self._environment = workers, threads, patience, runtime_env
        self._hands: list[_Hand] = []
        self._key, self._n_parts = 0, 0
        self._placed: Any = None
        self._references: list[Any] = []
        self.replaced = 0
        """How many workers were lost and replaced."""
        self.divided = 0
        """How often the parts of a straggler were divided among others."""

    def place(self, worlds: Sequence[WorldSource], parts: Sequence[PartOfWorld]) -> None:
        self._key, self._n_parts = self._key + 1, len(parts)
        self._references = [ray.put(world) for world in worlds]
        self._placed = ray.put((self._references, list(parts)))
        nodes = self._nodes()
        n = self._wanted or len(nodes)
        shares = assigned(worlds, parts, n)
        each = [nodes[at % len(nodes)] for at in range(len(shares))]
        while len(self._hands) > len(shares):
            ray.kill(self._hands.pop().actor)
        for at, numbers in enumerate(shares):
            if at < len(self._hands):
                self._hands[at].numbers = numbers
            else:
                on_node = max(1, sum(other["NodeID"] == each[at]["NodeID"] for other in each))
                self._hands.append(self._started(each[at], numbers, on_node))

    def _nodes(self) -> list[dict[str, Any]]:
        """The nodes that can take a worker. It waits for one."""
        until = time.monotonic() + self._patience
        while True:
            try:
                nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) > 0]
            except (RayError, ConnectionError) as error:
                raise EngineError(f"the Ray cluster does not answer any more: {error}") from error
            if nodes:
                return sorted(nodes, key=lambda node: node["NodeID"])
            if time.monotonic() > until:
                raise EngineError(
                    f"no node of the Ray cluster has taken a worker for {self._patience:g} s: the cluster is gone, or has no CPU"
                )
            time.sleep(0.2)

    def _started(self, node: dict[str, Any], numbers: list[int], on_node: int = 1) -> _Hand:
        threads = self._threads or max(1, int(node["Resources"]["CPU"]) // on_node)
        where = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        options: dict[str, Any] = {"num_cpus": 0, "max_concurrency": 2, "scheduling_strategy": where}
        if self._environment is not None:
            options["runtime_env"] = self._environment
        actor = ray.remote(_Worker).options(**options).remote(__version__, threads)
        return _Hand(actor, node["NodeID"], numbers)

    def evaluate(self, question: str) -> list[str]:
        round_ = _Round(self, question)
        try:
            return round_.answers()
        except (RaySystemError, ConnectionError) as error:
            raise EngineError(f"the Ray cluster does not answer any more: {error}") from error

    def _replace(self, lost: _Hand, error: Exception) -> _Hand:
        """A new worker in the place of one that is lost."""
        if _NO_PACKAGE in str(error):
            raise EngineError(
                f"a worker has no package revealed: install revealed {__version__} on every node of the cluster"
            ) from error
        if "the driver has" in str(error):
            raise EngineError(str(error).strip().splitlines()[-1]) from error
        self.replaced += 1
        at = self._hands.index(lost)
        nodes = self._nodes()
        busy = [hand.node for hand in self._hands if hand is not lost]
        node = min(nodes, key=lambda node: busy.count(node["NodeID"]))
        self._hands[at] = self._started(node, lost.numbers)
        return self._hands[at]

    def map(self, function: Callable[[Any, Any], Any], items: Iterable[Any], shared: Any = None) -> list[Any]:
        reference = ray.put(shared)
        call = ray.remote(_call).options(max_retries=5, runtime_env=self._environment)
        try:
            return list(ray.get([call.remote(function, reference, item) for item in items]))
        except RayTaskError as error:
            raise (error.cause if isinstance(error.cause, Exception) else error) from None

    def memory(self) -> list[dict[str, Any]]:
        """The node of each worker, and what its process holds in bytes: `own`, and `shared` with the object store."""
        nodes = ray.get([hand.actor.where.remote() for hand in self._hands])
        found = ray.get([hand.actor.memory.remote() for hand in self._hands])
        return [{"node": node, **held} for node, held in zip(nodes, found)]

    def close(self) -> None:
        for hand in self._hands:
            ray.kill(hand.actor)
        self._hands, self._references, self._placed = [], [], None
        if self._own:
            ray.shutdown()


class _Round:
    """One question to all parts, until each has an answer."""

    def __init__(self, engine: RayEngine, question: str) -> None:
        self._engine, self._question = engine, question
        self._found: dict[int, str] = {}
        self._pending: dict[Any, tuple[_Hand, list[int]]] = {}
        self._begun = time.monotonic()
        self._slowest = 0.0
        self._helped: set[int] = set()
        for hand in engine._hands:
            self._ask(hand, hand.numbers)

    def _ask(self, hand: _Hand, numbers: list[int]) -> None:
        engine = self._engine
        reference = hand.actor.ask.remote(engine._key, [engine._placed], numbers, self._question)
        self._pending[reference] = (hand, numbers)

    def answers(self) -> list[str]:
        engine = self._engine
        while len(self._found) < engine._n_parts:
            done, _ = ray.wait(list(self._pending), num_returns=1, timeout=0.25)
            for reference in done:
                self._take(reference)
            if not done:
                self._check()
        return [self._found[number] for number in range(engine._n_parts)]

    def _take(self, reference: Any) -> None:
        hand, numbers = self._pending.pop(reference)
        try:
            answers = ray.get(reference)
        except _LOST as error:
            if hand in self._engine._hands:
                hand = self._engine._replace(hand, error)
                # Parts that it was helping with are asked from it as well.
                numbers = sorted({*numbers, *hand.numbers} - set(self._found))
                self._ask(hand, numbers)
            return
        except RayTaskError as error:
            cause = error.cause
            raise (cause if isinstance(cause, (ValueError, OSError, MemoryError)) else EngineError(str(error))) from error
        self._slowest = max(self._slowest, time.monotonic() - self._begun)
        for number, answer in answers:
            self._found.setdefault(number, answer)

    def _check(self) -> None:
        """Divides the parts of stragglers among the workers that have finished."""
        busy = {id(hand) for hand, _ in self._pending.values()}
        idle = [hand for hand in self._engine._hands if id(hand) not in busy]
        waited = time.monotonic() - self._begun
        if not idle or self._slowest == 0.0 or waited < _STRAGGLES * self._slowest + _LEAST_SECONDS:
            return
        late = sorted({number for _, numbers in self._pending.values() for number in numbers} - set(self._found) - self._helped)
        for at, hand in enumerate(idle):
            share = late[at :: len(idle)]
            if share:
                self._helped.update(share)
                self._ask(hand, share)
        self._engine.divided += bool(late)
