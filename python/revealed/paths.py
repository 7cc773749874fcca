"""Paths as people keep them: lists of pairs, pairs of arrays, trajectories of imitation, Minari datasets, long frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._columns import Floats, Integers, are_whole, count, floats, frame_column, frame_columns, is_frame

__all__: list[str] = []

# offsets, states, actions (-1 on the last step of each), weights, ids
Columns = tuple[Integers, Integers, Integers, Floats, list[str | None]]


def of_list(paths: Iterable[Any]) -> Columns:
    """From one path after another."""
    if isinstance(paths, np.ndarray) and paths.ndim == 0:
        raise TypeError("a number is no list of demonstrations")
    try:
        listed = list(paths)
    except TypeError:
        raise TypeError(f"a {type(paths).__name__} is no list of demonstrations") from None
    _refuse_one_path(paths, listed)
    return _joined([_states_and_actions(_name(at), path) for at, path in enumerate(listed)])


def of_minari(dataset: Any) -> Columns:
    """From a Minari dataset with discrete spaces."""
    for what in ("observation_space", "action_space"):
        space = getattr(dataset, what, None)
        if space is not None and type(space).__name__ != "Discrete":
            raise ValueError(
                f"the dataset's {what} is {space}: it must be Discrete; number its values and give lists of (state, action), or "
                "learn without a table of transitions with revealed.ModelFreeIRL"
            )
    return of_list(dataset.iterate_episodes())


def of_frame(frame: Any) -> Columns:
    """From a frame with a row for each step."""
    names = frame_columns("the frame", frame)
    for name in ("id", "state", "action"):
        if name not in names:
            raise ValueError(f"the frame has no column {name!r}: it needs id, state and action, a row for each step")
    labels = frame["id"].to_list()
    numbers: dict[Any, int] = {}
    for row, label in enumerate(labels):
        if _absent(label):
            raise ValueError(f"row {row} of the frame has no id")
        numbers.setdefault(label, len(numbers))
    if not numbers:
        raise ValueError("there are no demonstrations: the frame has no rows")
    path_of = np.array([numbers[label] for label in labels], dtype=np.int64)
    places = [_name(at, str(label)) for at, label in enumerate(numbers)]
    order = _order(frame, path_of, places) if "step" in names else np.argsort(path_of, kind="stable")
    lengths = np.bincount(path_of)
    ends = np.cumsum(lengths)
    states, actions = (_whole_column(frame_column(frame, name)[order]) for name in ("state", "action"))
    last = np.zeros(len(order), dtype=bool)
    last[ends - 1] = True
    if states is None or actions is None or (states < 0).any() or ((actions < 0) != last).any():
        _refuse_rows(frame, order, ends - lengths, ends, places)
    assert states is not None and actions is not None  # or it was refused
    weights = np.ones(len(numbers)) if "weight" not in names else _weights(frame, order, ends - lengths, lengths, places)
    return np.concatenate([[0], ends]), states, actions, weights, [str(label) for label in numbers]


def _whole_column(column: Any) -> Integers | None:
    """Whole numbers, -1 where they are missing; None where they are not whole, or negative otherwise than by -1."""
    if column.dtype == object:
        missing = np.fromiter((_absent(value) for value in column), dtype=bool, count=len(column))
        if any(not isinstance(value, _NUMBERS) or isinstance(value, bool) for value in column[~missing]):
            return None
        column = np.where(missing, -1, column)
        column = np.array(column.tolist())
    if column.dtype.kind == "f":
        column = np.where(np.isnan(column), -1.0, column)
        if not are_whole(column).all():
            return None
    if column.dtype.kind not in "iuf" or (column < -1).any() or (column > 2**63 - 1).any():
        return None
    return np.ascontiguousarray(column, dtype=np.int64)


def _refuse_rows(frame: Any, order: Integers, firsts: Integers, ends: Integers, places: list[str]) -> None:
    """Goes through the paths one by one, to name what is wrong."""
    states, actions = frame_column(frame, "state")[order], frame_column(frame, "action")[order]
    for place, first, end in zip(places, firsts, ends):
        _numbers(place, "state", states[first:end])
        _of_pairs(place, list(zip(range(end - first), actions[first:end].tolist())))
    raise ValueError("the columns `state` and `action` must hold whole numbers")


_NUMBERS = (int, float, np.integer, np.floating)
_LAST = "the last action must be None; where the last state is missing, add (state, None)"


def _name(at: int, label: str | None = None) -> str:
    """What a path is called in errors; the engine calls it the same."""
    return f"demonstration {at}" + ("" if label is None else f" (id {label})")


def _refuse_one_path(paths: Any, listed: list[Any]) -> None:
    """Refuses one path in place of a list of paths."""
    pairs = [pair for pair in listed if isinstance(pair, (tuple, list)) and len(pair) == 2 and np.isscalar(pair[0])]
    if listed and len(pairs) == len(listed) and pairs[-1][1] is None:
        raise ValueError("this is one demonstration: give a list of them, [[(state, action), ..., (state, None)]]")
    if isinstance(paths, tuple) and len(paths) == 2 and all(isinstance(part, np.ndarray) and part.ndim == 1 for part in paths):
        raise ValueError("this is one demonstration: give a list of them, [(states, actions)]")


def _joined(parts: list[tuple[Integers, Integers]]) -> Columns:
    """Paths one after another."""
    if not parts:
        raise ValueError("there are no demonstrations: give at least one")
    end = np.array([-1], dtype=np.int64)
    offsets = np.cumsum([0, *(len(states) for states, _ in parts)])
    actions = np.concatenate([column for _, of_actions in parts for column in (of_actions, end)])
    return offsets, np.concatenate([states for states, _ in parts]), actions, np.ones(len(parts)), [None] * len(parts)


def _states_and_actions(place: str, path: Any) -> tuple[Integers, Integers]:
    for names in (("obs", "acts"), ("observations", "actions"), ("states", "actions")):
        if all(hasattr(path, name) for name in names):
            return _checked(place, getattr(path, names[0]), getattr(path, names[1]))
    if isinstance(path, tuple) and len(path) == 2 and all(_is_column(part) for part in path) and not _is_pair_of_pairs(path):
        return _checked(place, *path)
    listed = isinstance(path, Sequence) or (isinstance(path, np.ndarray) and path.ndim > 0)
    if not listed or isinstance(path, (str, bytes)) or is_frame(path):
        raise TypeError(f"{place} is a {type(path).__name__}: give a list of (state, action) pairs")
    return _of_pairs(place, path)


def _is_column(part: Any) -> bool:
    return isinstance(part, (list, tuple, range)) or len(getattr(part, "shape", ())) > 0


def _is_pair_of_pairs(path: Any) -> bool:
    """Whether a tuple of two is ((state, action), (state, None)): as (states, actions) it would have an action too many."""
    return all(isinstance(part, (list, tuple)) and len(part) == 2 for part in path) and _missing(path[1][1])


def _checked(place: str, states: Any, actions: Any) -> tuple[Integers, Integers]:
    """States and actions that were told apart."""
    columns = _numbers(place, "state", states), _numbers(place, "action", actions)
    if not len(columns[0]):
        raise ValueError(f"{place} has no states: give at least one")
    if len(columns[1]) != len(columns[0]) - 1:
        n, found = len(columns[0]), len(columns[1])
        hint = ": the last state is missing" if found == n else ""
        raise ValueError(f"{place}: {n} states need {n - 1} actions, but there are {found}{hint}")
    return columns


def _of_pairs(place: str, path: Any) -> tuple[Integers, Integers]:
    states, actions = [], []
    for step, pair in enumerate(path):
        try:
            state, action = pair
        except (TypeError, ValueError):
            raise ValueError(f"{place}: step {step}: {pair!r} is no (state, action) pair") from None
        states.append(state)
        actions.append(action)
    if not states:
        raise ValueError(f"{place} has no states: give at least one")
    for step, action in enumerate(actions[:-1]):
        if (type(action) is not int or action == -1) and _missing(action):
            raise ValueError(f"{place}: step {step}: the action is {action!r}: only the last action may be None")
    if not _missing(actions[-1]):
        raise ValueError(f"{place}: step {len(actions) - 1}: the action is {actions[-1]!r}: {_LAST}")
    return _numbers(place, "state", states), _numbers(place, "action", actions[:-1])


def _numbers(place: str, what: str, values: Any) -> Integers:
    """Whole numbers from 0; errors name the step."""
    if np.ma.is_masked(values):
        raise ValueError(f"{place}: the {what}s have masked entries: fill them first")
    array = np.asarray(values) if isinstance(values, np.ndarray) else None
    if array is None and not (isinstance(values, (list, tuple, range)) and all(type(value) is int for value in values)):
        array = _array(place, what, values)
    if array is None:  # the common case, by way of a list of int
        values = list(values)
        if all(0 <= value < 2**63 for value in values):
            return np.array(values, dtype=np.int64)
        array = np.array(values, dtype=object)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]  # discrete values as Minari may store them
    if array.ndim != 1:
        raise ValueError(
            f"{place}: the {what}s have shape {array.shape}: they must be whole numbers, one for each step; number the values "
            "of a continuous space, or learn without a table of transitions with revealed.ModelFreeIRL"
        )
    if array.dtype.kind not in "biufOUSc":  # numpy makes whole numbers of dates
        raise TypeError(f"{place}: the {what}s have dtype {array.dtype}: they must be whole numbers")
    if array.dtype.kind in "iu" and (not array.size or (int(array.min()) >= 0 and int(array.max()) < 2**63)):
        return array.astype(np.int64)
    if array.dtype.kind == "f" and ((array >= 0) & are_whole(array)).all():
        return array.astype(np.int64)
    return np.array([_whole(place, step, what, value) for step, value in enumerate(array.tolist())], dtype=np.int64)


def _array(place: str, what: str, values: Any) -> Any:
    if isinstance(values, (list, tuple)) and any(not np.isscalar(value) for value in values):
        values = [value.item() if isinstance(value, np.ndarray) and value.size == 1 else value for value in values]
    try:
        # Lists keep their own types: numpy would make numbers of booleans, and text of numbers beside text.
        array = np.array(values, dtype=object) if isinstance(values, (list, tuple)) else np.asarray(values)
    except (ValueError, TypeError, RuntimeError) as error:
        raise ValueError(f"{place}: the {what}s: {error}") from None
    return array


def _whole(place: str, step: int, what: str, value: Any) -> int:
    try:
        return count(f"the {what}", value, least=0, most=2**63 - 1)
    except (TypeError, ValueError) as error:
        hint = "; mdp.index gives the number of a label" if isinstance(value, str) else ""
        raise type(error)(f"{place}: step {step}: {error}{hint}") from None


def _missing(action: Any) -> bool:
    """Whether an action is None, NaN, NA or -1."""
    if isinstance(action, np.ndarray):
        return action.size == 1 and _missing(action.item())
    return _absent(action) or (isinstance(action, (int, float, np.number)) and bool(action == -1))


def _absent(value: Any) -> bool:
    if type(value) is int:
        return False
    # pandas.NA answers no question about itself.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _column(frame: Any, name: str) -> Floats:
    column = frame_column(frame, name)
    if column.dtype == object:
        bad = [row for row, value in enumerate(column) if _absent(value)]
        if bad:
            raise ValueError(f"row {bad[0]} of the frame has no {name}")
        column = np.array(column.tolist())
    values = floats(f"the column {name!r}", column)
    if np.isnan(values).any():
        raise ValueError(f"row {int(np.argmax(np.isnan(values)))} of the frame has no {name}")
    return values


def _order(frame: Any, path_of: Integers, places: list[str]) -> Integers:
    """The rows path by path, each in the order of its steps."""
    step = _column(frame, "step")
    order = np.lexsort((step, path_of))
    twice = np.flatnonzero((np.diff(path_of[order]) == 0) & (np.diff(step[order]) == 0))
    if len(twice):
        row = order[twice[0]]
        raise ValueError(f"{places[path_of[row]]}: it has step {step[row]:g} twice")
    return order


def _weights(frame: Any, order: Integers, firsts: Integers, lengths: Integers, places: list[str]) -> Floats:
    """The weight of each path, which each of its rows repeats."""
    weight = _column(frame, "weight")[order]
    of_path = weight[firsts]
    differ = np.flatnonzero(weight != np.repeat(of_path, lengths))
    if len(differ):
        at = int(np.searchsorted(firsts, differ[0], side="right")) - 1
        raise ValueError(f"{places[at]}: its weight is {of_path[at]} on one row and {weight[differ[0]]} on another")
    return of_path
