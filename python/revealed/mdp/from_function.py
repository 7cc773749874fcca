"""Worlds from a function: breadth-first over what `step` returns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from ..display.progress import Counter
from ..inputs.columns import listed
from ..inputs.labels import End, label_of
from ..inputs.numbers import number
from .explored import Explored
from .extras import Extras

__all__ = ["enumerate_function"]

_REMEDY = "give a larger max_states, or states that say less"
_FORMS = "the next state, {state: p}, or a list of (p, state), (p, state, reward) or (p, state, reward, terminated)"

Step = Callable[[Any, Any], Any]


class _Actions:
    """The actions of each state, and the number of each action."""

    def __init__(self, actions: Any) -> None:
        self._of = actions if callable(actions) else None
        self.labels: list[Hashable] = []
        self._index: dict[Hashable, int] = {}
        self._every = [] if callable(actions) else self._numbered(listed("actions", actions))

    def _numbered(self, actions: Iterable[Any]) -> list[tuple[int, Any]]:
        found = []
        for action in actions:
            label = label_of(action)
            at = self._index.setdefault(label, len(self.labels))
            if at == len(self.labels):
                self.labels.append(label)
            found.append((at, action))
        return found

    def of(self, state: Any) -> list[tuple[int, Any]]:
        """The actions that a state offers, with their numbers."""
        if self._of is None:
            return self._every
        return self._numbered(listed(f"actions({state!r})", self._of(state)))

    def named(self) -> list[Hashable] | None:
        """The labels; None if they are 0, 1, 2, ..."""
        plain = all(type(label) is int for label in self.labels) and self.labels == list(range(len(self.labels)))
        return None if plain else self.labels


def enumerate_function(
    start: Any, step: Step, actions: Any, terminal: Any, max_states: int, progress: bool | None
) -> tuple[dict[str, Any], Extras]:
    """Every state that `step` can lead to, with its actions and their outcomes."""
    if not callable(step):
        raise TypeError(f"step is {step!r}: it must be a function of (state, action)")
    world, acts, raw = Explored(max_states, _REMEDY), _Actions(actions), {}
    ended: set[int] = set()

    def found(state: Any, over: bool = False) -> int:
        label = label_of(state)
        at = world.number(End(label) if over else label)
        if at not in raw:
            raw[at] = state
            if over or _is_terminal(terminal, state):
                ended.add(at)
            else:
                waiting.append(at)
        return at

    waiting: deque[int] = deque()
    for state, p in start.items() if isinstance(start, Mapping) else [(start, 1.0)]:
        world.start[found(state)] = number("start", p)
    done = 0
    with Counter(progress, "states") as counter:
        while waiting:
            at = waiting.popleft()
            state, offered = raw[at], acts.of(raw[at])
            if not offered:
                ended.add(at)
            for action, given in offered:
                place = f"step({state!r}, {given!r})"
                outcomes = [(p, found(to, over), reward, 0) for p, to, reward, over in _outcomes(place, step(state, given))]
                world.add(at, action, _added_up(outcomes))
            done += 1
            counter(done, len(world.labels))
    world.ends = ended
    return world.parts(max(len(acts.labels), 1), acts.named())


def _is_terminal(terminal: Any, state: Any) -> bool:
    if terminal is None:
        return False
    return bool(terminal(state)) if callable(terminal) else state in terminal


def _outcomes(place: str, value: Any) -> list[tuple[float, Any, float, bool]]:
    """What `step` returned, as (p, next state, reward, terminated)."""
    if value is None:
        raise ValueError(f"{place} is None: it must return {_FORMS}")
    if isinstance(value, Mapping):
        value = [(p, to) for to, p in value.items()]
    if not isinstance(value, list):
        return [(1.0, value, 0.0, False)]
    rows = []
    for outcome in value:
        if not isinstance(outcome, tuple) or not 2 <= len(outcome) <= 4:
            raise ValueError(f"{place} has the outcome {outcome!r}: it must return {_FORMS}")
        p, to, reward, over = (*outcome, 0.0, False)[:4] if len(outcome) == 2 else (*outcome, False)[:4]
        chance = number(f"{place}: the probability", p)
        if chance != 0.0:
            rows.append((chance, to, number(f"{place}: the reward", reward), bool(over)))
    total = sum(row[0] for row in rows)
    if not np.isclose(total, 1.0, rtol=0.0, atol=1e-9) or any(row[0] < 0.0 for row in rows):
        raise ValueError(f"{place}: the probabilities sum to {total:g}: they must be positive and sum to 1")
    return rows


def _added_up(outcomes: list[tuple[float, int, float, int]]) -> list[tuple[float, int, float, int]]:
    """Each next state once: its probability, and the mean of its rewards."""
    if len(outcomes) == 1:
        return outcomes
    total: dict[int, tuple[float, float]] = {}
    for p, to, reward, _ in outcomes:
        before = total.get(to, (0.0, 0.0))
        total[to] = before[0] + p, before[1] + p * reward
    return [(p, to, paid / p, 0) for to, (p, paid) in total.items()]
