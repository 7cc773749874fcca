"""Trajectories: demonstrated or sampled paths, stored flat."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, Literal, overload

import numpy as np

from .. import _native
from ..display.cards import card
from ..inputs.columns import Floats, Integers, floats, integers
from ..inputs.frames import is_frame
from .frames import TRIP, of_frame
from .lists import of_imitation, of_list, of_minari
from .steps import Columns
from .transitions import is_transitions
from .trips import Trips, trip_columns

__all__ = ["Steps", "Trajectories"]

_FLAT = ("states", "actions", "weights")


class Steps(list[tuple[int, "int | None"]]):
    """One path as (state, action) pairs by number. An MDP with labels reads other lists of pairs by label."""

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Steps(found) if isinstance(index, slice) else found


class Trajectories:
    """Paths s_1 a_1 s_2 ... s_l, stored flat: demonstrations, or samples of a model.

    Parameters
    ----------
    paths
        One of:

        - a list of paths. Each is a list of (state, action) pairs that ends in (state, None); or a tuple (states,
          actions) with one action fewer than states; or an object that has them as `obs` and `acts` (trajectories of
          `imitation`), as `observations` and `actions` (episodes of Minari), or as `states` and `actions` (those of
          `collect`); or a list of steps (s, a, s'), (s, a, r, s') or (s, a, r, s', done), of which the rewards are
          ignored;
        - such steps in one list, or Transitions of `imitation`: a new path begins where one is done, or where a step
          does not begin in the state that the last one led to;
        - a Minari dataset with discrete spaces;
        - a pandas or polars frame in long form: a row for each step, with the columns `id`, `state` and `action`
          (missing on the last row of a path). The columns `weight` (the same on each row of a path) and `step` (the
          order of the rows; their order in the frame by default) are optional, and so are columns such as
          `trip.driver`;
        - Trajectories.
    weights : vector, optional
        The weight of each path; 1 by default.
    trip : dict of columns or frame, optional
        What is known of each path besides its states, such as its hour or its driver: a number, a text or None for
        each path. `MaxEntIRL.summary` takes the name of a column as `cluster`.

    Attributes
    ----------
    states, actions : ndarray of int64
        One path after another; the action of a last state is -1.
    offsets : ndarray of int64
        Path i has the places `offsets[i]` to `offsets[i + 1]`.
    weights : ndarray of float64
        The weight of each path.
    ids : list of str or None
        The name of each path, if it has one.
    trip : dict of lists
        The columns of the trips.

    Examples
    --------
    >>> import revealed
    >>> paths = revealed.Trajectories([[(0, 1), (2, None)], ([0, 1, 2], [0, 0])])
    >>> len(paths), paths[0]
    (2, [(0, 1), (2, None)])
    >>> paths[1:]
    Trajectories(1 path, 3.0 states on average)
    """

    __slots__ = ("offsets", "states", "actions", "weights", "ids", "trip")

    offsets: Integers
    states: Integers
    actions: Integers
    weights: Floats
    ids: list[str | None]
    trip: Trips

    def __init__(self, paths: Any, *, weights: Any = None, trip: Any = None) -> None:
        if isinstance(paths, Trajectories):
            columns = paths._columns
        elif isinstance(paths, (str, bytes, os.PathLike)):
            raise TypeError(f"paths is {paths!r}: read demonstrations with Trajectories.load")
        elif is_frame(paths):
            columns = of_frame(paths)
        elif hasattr(paths, "iterate_episodes"):
            columns = of_minari(paths)
        elif is_transitions(paths):
            columns = of_imitation(paths)
        else:
            columns = of_list(paths)
        self._set(columns)
        if weights is not None:
            self.weights = _read_only(floats("weights", weights, len(self)).copy())
        if trip is not None:
            self.trip = trip_columns(trip, len(self))

    @classmethod
    def _of(cls, columns: Columns) -> Trajectories:
        paths = cls.__new__(cls)
        paths._set(columns)
        return paths

    def _set(self, columns: Columns) -> None:
        *arrays, ids, trip = columns
        self.offsets, self.states, self.actions, self.weights = map(_read_only, arrays)
        self.ids = ids
        self.trip = trip

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trajectories:
        """Read a file of demonstrations (.jsonl or .npz), as the command line writes it."""
        return cls._of(_native.Demonstrations.read(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of demonstrations (.jsonl or .npz) for the command line. Only .jsonl keeps names of paths."""
        _native.Demonstrations.write(os.fspath(path), *self._columns)

    @property
    def _columns(self) -> Columns:
        return self.offsets, self.states, self.actions, self.weights, self.ids, self.trip

    @property
    def lengths(self) -> Integers:
        """The number of states of each path."""
        return np.diff(self.offsets)

    @property
    def shape(self) -> tuple[int]:
        """(number of paths,). It lets scikit-learn take folds by `paths[numbers]`, which keeps the weights."""
        return (len(self),)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int | np.integer[Any]) -> list[tuple[int, int | None]]: ...
    @overload
    def __getitem__(self, index: slice | list[Any] | np.ndarray[Any, Any]) -> Trajectories: ...
    def __getitem__(self, index: Any) -> list[tuple[int, int | None]] | Trajectories:
        """One path as (state, action) pairs; or several as Trajectories, by a slice, an array of numbers or a mask."""
        if isinstance(index, tuple) and len(index) == 2 and index[1] is Ellipsis:
            index = index[0]  # as scikit-learn asks
        if isinstance(index, slice):
            return self._take(np.arange(len(self))[index])
        if isinstance(index, list) or getattr(index, "ndim", 0) > 0:
            return self._take(self._chosen(index))
        if isinstance(index, (bool, np.bool_)) or not hasattr(index, "__index__"):
            raise TypeError(f"paths[{index!r}]: give a number, a slice, an array of numbers or a mask")
        at = int(index)
        if not -len(self) <= at < len(self):
            raise IndexError(f"path {at} of {len(self)}")
        at %= len(self)
        span = slice(self.offsets[at], self.offsets[at + 1])
        actions: list[int | None] = [*self.actions[span][:-1].tolist(), None]
        return Steps(zip(self.states[span].tolist(), actions))

    def _chosen(self, index: Any) -> Integers:
        """The numbers of the paths that an array of numbers, or a mask, picks."""
        array = np.asarray(index)
        if array.dtype.kind == "b":
            if array.shape != (len(self),):
                raise IndexError(f"the mask has shape {array.shape}, but there are {len(self)} paths")
            return np.flatnonzero(array)
        numbers = integers("the index", array)
        bad = np.flatnonzero((numbers < -len(self)) | (numbers >= len(self)))
        if len(bad):
            raise IndexError(f"path {numbers[bad[0]]} of {len(self)}")
        return numbers % max(len(self), 1)

    def _take(self, chosen: Integers) -> Trajectories:
        lengths = self.lengths[chosen]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        rows = np.repeat(self.offsets[chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        ids = [self.ids[at] for at in chosen] if self.ids else []
        trip = {name: [column[at] for at in chosen] for name, column in self.trip.items()}
        return Trajectories._of((offsets, self.states[rows], self.actions[rows], self.weights[chosen], ids, trip))

    def __add__(self, other: Any) -> Trajectories:
        """The paths of both, with their weights and names. Columns of trips that one has not are None there."""
        if not isinstance(other, Trajectories):
            return NotImplemented
        return Trajectories.concatenate([self, other])

    @classmethod
    def concatenate(cls, parts: Iterable[Any]) -> Trajectories:
        """Several sets of paths as one, one after another: `parts` are Trajectories, or anything that becomes Trajectories.

        >>> import revealed
        >>> morning, evening = revealed.Trajectories([[(0, 1), (2, None)]]), revealed.Trajectories([[(2, 0), (0, None)]])
        >>> len(revealed.Trajectories.concatenate([morning, evening])), (morning + evening)[1]
        (2, [(2, 0), (0, None)])
        """
        each = [part if isinstance(part, Trajectories) else cls(part) for part in parts]
        if not each:
            raise ValueError("there is nothing to concatenate: give at least one set of paths")
        ends = np.cumsum([0, *(len(part.states) for part in each)])
        offsets = np.concatenate([[0], *(part.offsets[1:] + end for part, end in zip(each, ends))]).astype(np.int64)
        states, actions, weights = (np.concatenate([getattr(part, name) for part in each]) for name in _FLAT)
        ids = [name for part in each for name in (part.ids or [None] * len(part))]
        names = dict.fromkeys(name for part in each for name in part.trip)
        trip: Trips = {name: [cell for part in each for cell in part.trip.get(name, [None] * len(part))] for name in names}
        return cls._of((offsets, states, actions, weights, ids, trip))

    def __iter__(self) -> Iterator[list[tuple[int, int | None]]]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        mean = f", {self.lengths.mean():.1f} states on average" if len(self) else ""
        return f"Trajectories({len(self)} path{'' if len(self) == 1 else 's'}{mean})"

    def _repr_html_(self) -> str:
        n = len(self)
        rows: list[tuple[str, Any]] = [("paths", f"{n:,}")]
        if n:
            lengths = self.lengths
            rows.append(("states", f"{lengths.min()} to {lengths.max()} each, {lengths.mean():.1f} on average"))
            if not np.all(self.weights == 1.0):
                rows.append(("weight", f"{self.weights.sum():g} in all"))
            first = self.states[: lengths[0]].tolist()
            name = f" ({self.ids[0]})" if self.ids[0] is not None else ""
            rows.append((f"the first{name}", " → ".join(map(str, first[:12])) + (" → …" if len(first) > 12 else "")))
        return card("Trajectories", rows)

    def __eq__(self, other: object) -> bool:
        """Whether the paths and their weights are the same; their names do not matter."""
        if not isinstance(other, Trajectories):
            return NotImplemented
        mine, theirs = ((p.offsets, p.states, p.actions, p.weights) for p in (self, other))
        return all(np.array_equal(a, b) for a, b in zip(mine, theirs))

    __hash__ = None  # type: ignore[assignment]

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas", *, mdp: Any = None) -> Any:
        """A frame of pandas or polars (`library`) in long form, as `Trajectories` takes it.

        It has the columns id, state and action (missing on the last row of a path). The id is the number of the path
        if no path has a name. There is a column `weight` if the weights are not all 1, and one such as `trip.driver` for
        each column of the trips. With `mdp`, states and actions are by label, if it has labels.
        """
        if library not in ("pandas", "polars"):
            raise ValueError(f"library is {library!r}: it must be 'pandas' or 'polars'")
        named = any(name is not None for name in self.ids)
        ids = [str(at) if name is None else name for at, name in enumerate(self.ids)] if named else np.arange(len(self))
        numbers = np.repeat(np.arange(len(self)), self.lengths)
        weight: dict[str, Any] = {"weight": self.weights[numbers]} if (self.weights != 1.0).any() else {}
        weight |= {TRIP + name: [column[at] for at in numbers] for name, column in self.trip.items()}
        id_column = np.asarray(ids, dtype=object if named else np.int64)[numbers]
        states = _by_label(self.states, None if mdp is None else mdp._labels)
        actions = _by_label(self.actions, None if mdp is None else mdp._action_labels)
        if library == "polars":
            import polars

            steps = {"id": id_column.tolist(), "state": states, "action": actions}
            frame = polars.DataFrame({**steps, **weight})
            if isinstance(actions, list):
                return frame
            return frame.with_columns(action=polars.when(polars.col("action") >= 0).then(polars.col("action")))
        import pandas

        if not isinstance(actions, list):
            actions = pandas.array(actions, dtype="Int64")
            actions[self.actions < 0] = pandas.NA
        return pandas.DataFrame({"id": id_column, "state": states, "action": actions, **weight})


def _by_label(numbers: Integers, labels: Any) -> Any:
    """Labels as a list, None for -1; the numbers unchanged if there are no labels."""
    return numbers if labels is None else [None if at < 0 else labels[at] for at in numbers.tolist()]


def _read_only(array: Any) -> Any:
    """An array that several objects may share, because none can write into it."""
    array.flags.writeable = False
    return array
