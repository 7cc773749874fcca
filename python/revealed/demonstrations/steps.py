"""The steps of one path: whole numbers for states and actions, and a last action that is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs.columns import Floats, Integers, are_whole
from ..inputs.numbers import count

__all__ = ["Columns", "is_absent", "is_missing", "name_of", "of_pairs", "whole_numbers"]

# offsets, states, actions (-1 on the last step of each), weights, ids, the columns of the trips
Columns = tuple[Integers, Integers, Integers, Floats, list[str | None], dict[str, list["float | str | None"]]]
# What to do with a label where the MDP, or nobody, has labels.
_LABELS = {
    "state": "mdp.index gives the number of a label",
    "action": "this MDP has no labels of actions: make it with action_labels=",
}
_LAST = "the last action must be None; where the last state is missing, add (state, None)"


def name_of(at: int, label: str | None = None) -> str:
    """How errors name a path; the engine uses the same name."""
    return f"demonstration {at}" + ("" if label is None else f" (id {label})")


def of_pairs(place: str, path: Any) -> tuple[Integers, Integers]:
    """States and actions from (state, action) pairs that end in (state, None)."""
    states, actions = [], []
    for step, pair in enumerate(path):
        try:
            state, action = pair
        except (TypeError, ValueError):
            raise ValueError(f"{place}: step {step}: {pair!r} is not a (state, action) pair") from None
        states.append(state)
        actions.append(action)
    if not states:
        raise ValueError(f"{place} has no states: give at least one")
    for step, action in enumerate(actions[:-1]):
        if (type(action) is not int or action == -1) and is_missing(action):
            raise ValueError(f"{place}: step {step}: the action is {action!r}: only the last action may be None")
    if not is_missing(actions[-1]):
        raise ValueError(f"{place}: step {len(actions) - 1}: the action is {actions[-1]!r}: {_LAST}")
    return whole_numbers(place, "state", states), whole_numbers(place, "action", actions[:-1])


def whole_numbers(place: str, what: str, values: Any) -> Integers:
    """Whole numbers from 0; errors name the step."""
    if np.ma.is_masked(values):
        raise ValueError(f"{place}: the {what}s have masked entries: fill them first")
    array = np.asarray(values) if isinstance(values, np.ndarray) else None
    if array is None and not (isinstance(values, (list, tuple, range)) and all(type(value) is int for value in values)):
        array = _array(place, what, values)
    if array is None:  # the common case: a list of int
        values = list(values)
        if all(0 <= value < 2**63 for value in values):
            return np.array(values, dtype=np.int64)
        array = np.array(values, dtype=object)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]  # discrete values as Minari may store them
    if array.ndim != 1:
        raise ValueError(
            f"{place}: the {what}s have shape {array.shape}: they must be whole numbers, one for each step; number the "
            "values of a continuous space, or learn without a table of transitions with revealed.ModelFreeIRL"
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
        hint = f"; {_LABELS[what]}" if isinstance(value, str) and what in _LABELS else ""
        raise type(error)(f"{place}: step {step}: {error}{hint}") from None


def is_missing(action: Any) -> bool:
    """Whether an action is None, NaN, NA or -1."""
    if isinstance(action, np.ndarray):
        return action.size == 1 and is_missing(action.item())
    return is_absent(action) or (isinstance(action, (int, float, np.number)) and bool(action == -1))


def is_absent(value: Any) -> bool:
    """Whether a value is None, NaN or NA."""
    if type(value) is int:
        return False
    # Comparing pandas.NA with anything gives NA, so it is recognised by its type.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))
