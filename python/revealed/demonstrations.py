"""What somebody did, from whatever it is kept in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._columns import Floats, Integers, count, floats, frame_columns, integers, is_frame

if TYPE_CHECKING:
    from .mdp import Mdp

__all__ = ["Trajectories"]


class Trajectories:
    """Paths s_1 a_1 s_2 ... s_l, stored flat: demonstrations, or samples of a model.

    Parameters
    ----------
    paths
        One of: a list of paths, each a list of (state, action) pairs that ends in (state, None), or a pair (states, actions) with
        one action fewer than states, or an object with `obs` and `acts` (trajectories of `imitation`); a pandas or polars frame
        in long form with the columns `id`, `state`, `action` (missing on each last row); Trajectories.
    weights : vector, optional
        How much each path counts; 1 unless given.

    Examples
    --------
    >>> import revealed
    >>> paths = revealed.Trajectories([[(0, 1), (2, None)], [(0, 0), (1, None)]])
    >>> len(paths), paths[0]
    (2, [(0, 1), (2, None)])
    """

    __slots__ = ("offsets", "states", "actions", "weights", "ids")

    offsets: Integers
    states: Integers
    actions: Integers
    weights: Floats
    ids: list[str | None]

    def __init__(self, paths: Any, *, weights: Any = None) -> None:
        if isinstance(paths, Trajectories):
            columns = paths.offsets, paths.states, paths.actions, paths.weights, paths.ids
        elif is_frame(paths):
            columns = _of_frame(paths)
        elif isinstance(paths, (str, bytes, os.PathLike)):
            raise TypeError(f"{paths!r} is a name: read files with Trajectories.load")
        else:
            columns = _of_paths(paths)
        self.offsets, self.states, self.actions, self.weights, self.ids = columns
        if weights is not None:
            self.weights = floats("weights", weights, len(self))

    @classmethod
    def _of(cls, columns: Any) -> Trajectories:
        paths = cls.__new__(cls)
        paths.offsets, paths.states, paths.actions, paths.weights, paths.ids = columns
        return paths

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trajectories:
        """Read a file of demonstrations (.jsonl or .npz), as the command line writes it."""
        return cls._of(_native.Demonstrations.read(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of demonstrations (.jsonl or .npz) for the command line."""
        columns = self.offsets, self.states, self.actions, self.weights, self.ids
        _native.Demonstrations.write(os.fspath(path), *columns)

    @property
    def lengths(self) -> Integers:
        """The number of states of each path."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> list[tuple[int, int | None]]:
        if not -len(self) <= index < len(self):
            raise IndexError(f"path {index} of {len(self)}")
        index %= len(self)
        span = slice(self.offsets[index], self.offsets[index + 1])
        actions: list[int | None] = [*self.actions[span][:-1].tolist(), None]
        return list(zip(self.states[span].tolist(), actions))

    def __iter__(self) -> Iterator[list[tuple[int, int | None]]]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        mean = f", {self.lengths.mean():.1f} states on average" if len(self) else ""
        return f"Trajectories({len(self)} paths{mean})"

    def _repr_html_(self) -> str:
        from .cards import trajectories_card

        return trajectories_card(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trajectories):
            return NotImplemented
        mine, theirs = ((p.offsets, p.states, p.actions, p.weights) for p in (self, other))
        return all(np.array_equal(a, b) for a, b in zip(mine, theirs)) and self.ids == other.ids

    __hash__ = None  # type: ignore[assignment]

    def to_frame(self) -> Any:
        """A pandas frame in long form: id, state, action (missing on each last row)."""
        import pandas

        ids = np.repeat(np.arange(len(self)), self.lengths)
        action = pandas.array(self.actions, dtype="Int64")
        action[self.actions < 0] = pandas.NA
        return pandas.DataFrame({"id": ids, "state": self.states, "action": action})


def _flat(paths: list[tuple[Any, Any]], ids: list[str | None]) -> Any:
    """Columns of paths that were told apart into states and actions, checked for their shape."""
    states, actions, offsets = [], [], [0]
    for at, (of_states, of_actions) in enumerate(paths):
        s = integers(f"demonstration {at}: states", of_states)
        a = integers(f"demonstration {at}: actions", of_actions)
        if len(s) == 0:
            raise ValueError(f"demonstration {at} has no states: give at least one")
        if len(a) != len(s) - 1:
            raise ValueError(f"demonstration {at}: {len(s)} states need {len(s) - 1} actions, but there are {len(a)}")
        states.append(s)
        actions += [a, np.array([-1])]
        offsets.append(offsets[-1] + len(s))
    if not paths:
        raise ValueError("there are no demonstrations: give at least one")
    columns = np.array(offsets, np.int64), np.concatenate(states), np.concatenate(actions).astype(np.int64)
    return *columns, np.ones(len(paths)), ids


def _of_paths(paths: Iterable[Any]) -> Any:
    try:
        listed = list(paths)
    except TypeError:
        raise TypeError(f"{type(paths).__name__} is no list of demonstrations") from None
    told_apart = [_states_and_actions(at, path) for at, path in enumerate(listed)]
    return _flat(told_apart, [None] * len(listed))


def _states_and_actions(at: int, path: Any) -> tuple[Any, Any]:
    if hasattr(path, "obs") and hasattr(path, "acts"):
        return path.obs, path.acts
    if isinstance(path, tuple) and len(path) == 2 and all(np.ndim(part) == 1 for part in path):
        return path
    if isinstance(path, (str, bytes)) or not isinstance(path, (Sequence, np.ndarray)):
        raise TypeError(f"demonstration {at} is a {type(path).__name__}: give a list of (state, action) pairs")
    states, actions = [], []
    for step, pair in enumerate(path):
        try:
            state, action = pair
        except (TypeError, ValueError):
            raise ValueError(f"demonstration {at}, step {step}: {pair!r} is no (state, action) pair") from None
        last = step == len(path) - 1
        if _missing(action) != last:
            problem = "the last action must be None" if last else "only the last action may be None"
            raise ValueError(f"demonstration {at}, step {step}: the action is {action!r}: {problem}")
        states.append(_whole(at, step, "state", state))
        if not last:
            actions.append(_whole(at, step, "action", action))
    return states, actions


def _whole(at: int, step: int, what: str, value: Any) -> int:
    try:
        return count(what, value, least=0)
    except (TypeError, ValueError) as error:
        raise type(error)(f"demonstration {at}, step {step}: {error}") from None


def _missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value) or value == -1
    except (TypeError, ValueError):
        # pandas.NA answers no question about itself.
        return type(value).__name__ == "NAType"


def _of_frame(frame: Any) -> Any:
    names = frame_columns(frame)
    for name in ("id", "state", "action"):
        if name not in names:
            raise ValueError(f"the frame has no column {name!r}: it needs id, state and action, a row for each step")
    ids = frame["id"].to_list()
    states, actions = frame["state"].to_list(), frame["action"].to_list()
    paths: dict[Any, list[tuple[Any, Any]]] = {}
    for label, state, action in zip(ids, states, actions):
        paths.setdefault(label, []).append((state, action))
    told_apart = [_states_and_actions(at, path) for at, path in enumerate(paths.values())]
    return _flat(told_apart, [str(label) for label in paths])


def native_demonstrations(mdp: Mdp, paths: Trajectories) -> _native.Demonstrations:
    """Paths checked against their world."""
    columns = paths.offsets, paths.states, paths.actions, paths.weights, paths.ids
    return _native.Demonstrations(mdp._native, *columns)
