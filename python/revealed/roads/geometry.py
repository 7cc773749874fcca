"""Lines as frames of GeoPandas."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..inputs.columns import Floats, Integers

__all__ = ["geo_file", "geo_frame", "geopandas", "in_degrees", "lines", "points"]

Lines = tuple[Floats, Floats, Integers, Integers]
"""Longitudes, latitudes, where each part of a line begins, and where the parts of each line begin."""

_DEGREES = "EPSG:4326"


def geopandas() -> Any:
    """The package, or an error that says how to get it."""
    try:
        import geopandas
    except ImportError as error:
        raise ImportError("frames with geometry need geopandas: pip install 'revealed[roads]'") from error
    return geopandas


def lines(columns: Lines) -> Any:
    """Lines of shapely; one with several parts, across the antimeridian, is a MultiLineString."""
    geopandas()
    import shapely

    x, y, parts, rows = columns
    each = np.diff(parts)
    # A line of one point, of a route that is a point, is drawn as a line of no length.
    singles = np.flatnonzero(each == 1)
    places = np.column_stack([x, y])
    if len(singles):
        places = np.insert(places, parts[singles], places[parts[singles]], axis=0)
        each = each.copy()
        each[singles] = 2
    strings = shapely.linestrings(places, indices=np.repeat(np.arange(len(each)), each))
    if (np.diff(rows) == 1).all():
        return strings
    merged = [
        strings[first] if last - first == 1 else shapely.multilinestrings(strings[first:last])
        for first, last in zip(rows, rows[1:])
    ]
    return np.array(merged, dtype=object)


def points(lon: Any, lat: Any) -> Any:
    """Points of shapely."""
    geopandas()
    import shapely

    return shapely.points(np.asarray(lon, dtype=float), np.asarray(lat, dtype=float))


def geo_frame(columns: Mapping[str, Any], geometry: Any) -> Any:
    """A GeoDataFrame in longitudes and latitudes."""
    return geopandas().GeoDataFrame(dict(columns), geometry=geometry, crs=_DEGREES)


def geo_file(path: Any) -> Any:
    """The frame of a file with geometry (.parquet, .gpkg, .fgb or .geojson); None if it is another file."""
    if not isinstance(path, (str, os.PathLike)):
        return None
    name = os.fspath(path).lower()
    if name.endswith((".parquet", ".geoparquet")):
        return geopandas().read_parquet(path)
    if not name.endswith((".gpkg", ".fgb", ".geojson")):
        return None
    frame = geopandas().read_file(path)
    # FlatGeobuf sorts its rows by place, and states are numbered in the order of the rows.
    return frame.sort_values("state", ignore_index=True) if name.endswith(".fgb") and "state" in frame else frame


def in_degrees(frame: Any) -> Any:
    """A GeoDataFrame in longitudes and latitudes. One without a reference system is taken to be so."""
    return frame if frame.crs is None else frame.to_crs(_DEGREES)
