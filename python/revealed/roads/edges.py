"""Edge lists from frames, lines and graphs of osmnx."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ..inputs.frames import frame_columns, is_frame
from .geometry import in_degrees
from .tables import columns_of

__all__ = ["EdgeTables", "of_frames", "of_osmnx"]

# Columns of an edge besides its ends.
_ATTRIBUTES = ("way", "length", "highway", "lanes", "maxspeed", "toll", "oneway", "name")
# Other names for them: those of osmnx, and those of `Network.to_geopandas`.
_ALIASES = {"osmid": "way", "speed": "maxspeed", "way_id": "way", "length_m": "length"}
_ENDS = {"from": "from", "from_node": "from", "u": "from", "to": "to", "to_node": "to", "v": "to"}
_NODES = {"node": "node", "osmid": "node", "lat": "lat", "y": "lat", "lon": "lon", "x": "lon"}


class EdgeTables:
    """The tables of an edge list: straight segments between numbered nodes."""

    def __init__(self) -> None:
        self.edges: dict[str, list[Any]] = {}
        self.nodes: dict[str, list[Any]] = {"node": [], "lat": [], "lon": []}
        self._numbers: dict[Hashable, int] = {}
        self._rows: list[dict[str, Any]] = []

    def node(self, label: Hashable, lat: float, lon: float) -> int:
        """The number of a node, which is added if it is new."""
        if label not in self._numbers:
            # Whole numbers keep their value, such as the ids of OpenStreetMap; others, and bends, are below 0.
            is_id = isinstance(label, int) and not isinstance(label, bool) and label >= 0
            self._numbers[label] = int(label) if is_id else -1 - len(self._numbers)  # type: ignore[call-overload]
            for column, value in zip(self.nodes.values(), (self._numbers[label], lat, lon)):
                column.append(value)
        return self._numbers[label]

    def line(self, labels: Sequence[Hashable], places: Sequence[tuple[float, float]], attributes: Mapping[str, Any]) -> None:
        """Adds a line from node to node by its bends, given as (lon, lat): a straight segment for each piece."""
        numbers = [self.node(label, lat, lon) for label, (lon, lat) in zip(labels, places)]
        pieces = [(a, b) for a, b in zip(numbers, numbers[1:]) if a != b]
        if len(pieces) > 1:
            # The length of a piece is that of its straight line.
            attributes = {name: value for name, value in attributes.items() if name != "length"}
        self._rows.extend({"from": a, "to": b, **attributes} for a, b in pieces)

    def done(self) -> EdgeTables:
        """With the columns of the edges. Those without a way are numbered."""
        names = list(dict.fromkeys(name for row in self._rows for name in row))
        self.edges = {name: [row.get(name) for row in self._rows] for name in names} or {"from": [], "to": []}
        return self


def of_frames(edges: Any, nodes: Any) -> EdgeTables:
    """From a frame of edges, and one of nodes; or from lines alone."""
    geometry = None
    if hasattr(edges, "geometry") and hasattr(edges, "crs"):
        edges = in_degrees(edges)
        geometry, name = list(edges.geometry), edges.geometry.name
        edges = edges[[column for column in frame_columns("edges", edges) if column != name]]
    ends = [name for name in getattr(getattr(edges, "index", None), "names", []) if name in _ENDS]
    if is_frame(edges) and ends:
        edges = edges.reset_index(level=ends)
    columns = _renamed(columns_of("edges", edges), {**_ALIASES, **_ENDS})
    if "reversed" in columns:
        # Frames of osmnx: both directions of a street are rows of their own.
        columns.pop("oneway", None)
    if "way" not in columns:
        columns["way"] = list(range(_length(columns, geometry)))
    has_ends = {"from", "to"} <= set(columns)
    if geometry is None and not has_ends:
        raise ValueError(f"the columns of edges are {', '.join(columns)}: give from and to, or a GeoDataFrame of lines")
    places = {} if nodes is None else _places(nodes)
    if has_ends and not places:
        places = _places_of_ends(columns)
    made = EdgeTables()
    for row in range(_length(columns, geometry)):
        attributes = {name: _first(columns[name][row]) for name in _ATTRIBUTES if name in columns}
        bends = None if geometry is None else _coordinates(geometry[row], row)
        if not has_ends:
            assert bends is not None
            made.line([*bends], bends, attributes)
            continue
        pair = columns["from"][row], columns["to"][row]
        for end in pair:
            if end not in places:
                raise ValueError(f"edges: row {row}: node {end!r} is not in nodes")
        made.line(*_with_bends(pair, places, bends), attributes)
    return made.done()


def of_osmnx(graph: Any) -> EdgeTables:
    """From a directed graph of osmnx: nodes with x and y, and edges in the direction of travel."""
    if not (hasattr(graph, "nodes") and hasattr(graph, "edges") and graph.is_directed()):
        raise TypeError(f"graph is a {type(graph).__name__}: give a MultiDiGraph of osmnx")
    crs = str(graph.graph.get("crs", "epsg:4326")).lower()
    if crs not in ("epsg:4326", "wgs84", "ogc:crs84"):
        raise ValueError(f"the graph has the reference system {crs}: give it unprojected, in longitudes and latitudes")
    places = {}
    for node, data in graph.nodes(data=True):
        if "x" not in data or "y" not in data:
            raise ValueError(f"node {node!r} has no x and y: give a graph of osmnx")
        places[node] = (float(data["x"]), float(data["y"]))
    made = EdgeTables()
    for at, (a, b, data) in enumerate(graph.edges(data=True)):
        # Both directions of a street are edges of their own.
        known = {_ALIASES.get(name, name): _first(value) for name, value in data.items()}
        attributes = {name: known[name] for name in _ATTRIBUTES if name in known and name != "oneway"}
        attributes.setdefault("way", at)
        bends = None if data.get("geometry") is None else _coordinates(data["geometry"], at)
        made.line(*_with_bends((a, b), places, bends), attributes)
    return made.done()


def _with_bends(
    ends: tuple[Any, Any], places: Mapping[Any, tuple[float, float]], bends: list[tuple[float, float]] | None
) -> tuple[list[Hashable], list[tuple[float, float]]]:
    """The nodes of an edge and where they are. Both directions of a street share its bends."""
    inner = [] if bends is None else bends[1:-1]
    street = tuple(sorted(map(str, ends)))
    return [ends[0], *((street, place) for place in inner), ends[1]], [places[ends[0]], *inner, places[ends[1]]]


def _coordinates(line: Any, row: int) -> list[tuple[float, float]]:
    if getattr(line, "geom_type", None) != "LineString":
        kind = getattr(line, "geom_type", type(line).__name__)
        raise ValueError(f"edges: row {row}: the geometry is a {kind}: give lines (GeoDataFrame.explode makes them)")
    return [(place[0], place[1]) for place in line.coords]


def _places(nodes: Any) -> dict[Any, tuple[float, float]]:
    if hasattr(nodes, "geometry") and hasattr(nodes, "crs"):
        frame = in_degrees(nodes)
        lon, lat = frame.geometry.x.tolist(), frame.geometry.y.tolist()
        name = next((name for name in ("node", "osmid") if name in frame.columns), None)
        labels = frame.index.tolist() if name is None else frame[name].tolist()
        return dict(zip(labels, zip(lon, lat)))
    if is_frame(nodes) and not {"node", "osmid"} & set(map(str, nodes.columns)) and hasattr(nodes, "reset_index"):
        nodes = nodes.reset_index(names="node")
    columns = _renamed(columns_of("nodes", nodes), _NODES)
    missing = [name for name in ("node", "lat", "lon") if name not in columns]
    if missing:
        raise ValueError(f"nodes has no column {missing[0]!r}: give node, lat and lon")
    return dict(zip(columns["node"], zip(map(float, columns["lon"]), map(float, columns["lat"]))))


def _places_of_ends(columns: Mapping[str, list[Any]]) -> dict[Any, tuple[float, float]]:
    needed = ("from_lat", "from_lon", "to_lat", "to_lon")
    if not set(needed) <= set(columns):
        raise ValueError("the positions of nodes are missing: give nodes (node, lat, lon), or the columns " + ", ".join(needed))
    places: dict[Any, tuple[float, float]] = {}
    for end in ("from", "to"):
        lons, lats = columns[f"{end}_lon"], columns[f"{end}_lat"]
        places |= dict(zip(columns[end], zip(map(float, lons), map(float, lats))))
    return places


def _renamed(columns: dict[str, list[Any]], aliases: Mapping[str, str]) -> dict[str, list[Any]]:
    """Columns by the names that edge lists have; a column that has such a name already stays."""
    renamed = {name: aliases.get(name, name) for name in columns}
    return {name if new != name and new in columns else new: columns[name] for name, new in renamed.items()}


def _length(columns: Mapping[str, list[Any]], geometry: list[Any] | None) -> int:
    return len(geometry) if geometry is not None else len(next(iter(columns.values()), []))


def _first(value: Any) -> Any:
    """The first of several values: ways that osmnx joined have lists."""
    return value[0] if isinstance(value, (list, tuple)) and value else value
