"""GPS trips matched to the roads that they took."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Floats, floats
from ..inputs.frames import frame_column, frame_columns, is_frame
from ..inputs.numbers import count, optional_count, optional_number

__all__ = ["Matches", "match"]


@dataclass(frozen=True, eq=False)
class Matches:
    """The result of `match`."""

    paths: list[dict[str, Any]]
    """A record for each part of a trip, as in the file that `revealed roads match` writes: `id`, `part`, `states`,
    `actions`, `confidence`, `times`, `offsets` and others. `pandas.DataFrame(paths)` makes a frame of them."""
    dropped: dict[str, str]
    """The trips that have no path, and why."""
    n_trips: int
    """The number of trips."""
    n_matched: int
    """The number of trips that have a path."""

    @property
    def trajectories(self) -> Trajectories:
        """The paths as demonstrations."""
        found = Trajectories([(path["states"], path["actions"]) for path in self.paths])
        found.ids = [path["id"] for path in self.paths]
        return found

    def __repr__(self) -> str:
        return f"Matches({self.n_matched} of {self.n_trips} trips, {len(self.paths)} paths)"


def match(
    roads: str | os.PathLike[str],
    trips: Any,
    *,
    model: Any = None,
    method: Literal["hmm", "particles"] = "hmm",
    strict: bool = False,
    keep_cyclic: bool = False,
    sigma: float | None = None,
    radius: float | None = None,
    min_seconds: float | None = None,
    min_metres: float | None = None,
    area: tuple[float, float, float] | None = None,
    seed: int = 1,
    threads: int | None = None,
) -> Matches:
    """Find the segments that GPS trips took, as `revealed roads match` does.

    Parameters
    ----------
    roads : path
        A network, as `revealed roads import` writes it (.npz).
    trips : path, frame or dict of columns
        A file of trips (.csv, .csv.gz, .gpx or .gpx.gz), or the columns `trip`, `lat`, `lon` and, if known, `time` in
        seconds: a row for each fix, those of a trip together.
    model : MaxEntIRL, path or vector, optional
        Preferences by which routes are weighed, together with the times of fixes: for fixes that are far apart, such as
        a minute. A fitted estimator, a model file, or theta.
    method : "hmm" or "particles"
        A hidden Markov model, or a particle filter as in the paper.
    strict : bool
        Drop a trip with one bad stretch, as in the paper.
    keep_cyclic : bool
        Keep trips that use a segment twice, if `strict` or `method="particles"`.
    sigma, radius : float, optional
        The standard deviation of the GPS, and how far a road may be from a fix, in metres.
    min_seconds, min_metres : float, optional
        Shorter trips are dropped: 120 and 250 by default.
    area : (latitude, longitude, kilometres), optional
        Trips that leave this circle are dropped.
    seed : int
        The same seed gives the same particles.
    threads : int, optional
        How the work is done.
    """
    settings = {
        "method": method,
        "strict": bool(strict),
        "keep_cyclic": bool(keep_cyclic),
        "sigma": optional_number("sigma", sigma),
        "radius": optional_number("radius", radius),
        "min_seconds": optional_number("min_seconds", min_seconds),
        "min_metres": optional_number("min_metres", min_metres),
        "area": None if area is None else tuple(map(float, area)),
        "seed": count("seed", seed, 0),
        "threads": optional_count("threads", threads),
    }
    is_file = isinstance(trips, (str, os.PathLike))
    file, fixes = (os.fspath(trips), None) if is_file else (None, _fixes(trips))
    paths, dropped, (n_trips, n_matched) = _native.match_trips(os.fspath(roads), file, fixes, _theta(model), settings)
    return Matches([json.loads(path) for path in paths], dict(dropped), n_trips, n_matched)


def _theta(model: Any) -> Floats | None:
    """The weights of a fitted estimator, of a model file, or as they are."""
    if model is None:
        return None
    if isinstance(model, (str, os.PathLike)):
        return floats("theta", json.loads(_native.load_model(os.fspath(model)))["theta"])
    return floats("theta", getattr(model, "theta_", model))


def _fixes(trips: Any) -> tuple[list[str], Floats, Floats, Floats | None]:
    """The columns of fixes."""
    if is_frame(trips):
        columns = {name: frame_column(trips, name) for name in frame_columns("trips", trips)}
    elif isinstance(trips, Mapping):
        columns = {str(name): np.asarray(values) for name, values in trips.items()}
    else:
        raise TypeError(f"trips is {trips!r}: give a file, a frame, or a dict of columns")
    missing = [name for name in ("trip", "lat", "lon") if name not in columns]
    if missing:
        raise ValueError(f"trips has no column {missing[0]!r}: give trip, lat, lon and, if known, time")
    ids = [str(name) for name in columns["trip"]]
    lat, lon = (floats(f"trips, column {name!r},", columns[name], len(ids)) for name in ("lat", "lon"))
    time = columns.get("time")
    return ids, lat, lon, None if time is None else floats("trips, column 'time',", time, len(ids))
