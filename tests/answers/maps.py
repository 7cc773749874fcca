"""Maps and trips: the city of `revealed roads city` in every input format, and invalid files."""

from __future__ import annotations

import csv
import gzip
import json
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

LINE = (
    '<osm version="0.6"><node id="1" lat="41.1" lon="-8.6"/><node id="2" lat="41.2" lon="-8.6"/>'
    '<node id="3" lat="41.3" lon="-8.6"/>'
    '<way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/><tag k="oneway" v="yes"/></way></osm>'
)
TRIPS = "TRIP_ID,CALL_TYPE,ORIGIN_CALL,ORIGIN_STAND,TAXI_ID,TIMESTAMP,DAY_TYPE,MISSING_DATA,POLYLINE\n"


def around_city(folder: Path) -> None:
    """Writes the map and the trips of the made-up city in other formats, and tables that refer to them."""
    osm = (folder / "map.osm").read_bytes()
    (folder / "map.osm.gz").write_bytes(gzip.compress(osm, mtime=0))
    (folder / "map.osm.pbf").write_bytes(pbf(ElementTree.fromstring(osm)))
    edge_list(folder, ElementTree.fromstring(osm))
    trips = list(csv.DictReader((folder / "trips.csv").open()))
    longest = sorted(trips, key=lambda trip: -len(trip["POLYLINE"]))
    (folder / "some.gpx").write_text(gpx({trip["TRIP_ID"]: json.loads(trip["POLYLINE"]) for trip in longest[:20]}))
    (folder / "begun.gpx").write_text(gpx({"begun": json.loads(longest[0]["POLYLINE"])[:6]}))
    rows = [
        f"{trip['TRIP_ID']},{lat},{lon},{15 * at}\n"
        for trip in longest[20:40]
        for at, (lon, lat) in enumerate(json.loads(trip["POLYLINE"]))
    ]
    (folder / "rows.csv").write_text("trip,lat,lon,time\n" + "".join(rows))
    (folder / "pairs.csv").write_text("from,to\n" + "".join(f"{at * 37 % 2000},{at * 91 % 2000}\n" for at in range(60)))


def gpx(trips: dict[str, list]) -> str:
    """Tracks with a fix every fifteen seconds."""
    tracks = []
    for name, fixes in trips.items():
        at = lambda k: f"2020-01-01T{k * 15 // 3600:02}:{k * 15 // 60 % 60:02}:{k * 15 % 60:02}Z"  # noqa: E731
        points = "".join(f'<trkpt lat="{lat}" lon="{lon}"><time>{at(k)}</time></trkpt>' for k, (lon, lat) in enumerate(fixes))
        tracks.append(f"<trk><name>{name}</name><trkseg>{points}</trkseg></trk>")
    return '<gpx version="1.1" creator="answers">' + "\n".join(tracks) + "</gpx>\n"


