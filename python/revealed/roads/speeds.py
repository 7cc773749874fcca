"""Speeds: how long drives take, by kind of road and hour."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from .. import _native
from ..inputs.numbers import count
from .paths import Paths
from .tables import Tables

if TYPE_CHECKING:
    from .network import Network

__all__ = ["Speeds"]


class Speeds:
    """The slowness of each kind of road in each hour: the seconds of a drive for each second at the usual speed.

    Attributes
    ----------
    record : dict
        How many paths have times, and how many stretches were left out.
    """

    __slots__ = ("_clock", "_native", "_paths", "network", "record")

    def __init__(
        self, network: Network, paths: Paths, native: _native.Slowness, text: str, clock: tuple[str | None, float]
    ) -> None:
        self.network = network
        self.record: dict[str, Any] = json.loads(text)
        self._native, self._paths, self._clock = native, paths, clock

    def to_frame(self) -> Any:
        """A pandas frame: highway ("*" for all), hour (missing for all), slowness, standard_error, usual_seconds."""
        import pandas

        frame = pandas.DataFrame(json.loads(self._native.rows()))
        frame["hour"] = frame["hour"].astype("Int64")
        return frame[["highway", "hour", "slowness", "standard_error", "usual_seconds"]]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table (.csv), which `read_osm(speeds=...)` and the command line read."""
        self._native.save(os.fspath(path))

    def slowed(self, hour: int | None = None) -> Network:
        """The network with the feature `time` as it was observed in an hour, or in the mean of all."""
        at = None if hour is None else count("hour", hour, least=0, most=23)
        return self.network._with(self._native.slow_down(self.network._native, at))

    def paths(self) -> Paths:
        """The paths with the columns `hour` and `slowness` of their trips: how much slower that hour is than the mean."""
        with Tables() as tables:
            self._paths.save(tables.file("paths.jsonl"))
            self._native.add_to(tables.file("paths.jsonl"), tables.file("hours.jsonl"), *self._clock)
            return Paths(self.network, tables.text("hours.jsonl").splitlines())

    def __repr__(self) -> str:
        return f"Speeds(of {self.record['paths']} paths with times)"
