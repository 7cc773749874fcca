"""How the state of an environment is read: from its observation, from a function of the user, or from MiniGrid."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from ..inputs.labels import label_of

__all__ = ["MiniGridState", "StatesOf", "actions_of", "reader_of"]


class StatesOf:
    """Labels of states from observations."""

    def label(self, env: Any, observation: Any) -> Hashable:
        """The label of the state that the environment is in."""
        label = label_of(observation)
        if type(label) is float or (type(label) is tuple and any(type(part) is float for part in label)):
            raise ValueError(
                f"{type(env.unwrapped).__name__} shows the real numbers {observation!r}, and such states cannot be counted: give "
                "state=, a function of the environment that returns its state, or learn with revealed.ModelFreeIRL"
            )
        return label

    def prepare(self, env: Any) -> None:
        """Called before each step of an enumeration."""

    def action_labels(self, env: Any) -> list[Hashable] | None:
        """Names of the actions, if the environment has some."""
        return None


class FunctionStates(StatesOf):
    """Labels of states from a function of the environment."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def label(self, env: Any, observation: Any) -> Hashable:
        """What the function returns."""
        return label_of(self._function(env))


class MiniGridState(NamedTuple):
    """The state of a MiniGrid world; its observation shows only a part."""

    x: int
    y: int
    direction: int
    carrying: str
    objects: tuple[str, ...]
    walls: bytes

    def __repr__(self) -> str:
        held = f", carrying {self.carrying}" if self.carrying else ""
        return f"({self.x}, {self.y}) facing {'→↓←↑'[self.direction]}{held}; {', '.join(self.objects)}"


class MiniGridStates(StatesOf):
    """Labels of the states of MiniGrid: where the agent is, what it carries, and what else is in the grid."""

    def label(self, env: Any, observation: Any) -> Hashable:
        """The whole state, without the number of steps."""
        inner = env.unwrapped
        objects, walls = [], bytearray()
        grid = inner.grid
        for at, thing in enumerate(grid.grid):
            kind = None if thing is None else thing.type
            walls.append(kind == "wall")
            if thing is not None and kind != "wall":
                y, x = divmod(at, grid.width)
                objects.append(f"{_thing(thing)} at ({x}, {y})")
        x, y = (int(part) for part in inner.agent_pos)
        held = "" if inner.carrying is None else _thing(inner.carrying)
        return MiniGridState(x, y, int(inner.agent_dir), held, tuple(objects), bytes(walls))

    def prepare(self, env: Any) -> None:
        """The reward of MiniGrid shrinks with the number of steps, which is no part of the state."""
        env.unwrapped.step_count = 0

    def action_labels(self, env: Any) -> list[Hashable] | None:
        """left, right, forward, ..."""
        names = getattr(env.unwrapped, "actions", None)
        try:
            listed: list[Hashable] = [str(action.name) for action in sorted(names, key=int)]  # type: ignore[arg-type]
        except (TypeError, AttributeError):
            return None
        return listed


def _thing(thing: Any) -> str:
    """An object of MiniGrid in words."""
    text = f"{thing.color} {thing.type}"
    if thing.type == "door":
        text += " (open)" if thing.is_open else " (locked)" if thing.is_locked else " (closed)"
    contains = getattr(thing, "contains", None)
    return text if contains is None else f"{text} with a {_thing(contains)}"


def reader_of(env: Any, state: Any) -> StatesOf:
    """How the states of this environment are read."""
    if state is not None:
        if not callable(state):
            raise TypeError(f"state is {state!r}: it must be a function of the environment")
        return FunctionStates(state)
    inner = env.unwrapped
    if any(kind.__name__ == "MiniGridEnv" for kind in type(inner).__mro__):
        return MiniGridStates()
    return StatesOf()


def actions_of(env: Any, reader: StatesOf) -> tuple[list[Any], list[Hashable] | None]:
    """The actions as the environment takes them, and their labels; None for 0, 1, 2, ..."""
    space = env.action_space
    n = getattr(space, "n", None)
    if n is not None and not np.ndim(n):
        first = int(getattr(space, "start", 0))
        given: list[Any] = list(range(first, first + int(n)))
        names = reader.action_labels(env)
        if names is not None and len(names) == len(given):
            return given, names
        return given, None if first == 0 else list(given)
    sizes = getattr(space, "nvec", None)
    if sizes is not None and np.prod(np.asarray(sizes, dtype=np.float64)) <= 10_000:
        from itertools import product

        begin = np.ravel(getattr(space, "start", np.zeros_like(sizes)))
        each = [range(int(low), int(low) + int(size)) for low, size in zip(begin, np.ravel(sizes))]
        tuples = list(product(*each))
        return [np.array(one).reshape(np.shape(sizes)) for one in tuples], list(tuples)
    raise ValueError(
        f"{type(env.unwrapped).__name__}.action_space is {space}: it must be Discrete, or MultiDiscrete with at most 10,000 "
        "actions; for other spaces learn with revealed.ModelFreeIRL"
    )