def edge_list(folder: Path, osm: ElementTree.Element) -> None:
    """Writes some ways as a table of edges, all nodes, and a table of additional features for some ways."""
    nodes, edges, own = {}, [], []
    for node in osm.iter("node"):
        nodes[node.get("id")] = f"{node.get('id')},{node.get('lat')},{node.get('lon')}\n"
    for at, way in enumerate(osm.iter("way")):
        tags = {tag.get("k"): tag.get("v") for tag in way.iter("tag")}
        refs = [part.get("ref") for part in way.iter("nd")]
        kind, lanes = tags.get("highway", "residential"), at % 3 + 1
        if at % 5 < 4:
            edges += [f"{a},{b},{kind},{lanes}\n{b},{a},{kind},{lanes}\n" for a, b in zip(refs, refs[1:])]
        if at % 2:
            own.append(f"{way.get('id')},{at % 7},{0.1 * at:.2f}\n")
    (folder / "nodes.csv").write_text("node,lat,lon\n" + "".join(nodes.values()))
    (folder / "edges.csv").write_text("from,to,highway,lanes\n" + "".join(edges))
    (folder / "own.csv").write_text("way,shops,noise\n" + "".join(own) + "99999999,1,1\n")


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def zigzag(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def field(at: int, value: bytes | int) -> bytes:
    """A field of a protocol buffer: a number, or bytes."""
    if isinstance(value, int):
        return varint(at << 3) + varint(value)
    return varint(at << 3 | 2) + varint(len(value)) + value


def deltas(values: list[int]) -> bytes:
    return b"".join(zigzag(value - before) for before, value in zip([0, *values], values))


def pbf(osm: ElementTree.Element) -> bytes:
    """The map as OpenStreetMap's protocol buffers: a header and one block of dense nodes, ways and relations."""
    strings: dict[bytes, int] = {b"": 0}

    def text(value: str) -> int:
        return strings.setdefault(value.encode(), len(strings))

    def tags(thing: ElementTree.Element) -> list[tuple[int, int]]:
        return [(text(tag.get("k", "")), text(tag.get("v", ""))) for tag in thing.iter("tag")]

    def packed(pairs: list[tuple[int, int]], at: int) -> bytes:
        return b"".join(varint(pair[at]) for pair in pairs)

    nodes = list(osm.iter("node"))
    tagged = b"".join(b"".join(varint(k) + varint(v) for k, v in tags(node)) + varint(0) for node in nodes)
    place = {name: [round(float(node.get(name, 0)) * 1e7) for node in nodes] for name in ("lat", "lon")}
    dense = field(1, deltas([int(node.get("id", 0)) for node in nodes])) + field(8, deltas(place["lat"]))
    groups = [field(2, dense + field(9, deltas(place["lon"])) + field(10, tagged))]
    for way in osm.iter("way"):
        pairs, refs = tags(way), [int(part.get("ref", 0)) for part in way.iter("nd")]
        groups.append(
            field(
                3,
                field(1, int(way.get("id", 0)))
                + field(2, packed(pairs, 0))
                + field(3, packed(pairs, 1))
                + field(8, deltas(refs)),
            )
        )
    for relation in osm.iter("relation"):
        pairs, members = tags(relation), list(relation.iter("member"))
        kinds = b"".join(varint(("node", "way", "relation").index(member.get("type", ""))) for member in members)
        roles = b"".join(varint(text(member.get("role", ""))) for member in members)
        refs = deltas([int(member.get("ref", 0)) for member in members])
        about = field(1, int(relation.get("id", 0))) + field(2, packed(pairs, 0)) + field(3, packed(pairs, 1))
        groups.append(field(4, about + field(8, roles) + field(9, refs) + field(10, kinds)))
    block = field(1, b"".join(field(1, string) for string in strings)) + field(2, b"".join(groups))
    header = field(4, b"OsmSchema-V0.6") + field(4, b"DenseNodes")
    # The granularity is the default, 100 nanodegrees.
    return blob(b"OSMHeader", header) + blob(b"OSMData", block)


def blob(kind: bytes, content: bytes) -> bytes:
    body = field(2, len(content)) + field(3, zlib.compress(content))
    head = field(1, kind) + field(3, len(body))
    return struct.pack(">I", len(head)) + head + body


def broken(folder: Path) -> None:
    """Writes invalid maps and trips."""
    (folder / "line.osm").write_text(LINE)
    (folder / "page.osm").write_text("<html><body>404</body></html>")
    (folder / "map.txt").write_text("nothing")
    (folder / "edges.csv").write_text("from,to\n1,2\n2,1\n")
    (folder / "table.csv").write_text("segment,shops\n0,x\n")
    fixes = [[-20.0 + 1e-4 * at, 43.0] for at in range(20)]
    rows = {
        "few": f'"{json.dumps(fixes)}"',
        "swapped": f'"{json.dumps([fix[::-1] for fix in fixes])}"',
        "torn": '"[[1, 2], [3"',
    }
    for name, polyline in rows.items():
        (folder / f"{name}.csv").write_text(TRIPS + f"1,A,,,1,0,A,False,{polyline}\n")
    times = "".join(f"a,{time},43.0,{-20 + time * 1e-5}\n" for time in (0, 60, 30, 200))
    (folder / "backwards.csv").write_text("trip,time,lat,lon\n" + times)
    (folder / "columns.csv").write_text("trip,when\n1,2\n")
