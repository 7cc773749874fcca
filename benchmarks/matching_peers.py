"""Compares matched trips with Valhalla's map matching (Meili) on the same map, offline.

    benchmarks/run_matching MAP TRIPS      runs it, for both of revealed's methods
    python matching_peers.py MAP TRIPS ROADS.npz MATCHED.jsonl [number of trips] [OTHERS.jsonl]

MAP is .osm.pbf, .osm or .osm.gz; TRIPS is .gpx, or the UCI's .csv or .csv.gz. Over the trips that both match, it prints
the share of the length on the same ways of OpenStreetMap: the sum over ways of the shorter of the two lengths, divided
by the length of the longer route. With OTHERS, only trips that are also there are compared.
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


def metres_by_way(actor, points):
    """Metres on each way by Valhalla; None if it finds no route, or one with gaps."""
    request = {
        "shape": [{"lat": lat, "lon": lon} for lat, lon in points],
        "costing": "auto",
        "shape_match": "map_snap",
        "trace_options": {"gps_accuracy": 10, "search_radius": 50},
    }
    try:
        answer = actor.trace_attributes(request)
    except RuntimeError:
        return None
    if any(point.get("begin_route_discontinuity") for point in answer["matched_points"]):
        return None
    metres = Counter()
    # The lengths of the first and the last edge count only the parts that were driven.
    for edge in answer["edges"]:
        metres[edge["way_id"]] += 1000.0 * edge["length"]
    return metres


def main():
    map_file, trip_file, roads, matched = map(Path, sys.argv[1:5])
    most = int(sys.argv[5]) if len(sys.argv) > 5 else 1_000_000
    arrays = np.load(roads)
    length, way = arrays["roads.segment.length"], arrays["roads.way.id"][arrays["roads.segment.way"]]
    ours = {}
    # A trip whose route breaks has several lines.
    for line in matched.read_text().splitlines():
        part = json.loads(line)
        metres = ours.setdefault(part["id"], Counter())
        for state in part["states"]:
            metres[int(way[state])] += float(length[state])
    if len(sys.argv) > 6:
        others = {json.loads(line)["id"] for line in Path(sys.argv[6]).read_text().splitlines()}
        ours = {name: metres for name, metres in ours.items() if name in others}
    with tempfile.TemporaryDirectory() as directory:
        actor = tiles(map_file, Path(directory))
        same, ratio, none, clock = [], [], 0, 0.0
        # Spread evenly over the file.
        chosen = set(list(ours)[:: max(1, len(ours) // most)][:most])
        for name, points in trips(trip_file):
            if name not in chosen:
                continue
            start = time.perf_counter()
            theirs = metres_by_way(actor, points)
            clock += time.perf_counter() - start
            if theirs is None:
                none += 1
                continue
            mine = ours[name]
            common = sum(min(mine[one], theirs[one]) for one in mine)
            same.append(common / max(sum(mine.values()), sum(theirs.values())))
            ratio.append(sum(mine.values()) / sum(theirs.values()))
    print(f"Valhalla {valhalla.__version__}: {len(same)} trips, {none} without a complete route, {1000 * clock / max(1, len(chosen)):.1f} ms per trip")
    if same:
        print(f"length on the same ways: mean {statistics.mean(same):.3f}, median {statistics.median(same):.3f}")
        print(f"our length divided by theirs: median {statistics.median(ratio):.3f}")
        print(f"trips with 90 % or more on the same ways: {sum(one >= 0.9 for one in same) / len(same):.3f}")


if __name__ == "__main__":
    main()
