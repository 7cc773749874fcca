"""Lists of paths: pairs (state, action), pairs of arrays, trajectories of imitation, episodes of Minari."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..inputs.columns import Integers
from ..inputs.frames import is_frame
from .steps import Columns, is_missing, name_of, of_pairs, whole_numbers
from .transitions import chained, is_flat, is_transitions, of_flat, of_transitions

__all__ = ["given_path", "given_paths", "of_imitation", "of_list", "of_minari"]

# Where objects have their states and actions: episodes of `collect`, trajectories of imitation, episodes of Minari.
_COLUMNS = (("states", "actions"), ("obs", "acts"), ("observations", "actions"))


def of_list(paths: Iterable[Any]) -> Columns:
    """From one path after another."""
    if isinstance(paths, np.ndarray) and paths.ndim == 0:
        raise TypeError("a number is not a list of demonstrations")
    try:
        listed = list(paths)
    except TypeError:
        raise TypeError(f"a {type(paths).__name__} is not a list of demonstrations") from None
    _refuse_one_path(paths, listed)
    if is_flat(listed):
        listed = of_flat(listed)
    return _joined([_states_and_actions(name_of(at), path) for at, path in enumerate(listed)])


def given_paths(paths: Any) -> list[Any]:
    """Paths one by one, each as it was given, from all that is not a frame: those of transitions are put together."""
    if is_transitions(paths):
        return list(of_transitions(paths))
    if hasattr(paths, "iterate_episodes"):
        return list(paths.iterate_episodes())
    listed = list(paths)
    return list(of_flat(listed)) if is_flat(listed) else listed


def given_path(place: str, path: Any) -> tuple[Any, Any] | None:
    """The states and the actions of a path as they were given; None if it is no path."""
    for names in _COLUMNS:
        if all(hasattr(path, name) for name in names):
            return rows_of(getattr(path, names[0])), rows_of(getattr(path, names[1]))
    if isinstance(path, tuple) and len(path) == 2 and all(map(_is_column, path)) and not _is_pair_of_pairs(path):
        return rows_of(path[0]), rows_of(path[1])
    if isinstance(path, (str, bytes)) or not isinstance(path, (list, tuple, np.ndarray)) or not len(path):
        return None
    if all(isinstance(pair, (list, tuple, np.ndarray)) and len(pair) == 2 for pair in path):
        if not is_missing(path[-1][1]):
            return None
        return [state for state, _ in path], [action for _, action in path[:-1]]
    return chained(place, path)


def rows_of(column: Any) -> Any:
    """A row for each step, also from observations that are stored as a dict or a tuple of columns."""
    if isinstance(column, Mapping):
        names = list(column)
        return [dict(zip(names, row)) for row in zip(*(rows_of(column[name]) for name in names))]
    if isinstance(column, tuple) and column and all(isinstance(part, np.ndarray) and part.ndim for part in column):
        return list(zip(*map(rows_of, column)))
    return column


def of_imitation(transitions: Any) -> Columns:
    """From Transitions of `imitation`."""
    return _joined([_states_and_actions(name_of(at), path) for at, path in enumerate(of_transitions(transitions))])


def of_minari(dataset: Any) -> Columns:
    """From a Minari dataset with discrete spaces."""
    for what in ("observation_space", "action_space"):
        space = getattr(dataset, what, None)
        if space is not None and type(space).__name__ != "Discrete":
            raise ValueError(
                f"the dataset's {what} is {space}: it must be Discrete; number its values and give lists of "
                "(state, action), or learn without a table of transitions with revealed.ModelFreeIRL"
            )
    return of_list(dataset.iterate_episodes())


def _refuse_one_path(paths: Any, listed: list[Any]) -> None:
    """Rejects one path in place of a list of paths."""
    pairs = [pair for pair in listed if isinstance(pair, (tuple, list)) and len(pair) == 2 and np.isscalar(pair[0])]
    problem = "this is one demonstration: give a list of them"
    if listed and len(pairs) == len(listed) and pairs[-1][1] is None:
        raise ValueError(f"{problem}, [[(state, action), ..., (state, None)]]")
    vectors = [part for part in listed if isinstance(part, np.ndarray) and part.ndim == 1]
    if isinstance(paths, tuple) and len(paths) == len(vectors) == 2:
        raise ValueError(f"{problem}, [(states, actions)]")


def _joined(parts: list[tuple[Integers, Integers]]) -> Columns:
    """Paths one after another."""
    if not parts:
        raise ValueError("there are no demonstrations: give at least one")
    end = np.array([-1], dtype=np.int64)
    offsets = np.cumsum([0, *(len(states) for states, _ in parts)])
    actions = np.concatenate([column for _, of_actions in parts for column in (of_actions, end)])
    states = np.concatenate([states for states, _ in parts])
    return offsets, states, actions, np.ones(len(parts)), [None] * len(parts), {}


def _states_and_actions(place: str, path: Any) -> tuple[Integers, Integers]:
    for names in _COLUMNS:
        if all(hasattr(path, name) for name in names):
            return _checked(place, getattr(path, names[0]), getattr(path, names[1]))
    if isinstance(path, tuple) and len(path) == 2 and all(map(_is_column, path)) and not _is_pair_of_pairs(path):
        return _checked(place, *path)
    listed = isinstance(path, Sequence) or (isinstance(path, np.ndarray) and path.ndim > 0)
    if not listed or isinstance(path, (str, bytes)) or is_frame(path):
        raise TypeError(f"{place} is a {type(path).__name__}: give a list of (state, action) pairs")
    steps = chained(place, path)
    return of_pairs(place, path) if steps is None else _checked(place, *steps)


def _is_column(part: Any) -> bool:
    return isinstance(part, (list, tuple, range)) or len(getattr(part, "shape", ())) > 0


def _is_pair_of_pairs(path: Any) -> bool:
    """Whether a tuple of two is ((state, action), (state, None)).

    Read as (states, actions), it would have an action too many.
    """
    return all(isinstance(part, (list, tuple)) and len(part) == 2 for part in path) and is_missing(path[1][1])


def _checked(place: str, states: Any, actions: Any) -> tuple[Integers, Integers]:
    """States and actions that were given apart."""
    columns = whole_numbers(place, "state", states), whole_numbers(place, "action", actions)
    if not len(columns[0]):
        raise ValueError(f"{place} has no states: give at least one")
    if len(columns[1]) != len(columns[0]) - 1:
        n, found = len(columns[0]), len(columns[1])
        hint = ": the last state is missing" if found == n else ""
        raise ValueError(f"{place}: {n} states need {n - 1} actions, but there are {found}{hint}")
    return columns
