"""Compares matched trips with Valhalla's map matching (Meili) on the same map, offline.

    benchmarks/run_matching MAP TRIPS      runs it, for both of revealed's methods
    python matching_peers.py MAP TRIPS ROADS.npz MATCHED.jsonl [number of trips] [OTHERS.jsonl]

MAP is .osm.pbf, .osm or .osm.gz; TRIPS is .gpx, or the UCI's .csv or .csv.gz. With OTHERS, only trips that are also there
are compared, and the sample is drawn from OTHERS: it is the same for all files that are compared so.

The agreement is the share of the length on the same ways of OpenStreetMap: the sum over ways of the shorter of the two
lengths, divided by the length of the longer route. It is printed in two ways:

- of whole routes, over the trips for which Valhalla has a route without gaps. All of our parts count, and the first and
  the last segment count whole;
- of what both have, over all trips (.csv only): stretches from fix to fix on which one of our parts and one of
  Valhalla's routes lead, from the first such fix to the last. Where one of them has a gap, neither counts, and the share
  of the fixes that are left out is printed.
"""

import csv
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import numpy as np
import osmium
import valhalla


def tiles(map_file, directory):
    """Valhalla, with tiles built from this map."""
    pbf = directory / "map.osm.pbf"
    # Valhalla expects elements in the order of their ids.
    merged = osmium.MergeInputReader()
    merged.add_file(str(map_file))
    with osmium.SimpleWriter(str(pbf)) as writer:
        merged.apply(writer)
    (directory / "tiles").mkdir()
    config = valhalla.get_config(tile_extract="", tile_dir=str(directory / "tiles"), verbose=False)
    config["mjolnir"]["concurrency"] = 1
    path = directory / "valhalla.json"
    path.write_text(json.dumps(config))
    program = Path(valhalla.__file__).parent / "bin" / "valhalla_build_tiles"
    built = subprocess.run([program, "-c", str(path), str(pbf)], capture_output=True, text=True)
    if built.returncode != 0:
        sys.exit(f"Valhalla cannot build its tiles of {map_file}: {built.stderr.strip()[-300:]}")
    return valhalla.Actor(str(path))


