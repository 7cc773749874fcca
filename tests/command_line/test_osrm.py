"""OSRM itself with exported tables, if its programs are there (`pip install osrm-bindings` has them, for Python 3.12 and later)."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from cities import City

ROUTED = shutil.which("osrm-routed")
pytestmark = pytest.mark.skipif(ROUTED is None, reason="osrm-routed is not in PATH: install OSRM")
QUERIES = 60
# What the profile adds at traffic lights that no junction is at, as a weight.
LIGHTS = 2.0


class Server:
    """OSRM with a map and two tables."""

    def __init__(self, folder, segments, turns):
        profiles = next(path for path in Path(ROUTED).resolve().parents[1].glob("**/profiles/car.lua"))
        shutil.copytree(profiles.parent, folder / "profiles")
        profile = folder / "profiles" / "car.lua"
        profile.write_text(re.sub(r"u_turn_penalty(\s*)= *\d+", r"u_turn_penalty\1= 0", profile.read_text()))
        for line in (
            "osrm-extract -t 1 -p profiles/car.lua map.osm",
            "osrm-partition -t 1 map.osrm",
            f"osrm-customize -t 1 map.osrm --segment-speed-file {segments} --turn-penalty-file {turns}",
        ):
            done = subprocess.run(line.split(), cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
        self.said = done.stdout + done.stderr
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [ROUTED, "-t", "1", "--algorithm", "mld", "--ip", "127.0.0.1", "--port", str(self.port), "map.osrm"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def route(self, one, other):
        """The nodes and the weight of the route from the middle of a segment to that of another, and the weights of its segments."""
        ends = []
        for segment in (one, other):
            (lat, lon), (other_lat, other_lon) = segment.places
            ends.append(((lon + other_lon) / 2, (lat + other_lat) / 2, round(segment.bearing()) % 360))
        places = ";".join(f"{lon:.6f},{lat:.6f}" for lon, lat, _ in ends)
        bearings = ";".join(f"{bearing},20" for *_, bearing in ends)
        url = f"http://127.0.0.1:{self.port}/route/v1/car/{places}?annotations=nodes,weight&bearings={bearings}&overview=false"
        for _ in range(100):
            try:
                leg = json.load(urllib.request.urlopen(url))["routes"][0]["legs"][0]
                return leg["annotation"]["nodes"], leg["weight"], leg["annotation"]["weight"]
            except urllib.error.HTTPError:
                return None
            except urllib.error.URLError:
                time.sleep(0.1)
        raise AssertionError("OSRM does not answer")


def test_osrm_finds_the_likeliest_routes(revealed, tmp_path):
    city = City(revealed, tmp_path, "type,time,signals,turns")
    tables = [tmp_path / "segments.csv", tmp_path / "turns.csv"]
    said = revealed("roads", "export", tmp_path / "city.npz", tmp_path / "model.json", "--to", "osrm", "-o", tables[0], "--turns", tables[1])
    # The profile does not use roads of unknown kind.
    (tmp_path / "map.osm").write_text((tmp_path / "city.osm").read_text().replace('k="highway" v="road"', 'k="highway" v="unclassified"'))
    server = Server(tmp_path, *tables)
    try:
        assert f"Used {said['content']['segments']} speeds from {tables[0]}" in server.said
        compare(revealed, city, server, said["scale"])
    finally:
        server.process.kill()
        server.process.wait()


def compare(revealed, city, server, scale):
    """OSRM's routes and weights with those of the model."""
    state_of = {one.nodes: state for state, one in enumerate(city.segments)}
    costs, turns, rng = city.costs(), city.costs_of_turns(), random.Random(4)
    asked = same = elsewhere = 0
    while asked < QUERIES:
        ends = [rng.randrange(len(city.segments)) for _ in range(2)]
        found = server.route(*(city.segments[state] for state in ends))
        path = [] if found is None else [state_of.get(pair) for pair in zip(found[0], found[0][1:])]
        if len(path) < 4 or [path[0], path[-1]] != ends:
            continue  # It began or ended on another road at this place.
        asked += 1
        _, weight, weights = found
        steps = list(zip(path, path[1:]))
        if not all(step in turns for step in steps):
            elsewhere += 1  # It took a service road, or a turn, that the network leaves out.
            continue
        # All but the halves at the ends, which may have the costs of turns after them.
        joined = city.joined()
        inner = sum(costs[state] for state in path[1:-1]) + sum(turns[step] for step in steps[1:-1])
        theirs = (weight - weights[0] - weights[-1]) / scale
        outer = sum(0 if step in joined else turns[step] for step in (steps[0], steps[-1]))
        outer += turns[steps[-1]] if steps[-1] in joined else 0
        rounding = 2 * len(path) * 0.05 / scale
        lights = LIGHTS * sum(costs[state] > 0 for state in path) / scale
        assert -rounding <= theirs - inner - outer <= rounding + lights, (path, theirs, inner, outer)
        best = revealed("roads", "forecast", city.folder / "city.npz", city.folder / "model.json", "--from", ends[0], "--to", ends[1])
        likeliest = best["routes"][0]["states"]

        def cost(states):
            return sum(costs[state] for state in states) + sum(turns[step] for step in zip(states, states[1:]))

        assert math.isclose(cost(path), cost(likeliest), abs_tol=2 * rounding + lights), (path, likeliest)
        same += path == likeliest
    print(f"{same} of {asked} routes of OSRM are the likeliest ones; {elsewhere} take roads or turns that the network leaves out")
    assert same >= 0.9 * (asked - elsewhere) and elsewhere <= 0.1 * asked
