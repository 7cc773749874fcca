"""GPS trips as users have them: files, frames of fixes, lists."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..inputs.frames import frame_columns, is_frame
from .geometry import in_degrees
from .tables import Tables, columns_of

__all__ = ["trips_file"]


def trips_file(tables: Tables, trips: Any) -> str:
    """The path of a file of trips: the user's own, or one that is written from a frame or a list."""
    if isinstance(trips, (str, os.PathLike)):
        path = os.fspath(trips)
        if path == "-":
            raise ValueError("trips is '-': stdin is not read here, give a file, or './-'")
        return path
    if is_frame(trips) or (isinstance(trips, Mapping) and _is_table(trips)):
        columns = _of_frame(trips)
    else:
        columns = _of_list(trips)
    if "trip" not in columns or len(columns["trip"]) == 0:
        return tables.write("trips", columns)
    order = _together(columns["trip"])
    return tables.write("trips", {name: [values[at] for at in order] for name, values in columns.items()}, order)


def _is_table(trips: Mapping[Any, Any]) -> bool:
    return bool({"trip", "POLYLINE", "polyline"} & set(trips))


def _of_frame(frame: Any) -> dict[str, list[Any]]:
    if is_frame(frame) and hasattr(frame, "geometry") and hasattr(frame, "crs"):
        frame = in_degrees(frame)
        places, name = frame.geometry, frame.geometry.name
        if (places.geom_type != "Point").any():
            raise ValueError("the geometry of trips is not points: give a row for each fix, with its point")
        columns = columns_of("trips", frame[[column for column in frame_columns("trips", frame) if column != name]])
        columns |= {"lon": places.x.tolist(), "lat": places.y.tolist()}
    else:
        columns = columns_of("trips", frame)
    if "time" in columns:
        columns["time"] = _seconds(frame["time"], columns["time"])
    return columns


def _seconds(given: Any, values: list[Any]) -> list[Any]:
    """Times as seconds: those of a clock since 1970 in Greenwich."""
    column = given.to_numpy() if hasattr(given, "to_numpy") else np.asarray(values, dtype=object)
    if hasattr(given, "dt") and getattr(given.dt, "tz", None) is not None:
        column = given.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    if getattr(column, "dtype", np.dtype(object)).kind == "O" and len(values) and hasattr(values[0], "timestamp"):
        return [None if value is None or value != value else _since_1970(value) for value in values]
    if getattr(column, "dtype", np.dtype(object)).kind != "M":
        return values
    seconds = (column - np.datetime64(0, "s")) / np.timedelta64(1, "s")
    return [None if value != value else value for value in seconds.tolist()]


def _since_1970(moment: Any) -> float:
    from datetime import timezone

    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=timezone.utc)
    return float(aware.timestamp())


def _of_list(trips: Any) -> dict[str, list[Any]]:
    """Trips as a list of lists of fixes, or as a mapping of ids to lists of fixes: (lat, lon) or (lat, lon, seconds)."""
    remedy = "give a file, a frame of trip, lat, lon and time, or a list of lists of (lat, lon) or (lat, lon, seconds)"
    if isinstance(trips, (bytes, bytearray)) or not isinstance(trips, (Mapping, Sequence, np.ndarray)):
        raise TypeError(f"trips is a {type(trips).__name__}: {remedy}")
    named = trips.items() if isinstance(trips, Mapping) else ((str(at), trip) for at, trip in enumerate(trips))
    columns: dict[str, list[Any]] = {"trip": [], "lat": [], "lon": [], "time": []}
    for name, fixes in named:
        for at, fix in enumerate(fixes):
            numbers = list(fix) if hasattr(fix, "__iter__") and not isinstance(fix, str) else []
            if len(numbers) not in (2, 3):
                raise ValueError(f"fix {at} of trip {name!r} is {fix!r}: {remedy}")
            lat, lon, *time = (None if number is None else float(number) for number in numbers)
            for column, value in zip(columns.values(), (str(name), lat, lon, time[0] if time else None)):
                column.append(value)
    return columns


def _together(ids: list[Any]) -> list[int]:
    """The order of rows in which those of a trip are together, in the order in which trips begin."""
    begun: dict[Any, int] = {}
    numbers = [begun.setdefault(str(name), len(begun)) for name in ids]
    return sorted(range(len(ids)), key=numbers.__getitem__)