def trips(path):
    """Pairs of an id and a list of (lat, lon)."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    if ".gpx" in path.suffixes:
        for number, track in enumerate(ET.parse(opened).getroot().findall("{*}trk"), 1):
            name = (track.findtext("{*}name") or "").strip() or f"track {number}"
            yield name, [(float(p.get("lat")), float(p.get("lon"))) for p in track.findall(".//{*}trkpt")]
    else:
        csv.field_size_limit(1 << 24)
        for row in csv.DictReader(opened):
            yield row["TRIP_ID"], [(lat, lon) for lon, lat in json.loads(row["POLYLINE"])]


class Peer:
    """What Valhalla found: its edges with the metres along its line, and where each fix is on them."""

    def __init__(self, answer):
        places = polyline(answer["shape"])
        # Metres to the north and to the east, which are exact enough within a city.
        self.scale = 111_195.0 * np.array([1.0, np.cos(np.radians(places[0, 0]))])
        line = places * self.scale
        self.along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
        self.line = line
        self.edges = [(e["way_id"], e["begin_shape_index"], e["end_shape_index"]) for e in answer["edges"]]
        self.lengths = [1000.0 * e["length"] for e in answer["edges"]]
        self.points = answer["matched_points"]
        self.has_gaps = any(point.get("begin_route_discontinuity") for point in self.points)

    def metres_by_way(self):
        metres = Counter()
        # The lengths of the first and the last edge count only the parts that were driven.
        for (way, _, _), length in zip(self.edges, self.lengths):
            metres[way] += length
        return metres

    def routes(self):
        """For each route without gaps: the places of the fixes on it, as (fix, edge, metres along the line)."""
        found = [[]]
        for fix, point in enumerate(self.points):
            if point.get("begin_route_discontinuity"):
                found.append([])
            edge = point.get("edge_index")
            if point["type"] != "unmatched" and edge is not None and edge < len(self.edges):
                found[-1].append((fix, edge, self.place(edge, self.scale * (point["lat"], point["lon"]))))
        return [route for route in found if len(route) > 1]

    def place(self, edge, point):
        """Metres along the line of the place on an edge that is nearest to a point."""
        _, first, last = self.edges[edge]
        best = (np.inf, self.along[first])
        for at in range(first, last):
            a, way = self.line[at], self.line[at + 1] - self.line[at]
            share = np.clip((point - a) @ way / max(way @ way, 1e-12), 0.0, 1.0)
            off = np.hypot(*(a + share * way - point))
            best = min(best, (off, self.along[at] + share * (self.along[at + 1] - self.along[at])))
        return best[1]

    def between(self, begin, end):
        """Metres by way from one fix to another."""
        metres = Counter()
        for edge in range(begin[1], end[1] + 1):
            way, first, last = self.edges[edge]
            low = begin[2] if edge == begin[1] else self.along[first]
            high = end[2] if edge == end[1] else self.along[last]
            metres[way] += max(0.0, high - low)
        return metres


def polyline(text):
    """The points of a line in Google's format with six decimals: latitudes and longitudes."""
    numbers, value, shift = [], 0, 0
    for letter in text:
        part = ord(letter) - 63
        value |= (part & 31) << shift
        shift += 5
        if part < 32:
            numbers.append(~(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return np.cumsum(np.array(numbers).reshape(-1, 2), axis=0) / 1e6


def asked(actor, points):
    """What Valhalla finds; None if it finds nothing."""
    request = {
        "shape": [{"lat": lat, "lon": lon} for lat, lon in points],
        "costing": "auto",
        "shape_match": "map_snap",
        "trace_options": {"gps_accuracy": 10, "search_radius": 50},
    }
    try:
        return Peer(actor.trace_attributes(request))
    except RuntimeError:
        return None


class Ours:
    """The parts of a matched trip."""

    def __init__(self, length, way):
        self.length, self.way, self.parts = length, way, []

    def metres_by_way(self):
        metres = Counter()
        for state in (state for part in self.parts for state in part["states"]):
            metres[int(self.way[state])] += float(self.length[state])
        return metres

    def between(self, part, begin, end):
        """Metres by way from one fix to another, which are 15 seconds apart."""
        states = part["states"]
        along = np.concatenate([[0.0], np.cumsum(self.length[states])])
        # Between fixes the speed is constant, so places at the times of fixes are exact.
        last = along[len(states) - 1] + part["offsets"][1]
        times = np.array([*part["times"], part["end_time"]])
        metres = np.array([part["offsets"][0], *along[1 : len(states)], last])
        low, high = np.interp([15.0 * begin, 15.0 * end], times, metres)
        found = Counter()
        for at, state in enumerate(states):
            found[int(self.way[state])] += max(0.0, min(high, along[at + 1]) - max(low, along[at]))
        return found


def on_both(ours, theirs):
    """Metres in common and metres of the longer route on stretches that both have, and the number of steps there."""
    common = longer = steps = 0
    for part in ours.parts:
        first, last = part["fixes"]
        for route in theirs.routes() if theirs else []:
            inside = [place for place in route if first <= place[0] <= last]
            if len(inside) > 1:
                mine = ours.between(part, inside[0][0], inside[-1][0])
                other = theirs.between(inside[0], inside[-1])
                common += sum(min(mine[way], other[way]) for way in mine)
                longer += max(sum(mine.values()), sum(other.values()))
                steps += inside[-1][0] - inside[0][0]
    return common, longer, steps


def main():
    map_file, trip_file, roads, matched = map(Path, sys.argv[1:5])
    most = int(sys.argv[5]) if len(sys.argv) > 5 else 1_000_000
    arrays = np.load(roads)
    length, way = arrays["roads.segment.length"], arrays["roads.way.id"][arrays["roads.segment.way"]]
    ours = {}
    # A trip whose route breaks has several lines.
    for line in matched.read_text().splitlines():
        part = json.loads(line)
        ours.setdefault(part["id"], Ours(length, way)).parts.append(part)
    names = list(ours)
    if len(sys.argv) > 6:
        names = list(dict.fromkeys(json.loads(line)["id"] for line in Path(sys.argv[6]).read_text().splitlines()))
    # Spread evenly over the file.
    chosen = set(names[:: max(1, len(names) // most)][:most]) & set(ours)
    with tempfile.TemporaryDirectory() as directory:
        actor = tiles(map_file, Path(directory))
        same, ratio, none, clock = [], [], 0, 0.0
        shares, left_out, steps = [], 0, 0
        for name, points in trips(trip_file):
            if name not in chosen:
                continue
            start = time.perf_counter()
            theirs = asked(actor, points)
            clock += time.perf_counter() - start
            if ".csv" in trip_file.suffixes and all("times" in part for part in ours[name].parts):
                common, longer, both = on_both(ours[name], theirs)
                shares += [common / longer] if longer > 0.0 else []
                left_out += len(points) - 1 - both
                steps += len(points) - 1
            if theirs is None or theirs.has_gaps:
                none += 1
                continue
            mine, other = ours[name].metres_by_way(), theirs.metres_by_way()
            common = sum(min(mine[one], other[one]) for one in mine)
            same.append(common / max(sum(mine.values()), sum(other.values())))
            ratio.append(sum(mine.values()) / sum(other.values()))
    print(f"Valhalla {valhalla.__version__}: {len(same)} trips, {none} without a complete route, {1000 * clock / max(1, len(chosen)):.1f} ms per trip")
    if same:
        print(f"length on the same ways: mean {statistics.mean(same):.4f}, median {statistics.median(same):.3f}")
        print(f"our length divided by theirs: median {statistics.median(ratio):.3f}")
        print(f"trips with 90 % or more on the same ways: {sum(one >= 0.9 for one in same) / len(same):.3f}")
    if shares:
        print(f"where both have a route, {len(shares)} trips: mean {statistics.mean(shares):.4f}, median {statistics.median(shares):.3f}")
        print(f"steps between fixes where one has none: {left_out / steps:.3f}")


if __name__ == "__main__":
    main()
