"""Networks from maps and tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .geometry import geo_file
from .network import Network, made

if TYPE_CHECKING:
    from .network import Profile

__all__ = ["load", "read_edges", "read_osm"]


def read_osm(
    path: str | os.PathLike[str],
    *,
    features: str = "paper",
    profile: Profile = "car",
    service: bool = False,
    columns: Any = None,
    missing: float | None = None,
    skip_unknown: bool = False,
    per_metre: bool = False,
    turn_columns: Any = None,
    elevation: Any = None,
    speeds: Any = None,
    compress: bool = False,
    u_turns: bool = False,
    keep_all: bool = False,
    progress: bool | None = None,
) -> Network:
    """A network from OpenStreetMap (.osm.pbf, .osm, .osm.gz).

    Parameters
    ----------
    features : str
        Groups of features with commas between them: paper (its four: lanes, type, speed, toll), length, time, link,
        segments, climb, steep, signals, crossings, turns, angle.
    profile : {"car", "bicycle", "foot"}
        Who travels: which ways are open, in which directions, and how fast.
    service : bool
        Whether service ways (car parks, drives) are kept, too.
    columns : frame or .csv file, optional
        More features: a column `segment` or `way`, and one for each feature.
    missing : float, optional
        The value for segments that are not in `columns`; without it, every segment has to be in it.
    skip_unknown : bool
        Whether rows of `columns` and `turn_columns` about what is not in the network are skipped.
    per_metre : bool
        Whether the values of `columns` are multiplied by the length of each segment in metres.
    turn_columns : frame or .csv file, optional
        Features of turns: `from_segment` and `to_segment`, or `from_way` and `to_way`, and a column for each feature.
    elevation : frame or .csv file, optional
        Elevations: `elevation` in metres, and `node` or `lat` and `lon`.
    speeds : Speeds, frame or .csv file, optional
        Observed speeds, for the feature `time`.
    compress : bool
        Whether segments between which there is no choice become one state.
    u_turns : bool
        Whether U-turns are allowed on every two-way road, not only at dead ends.
    keep_all : bool
        Whether segments outside the largest strongly connected component are kept, too.
    progress : bool, optional
        Whether to show a tqdm bar; by default in a notebook or terminal if it takes more than a second.
    """
    return made(
        os.fspath(path),
        {"features": features, "profile": profile, "service": service, "columns": columns, "missing": missing}
        | {"skip_unknown": skip_unknown, "per_metre": per_metre, "turn_columns": turn_columns, "elevation": elevation}
        | {"speeds": speeds, "compress": compress, "u_turns": u_turns, "keep_all": keep_all},
        progress,
    )


def read_edges(
    edges: str | os.PathLike[str],
    nodes: str | os.PathLike[str] | None = None,
    *,
    progress: bool | None = None,
    **options: Any,
) -> Network:
    """A network from an edge list, and a table of its nodes (.csv, .csv.gz).

    `edges` has the columns of `Network.from_frames`, and `nodes` the columns `node`, `lat` and `lon`. Files with lines
    (.parquet, .gpkg, .fgb, .geojson), such as those of `Network.export`, are read as `Network.from_frames` reads frames.
    `options` are those of `read_osm` but `profile` and `service`.
    """
    lines = geo_file(edges)
    if lines is not None:
        points = geo_file(nodes)
        return Network.from_frames(lines, nodes if points is None else points, progress=progress, **options)
    return made(os.fspath(edges), {**options, "nodes": None if nodes is None else os.fspath(nodes)}, progress)


def load(path: str | os.PathLike[str]) -> Network:
    """Read a network file (.npz), as `Network.save` and `revealed roads import` write it."""
    return Network.load(path)
