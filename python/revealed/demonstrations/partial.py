"""PartialTrajectories: paths of which something was not seen."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .. import _native
from ..display.cards import card
from ..inputs.columns import floats, listed
from .trips import trip_columns

__all__ = ["PartialTrajectories"]

GAP = "..."


class PartialTrajectories:
    """Paths that were seen in part, which `MaxEntIRL.fit`, `summary` and `complete` take.

    Parameters
    ----------
    paths
        A list of paths. Each is a list of (state, action) pairs; or a tuple (states, actions), with one action fewer than
        states; or states alone, if no action was seen. A state or an action is

        - a number, if it was seen;
        - None, NaN or masked (`numpy.ma`), if nobody saw it;
        - a list of (number, weight), or an array with a weight for each state (or action), if it was seen with noise: how
          likely what was seen is in that state. A row of NaN is a state that nobody saw;
        - `...` in the place of a state, for any number of states that nobody saw, or none.

        States and actions are numbers, also in an MDP with labels.
    weights : vector, optional
        The weight of each path; 1 by default.
    ids : list of str, optional
        The name of each path.
    trip : dict of columns or frame, optional
        What is known of each path besides its states, as `Trajectories` takes it.

    Examples
    --------
    >>> import revealed
    >>> seen = revealed.PartialTrajectories([[0, None, 2], ([0, ..., 3], None), ([0, [(1, 0.8), (2, 0.2)]], [1])])
    >>> len(seen), seen[1]
    (3, {'states': [0, '...', 3], 'actions': None})
    """

    def __init__(self, paths: Any, *, weights: Any = None, ids: Any = None, trip: Any = None) -> None:
        if isinstance(paths, PartialTrajectories):
            self._lines = [dict(line) for line in paths._lines]
        elif isinstance(paths, (str, bytes, Mapping)):
            raise TypeError(f"paths is a {type(paths).__name__}: give a list of paths")
        else:
            self._lines = [_line(f"path {at}", path) for at, path in enumerate(paths)]
        n = len(self._lines)
        if weights is not None:
            for line, weight in zip(self._lines, floats("weights", weights, n).tolist()):
                line["weight"] = weight
        if ids is not None:
            names = listed("ids", ids)
            if len(names) != n:
                raise ValueError(f"ids has {len(names)} entries, but there are {n} paths: give one for each")
            for line, name in zip(self._lines, names):
                line["id"] = str(name)
        for name, column in trip_columns(trip, n).items() if trip is not None else ():
            for line, value in zip(self._lines, column):
                line.setdefault("trip", {})[name] = value

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PartialTrajectories:
        """Read a .jsonl file."""
        found = cls([])
        found._lines = [json.loads(line) for line in _native.PartialDemonstrations.read(os.fspath(path))]
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .jsonl file."""
        _native.PartialDemonstrations.write(os.fspath(path), self._text())

    def _text(self) -> list[str]:
        return [json.dumps(line, allow_nan=False) for line in self._lines]

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """A path as a line of a file has it."""
        return dict(self._lines[index])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(line) for line in self._lines)

    def __repr__(self) -> str:
        return f"PartialTrajectories({len(self)} paths)"

    def _repr_html_(self) -> str:
        return card("PartialTrajectories", {"paths": len(self)})


def _line(place: str, path: Any) -> dict[str, Any]:
    if isinstance(path, Mapping):
        return dict(path)
    actions: Any = None
    if isinstance(path, tuple) and len(path) == 2:
        states, actions = path
    elif isinstance(path, list) and path and all(isinstance(step, tuple) and len(step) == 2 for step in path):
        states = [state for state, _ in path]
        actions = [action for _, action in path[:-1]]
        if not _is_unseen(path[-1][1]):
            raise ValueError(f"{place}: step {len(path) - 1}: an action is given in the last state, but no step follows it")
    else:
        states = path
    found: dict[str, Any] = {"states": _sights(f"{place}: state", states), "actions": None}
    if actions is not None:
        found["actions"] = _sights(f"{place}: action", actions)
    return found


def _sights(place: str, column: Any) -> list[Any]:
    if isinstance(column, (str, bytes, Mapping)) or not hasattr(column, "__iter__"):
        raise TypeError(f"{place}s are {column!r}: give a list")
    if isinstance(column, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(column)
        rows = mask.reshape(len(column), -1).all(axis=1)
        column = [None if hidden else np.ma.getdata(column)[at] for at, hidden in enumerate(rows)]
    return [_sight(f"{place} {at}", entry) for at, entry in enumerate(column)]


def _is_unseen(entry: Any) -> bool:
    return entry is None or entry is np.ma.masked or (isinstance(entry, (float, np.floating)) and np.isnan(entry))


def _sight(place: str, entry: Any) -> Any:
    if _is_unseen(entry):
        return None
    if entry is ... or (isinstance(entry, str) and entry == GAP):
        return GAP
    if isinstance(entry, np.ndarray) and entry.ndim == 1:
        weights = entry.astype(float)
        if np.isnan(weights).all():
            return None
        if np.isnan(weights).any():
            raise ValueError(f"{place}: some weights are NaN and others are not: give a row of NaN for one that nobody saw")
        return [[at, weight] for at, weight in enumerate(weights.tolist())]
    if isinstance(entry, (list, tuple)):
        try:
            return [[int(number), float(weight)] for number, weight in entry]
        except (TypeError, ValueError):
            raise ValueError(f"{place} is {entry!r}: give pairs (number, weight)") from None
    if isinstance(entry, (bool, np.bool_)) or not isinstance(entry, (int, float, np.integer, np.floating, np.ndarray)):
        raise TypeError(f"{place} is {entry!r}: give a number, None, pairs (number, weight), an array of weights, or ...")
    number = float(entry)
    if number != int(number):
        raise ValueError(f"{place} is {entry!r}: it must be a whole number")
    return int(number)
