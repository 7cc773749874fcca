"""Paths: what matching found, with times and confidences."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from ..demonstrations.frames import TRIP
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Floats, Integers
from ..inputs.numbers import count, number
from ..inputs.seeds import Seed, seed_of
from ..mdp.demonstrations import trajectories_of_sequences
from .geometry import geo_frame, lines
from .tables import Tables, columns_of

if TYPE_CHECKING:
    from .network import Network

__all__ = ["Paths", "as_paths", "short_enough", "texts_of_frame"]

# What a line of a file of paths may have, besides its actions.
_FIELDS = ("id", "states", "confidence", "part", "break", "offsets", "times", "end_time", "fixes", "trip", "weight")


class Paths(Trajectories):
    """Paths of a network with all that matching knows of them: `Trajectories` that every other part of the package takes.

    A trip whose route breaks has several paths with its id, which are its parts. `Network.match` makes them, and
    `Network.read_paths` reads them.

    Attributes
    ----------
    network : Network
        Where they are.
    report : dict
        What became of the trips: how many were read, matched, and dropped for which reason. Empty for paths of a file.
    dropped : list of (trip, reason)
        The trips that were dropped.
    model : MaxEntIRL or None
        The preferences that `match(learn=...)` learned.
    """

    __slots__ = ("_fields", "_texts", "dropped", "model", "network", "report")

    network: Network
    report: dict[str, Any]
    dropped: list[tuple[str, str]]
    model: Any
    _texts: list[str]
    _fields: list[dict[str, Any]] | None

    def __init__(self, network: Network, texts: list[str]) -> None:
        with Tables() as tables:
            path = tables.file("paths.jsonl")
            Path(path).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
            columns: Any = _native.Demonstrations.read(path) if texts else _nothing()
        self._set(columns)
        self.network, self._texts, self._fields = network, texts, None
        self.report, self.dropped, self.model = {}, [], None

    @property
    def records(self) -> list[dict[str, Any]]:
        """The fields of each path as its file has them: id, states, actions, confidence, times, offsets, ..."""
        if self._fields is None:
            self._fields = [json.loads(text) for text in self._texts]
        return self._fields

    @property
    def confidence(self) -> Floats:
        """How sure each path is, from 0 to 1: the mean posterior probability of where the fixes are on it."""
        return np.array([record.get("confidence", np.nan) for record in self.records], dtype=float)

    @property
    def metres(self) -> Floats:
        """The length of the states of each path."""
        return np.add.reduceat(self.network.lengths[self.states], self.offsets[:-1]) if len(self) else np.zeros(0)

    def __repr__(self) -> str:
        mean = f", {self.metres.mean() / 1000:.2f} km on average" if len(self) else ""
        dropped = f", {len(self.dropped)} trips dropped" if self.dropped else ""
        return f"Paths({len(self)} path{'' if len(self) == 1 else 's'}{mean}{dropped})"

    def _take(self, chosen: Integers) -> Paths:
        found = Paths.__new__(Paths)
        found._set(super()._take(chosen)._columns)
        found.network, found._texts = self.network, [self._texts[at] for at in chosen]
        found._fields = None if self._fields is None else [self._fields[at] for at in chosen]
        found.report, found.dropped, found.model = {}, [], self.model
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the paths as `revealed roads match` does (.jsonl), or as plain demonstrations (.npz)."""
        if Path(path).suffix.lower() != ".jsonl":
            return super().save(path)
        Path(path).write_text("".join(f"{text}\n" for text in self._texts), encoding="utf-8")
        return None

    def split(self, held_out: float = 0.3, *, seed: Seed = 1, max_states: int = 400) -> tuple[Paths, Paths]:
        """A training set and a test set, as `revealed roads learn --held-out` divides them. No route is in both.

        `held_out` is the share of the test set. Paths of more than `max_states` states are left out.
        """
        kept = self[self.lengths <= count("max_states", max_states)]
        share = 1.0 - number("held_out", held_out)
        train, test = _native.split_paths(kept._columns, share, seed_of(seed))
        divided = kept[np.array(train, dtype=np.int64)], kept[np.array(test, dtype=np.int64)]
        return _paths(divided[0]), _paths(divided[1])

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas", *, mdp: Any = None) -> Any:
        """A frame with a row for each state of each path: id, part, state, action, the time at which it is entered.

        The time is in the seconds of the trip, and missing if the trip has none. There are also the columns of
        `Trajectories.to_frame`. The frame is of pandas or of polars: `library`.
        """
        frame = super().to_frame(library, mdp=mdp)
        numbers = np.repeat(np.arange(len(self)), self.lengths)
        parts = np.array([record.get("part", 0) for record in self.records], dtype=np.int64)
        times: list[float] = []
        for record, length in zip(self.records, self.lengths.tolist()):
            times.extend(record.get("times") or [np.nan] * length)
        more = {"part": parts[numbers], "time": np.array(times, dtype=float), "confidence": self.confidence[numbers]}
        if library == "polars":
            import polars

            return frame.with_columns([polars.Series(name, column) for name, column in more.items()])
        return frame.assign(**more)

    def to_geopandas(self) -> Any:
        """A GeoDataFrame with a row for each path: its line, id, part, confidence, states and times, its trip.

        `Network.read_paths` reads it back. Lines are those of whole states. `match(geojson=...)` writes the lines from the
        first fix to the last.
        """
        columns: dict[str, Any] = {
            "id": [record.get("id") for record in self.records],
            "part": [record.get("part", 0) for record in self.records],
            "confidence": self.confidence,
            "metres": self.metres,
            "begin_time": [(record.get("times") or [np.nan])[0] for record in self.records],
            "end_time": [record.get("end_time", np.nan) for record in self.records],
            "states": [record["states"] for record in self.records],
            "times": [record.get("times") for record in self.records],
        }
        columns |= {f"trip.{name}": column for name, column in self.trip.items()}
        return geo_frame(columns, lines(self.network._native.lines(self.offsets, self.states)))

    def dropped_frame(self) -> Any:
        """A pandas frame of the trips that were dropped: trip, reason."""
        import pandas

        return pandas.DataFrame(self.dropped, columns=["trip", "reason"])

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the lines of the paths with all their fields (.parquet, .gpkg, .fgb or .geojson)."""
        with Tables() as tables:
            self.save(tables.file("paths.jsonl"))
            self.network._native.export_paths(os.fspath(path), tables.file("paths.jsonl"))


def texts_of_frame(network: Network, frame: Any) -> list[str]:
    """Paths as lines of JSON, from a frame with their states: that of `Paths.to_geopandas`, or of a file of `export`."""
    columns = columns_of("paths", frame)
    if "states" not in columns:
        raise ValueError(f"the columns of paths are {', '.join(columns)}: give states, a list of numbers for each path")
    columns = {name: [_plain(value) for value in values] for name, values in columns.items() if name in _FIELDS or _is_trip(name)}
    sequences = trajectories_of_sequences(network.mdp, columns["states"], None)
    texts = []
    for at in range(len(sequences)):
        record = {name: columns[name][at] for name in _FIELDS if columns.get(name, [None] * len(sequences))[at] is not None}
        record["actions"] = [action for _, action in sequences[at][:-1]]
        known = {name[len(TRIP) :]: columns[name][at] for name in columns if _is_trip(name) and columns[name][at] is not None}
        if known:
            record["trip"] = known
        if "id" in record:
            record["id"] = str(record["id"])
        texts.append(json.dumps(record, sort_keys=True))
    return texts


def _is_trip(name: str) -> bool:
    return name.startswith(TRIP)


def _plain(value: Any) -> Any:
    """A cell of a frame: lists may be arrays or texts of JSON, and what is missing is None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, str) and value[:1] in ("[", "{"):
        return json.loads(value)
    return None if isinstance(value, float) and value != value else value


def as_paths(network: Network, paths: Any) -> Trajectories:
    """Paths in a network: Trajectories, a file of them, or anything that becomes Trajectories."""
    if isinstance(paths, (str, os.PathLike)):
        return Trajectories.load(paths)
    return paths if isinstance(paths, Trajectories) else Trajectories(paths)


def short_enough(paths: Trajectories, max_states: int) -> Trajectories:
    """The paths of at most so many states."""
    short = paths.lengths <= count("max_states", max_states)
    return paths if short.all() else paths[short]


def _paths(found: Any) -> Paths:
    assert isinstance(found, Paths)
    return found


def _nothing() -> Any:
    empty = np.zeros(0, np.int64)
    return np.zeros(1, np.int64), empty, empty.copy(), np.zeros(0), [], {}
