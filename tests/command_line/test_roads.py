"""`revealed roads` and `revealed reproduce porto` on the city that does not exist: every command, and every bad input."""

import csv
import gzip
import json
import re
import signal
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from pages import blocks, page

FEATURES = "type,time,signals,turns"


def lines(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


@pytest.fixture(scope="module")
def city(revealed, tmp_path_factory):
    """The folder of a city, its trips, its network, matched paths and a model, and what the commands printed."""
    folder = tmp_path_factory.mktemp("city")
    said = {}
    said["city"] = revealed("roads", "city", "-o", folder / "city.osm", "--trips", folder / "trips.csv", "--paths", folder / "truth.jsonl",
                            "-n", 900, "--seed", 3)
    said["import"] = revealed("roads", "import", folder / "city.osm", "-o", folder / "city.npz", "--features", FEATURES,
                              "--export", folder / "city.geojson", "--export", folder / "city.fgb")
    said["match"] = revealed("roads", "match", folder / "city.npz", folder / "trips.csv", "-o", folder / "paths.jsonl",
                             "--dropped", folder / "dropped.csv", "--shortest", 60, "--keep-cyclic")
    said["learn"] = revealed("roads", "learn", folder / "city.npz", folder / "paths.jsonl", "-o", folder / "model.json",
                             "--held-out", folder / "test.jsonl", "--train", folder / "train.jsonl")
    return folder, said


def test_the_network_is_a_problem_that_every_command_reads(revealed, city):
    folder, said = city
    checked = revealed("check", folder / "city.npz", folder / "paths.jsonl")
    assert checked["n_states"] == said["import"]["states"] == said["city"]["segments"]
    geojson = json.loads((folder / "city.geojson").read_text())
    assert len(geojson["features"]) == said["import"]["states"]
    assert (folder / "city.fgb").read_bytes().startswith(b"fgb")


def test_matched_paths_are_those_that_were_driven(city):
    folder, said = city
    truth = {one["id"]: one["states"] for one in lines(folder / "truth.jsonl")}
    paths = lines(folder / "paths.jsonl")
    assert len(paths) == said["match"]["matched"] and all(0 <= one["confidence"] <= 1 for one in paths)
    dropped = list(csv.DictReader(open(folder / "dropped.csv")))
    assert len(paths) + len(dropped) == said["match"]["trips"] == 900
    assert sum(said["match"]["dropped"].values()) == len(dropped)
    right = [len(set(one["states"]) & set(truth[one["id"]])) / max(len(set(one["states"])), len(set(truth[one["id"]]))) for one in paths]
    assert sum(right) / len(right) > 0.93


def test_nothing_straddles_the_split(city):
    folder, _ = city
    train, test = lines(folder / "train.jsonl"), lines(folder / "test.jsonl")
    assert not {tuple(one["states"]) for one in train} & {tuple(one["states"]) for one in test}
    assert not {one["id"] for one in train} & {one["id"] for one in test}
    assert 0.25 < len(test) / (len(train) + len(test)) < 0.35


def test_no_two_outputs_are_one_file(revealed, city, tmp_path):
    folder, _ = city
    same = tmp_path / "same.jsonl"
    message = revealed.refuses("roads", "learn", folder / "city.npz", folder / "paths.jsonl", "-o", tmp_path / "m.json", "--held-out", same, "--train", same)
    assert "same.jsonl" in message and not same.exists()


def test_coordinates_are_read_strictly(revealed, city, tmp_path):
    folder, _ = city
    message = revealed.refuses("roads", "match", folder / "city.npz", folder / "trips.csv", "-o", tmp_path / "p.jsonl", "--area", "41.1,x,-8.6,15")
    assert "41.1,x,-8.6,15" in message
    message = revealed.refuses("roads", "forecast", folder / "city.npz", folder / "model.json", "--from", "41.15,x,-8.6", "--to", 3)
    assert "41.15,x,-8.6" in message


def test_evaluation_compares_with_simpler_forecasts_and_draws(revealed, city, tmp_path):
    folder, _ = city
    found = revealed("roads", "evaluate", folder / "city.npz", folder / "model.json", folder / "test.jsonl", "--train", folder / "train.jsonl",
                     "--maps", tmp_path / "maps", "-o", tmp_path / "trips.csv", "--destinations", 30)
    scores = {score["name"]: score["distance_match"]["mean"] for score in found["scores"]}
    assert scores["learned"] > scores["shortest path"] > scores["random weights"]
    assert {score["seen"] for score in found["destinations"]["scores"]} == {0.1, 0.3, 0.5, 0.7}
    for name in ["costs", "flows", "flow-difference", "flow-scatter", "trip-good", "trip-median", "trip-bad"]:
        assert (tmp_path / "maps" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (tmp_path / "maps" / f"{name}.svg").read_text()
    assert len((tmp_path / "trips.csv").read_text().splitlines()) == len(lines(folder / "test.jsonl")) + 1
    # It is not OpenStreetMap's, and a path need not be the truth.
    trip = (tmp_path / "maps" / "trip-median.svg").read_text()
    assert "a city that does not exist" in trip and "OpenStreetMap" not in trip
    assert "driven route" in trip and "true route" not in trip


def test_forecasts_between_places_and_of_a_trip_that_was_begun(revealed, city, tmp_path):
    folder, _ = city
    geojson = json.loads((folder / "city.geojson").read_text())["features"]
    places = ["{1},{0}".format(*geojson[place]["geometry"]["coordinates"][0]) for place in (10, 900)]
    routes = revealed("roads", "forecast", folder / "city.npz", folder / "model.json", "--from", places[0], "--to", places[1], "--k", 3,
                      "--map", tmp_path / "route.svg", "-o", tmp_path / "route.geojson")["routes"]
    assert len(routes) == 3 and routes[0]["relative_weight"] == 1 and routes[1]["relative_weight"] <= 1
    assert abs(sum(leg["metres"] for leg in routes[0]["legs"]) - routes[0]["metres"]) < 1e-6
    assert len(json.loads((tmp_path / "route.geojson").read_text())["features"]) == 3
    header, *rows = (folder / "trips.csv").read_text().splitlines()
    longest = max(rows, key=len)
    (tmp_path / "begun.csv").write_text(f"{header}\n{longest}\n")
    begun = revealed("roads", "forecast", folder / "city.npz", folder / "model.json", "--trace", tmp_path / "begun.csv",
                     "--map", tmp_path / "ends.png")
    p = [one["p"] for one in begun["destinations"]]
    assert p == sorted(p, reverse=True) and 0 < sum(p) <= 1


def test_the_paper_s_model_and_compressed_networks_are_learned_too(revealed, city, tmp_path):
    folder, said = city
    paper = revealed("roads", "learn", folder / "city.npz", folder / "paths.jsonl", "-o", tmp_path / "paper.json", "--inference", "exact",
                     "--summary", "--level", 0.8)
    assert paper["ends"] == "anywhere" and paper["converged"] and paper["summary"]["level"] == 0.8
    small = revealed("roads", "import", folder / "city.osm", "-o", tmp_path / "small.npz", "--features", FEATURES, "--compress")
    assert small["states"] < said["import"]["states"] and small["segments"] == said["import"]["segments"]
    matched = revealed("roads", "match", tmp_path / "small.npz", folder / "trips.csv", "-o", tmp_path / "small.jsonl")
    assert matched["matched"] > 100
    learned = revealed("roads", "learn", tmp_path / "small.npz", tmp_path / "small.jsonl", "-o", tmp_path / "small.json")
    assert learned["converged"]
    drawn = revealed("roads", "evaluate", tmp_path / "small.npz", tmp_path / "small.json", tmp_path / "small.jsonl", "--train",
                     tmp_path / "small.jsonl", "--maps", tmp_path / "maps", "--destinations", 20)
    assert "costs.svg" in drawn["maps"] and "trip-median.png" in drawn["maps"]
    revealed("roads", "forecast", tmp_path / "small.npz", tmp_path / "small.json", "--trace", folder / "trips.csv",
             "--map", tmp_path / "ends.svg")


def test_both_ways_of_matching_agree(revealed, city, tmp_path):
    folder, _ = city
    revealed("roads", "match", folder / "city.npz", folder / "trips.csv", "-o", tmp_path / "particles.jsonl", "--method", "particles")
    revealed("roads", "match", folder / "city.npz", folder / "trips.csv", "-o", tmp_path / "hmm.jsonl", "--threads", 1)
    one, other = ({one["id"]: set(one["states"]) for one in lines(tmp_path / name)} for name in ("particles.jsonl", "hmm.jsonl"))
    both = one.keys() & other.keys()
    assert len(both) > 100
    assert sum(len(one[trip] & other[trip]) / len(one[trip] | other[trip]) for trip in both) / len(both) > 0.85


def test_preferences_and_times_find_routes_between_fixes_a_minute_apart(revealed, city, tmp_path):
    folder, _ = city
    truth = {one["id"]: set(one["states"]) for one in lines(folder / "truth.jsonl")}
    with open(tmp_path / "sparse.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["trip", "time", "lat", "lon"])
        for row in csv.DictReader(open(folder / "trips.csv")):
            fixes = list(enumerate(json.loads(row["POLYLINE"])))
            table.writerows([row["TRIP_ID"], 15 * at, lat, lon] for at, (lon, lat) in fixes if at % 4 == 0 or at == len(fixes) - 1)

    def right(*how):
        match = ["roads", "match", folder / "city.npz", tmp_path / "sparse.csv", "-o", tmp_path / "out.jsonl"]
        said = revealed(*match, "--min-seconds", 60, *how)
        paths = [(truth[one["id"]], set(one["states"])) for one in lines(tmp_path / "out.jsonl")]
        return sum(len(a & b) / max(len(a), len(b)) for a, b in paths) / len(paths), said

    lengths, _ = right()
    model, _ = right("--model", folder / "model.json", "--geojson", tmp_path / "routes.geojson")
    assert model > lengths + 0.1
    assert len(json.loads((tmp_path / "routes.geojson").read_text())["features"]) == len(lines(tmp_path / "out.jsonl"))
    learned, said = right("--learn", 1, "--learned", tmp_path / "learned.json")
    assert learned > lengths and len(said["rounds"]) == 1
    scores = revealed("roads", "evaluate", folder / "city.npz", tmp_path / "learned.json", folder / "test.jsonl")["scores"]
    assert {"learned", "shortest path"} <= {score["name"] for score in scores}


def test_porto_runs_on_the_city_s_files_and_keeps_its_stages(revealed, city, tmp_path):
    folder, _ = city
    arguments = ["reproduce", "porto", "--trips", folder / "trips.csv", "--map", folder / "city.osm", "--quick", "--out", tmp_path]
    found = revealed(*arguments)["experiments"][0]
    numbers = {number["name"]: number["ours"] for number in found["numbers"]}
    assert numbers["recursive-logit-distance-match"] > numbers["random-weights-distance-match"]
    page = (tmp_path / "index.html").read_text()
    assert "Forecasts of taxi drivers&#x27; routes" in page and len(re.findall("<svg", page)) >= 8
    for file in ["roads.npz", "paths.jsonl", "dropped.csv", "recursive-logit-1.json", "pictures.json"]:
        assert (tmp_path / "porto" / file).is_file(), file
    again = revealed(*arguments)["experiments"][0]
    assert again["done"] == 0
    # A first look is not the whole, whatever the number of repeats.
    whole = [argument for argument in arguments if argument != "--quick"] + ["--repeats", 1]
    assert "a first look" in revealed.refuses(*whole)
    # --fresh does every stage again, and what others keep there stays.
    paths = tmp_path / "porto" / "paths.jsonl"
    all_of_them = paths.read_bytes()
    paths.write_bytes(b"".join(all_of_them.splitlines(keepends=True)[:50]))
    (tmp_path / "porto" / "notes.txt").write_text("mine")
    assert revealed(*arguments, "--fresh")["experiments"][0]["done"] == 3
    assert paths.read_bytes() == all_of_them and (tmp_path / "porto" / "notes.txt").read_text() == "mine"


def test_porto_without_its_files_says_what_it_needs(revealed, tmp_path):
    message = revealed.refuses("reproduce", "porto", "--trips", tmp_path / "none.csv", "--out", tmp_path / "results")
    assert "none.csv" in message and "revealed roads city" in message


def bad_pbf(path):
    path.write_bytes(struct.pack(">I", 13) + b"\x0a\x09OSMHeader\x18\x05" + b"junk!")


BAD_MAPS = {
    "broken.osm.pbf": bad_pbf,
    "empty.osm.pbf": lambda path: path.write_bytes(b""),
    "cut.osm": lambda path: path.write_text('<?xml version="1.0"?><osm version="0.6"><node id="1" lat="1" lon="1"/>'),
    "none.osm": lambda path: path.write_text('<?xml version="1.0"?><osm version="0.6"></osm>'),
    "page.osm": lambda path: path.write_text("<html><body>404</body></html>"),
    "map.txt": lambda path: path.write_text("nothing"),
}


@pytest.mark.parametrize("name", BAD_MAPS)
def test_bad_maps_are_refused_in_one_line(revealed, tmp_path, name):
    BAD_MAPS[name](tmp_path / name)
    message = revealed.refuses("roads", "import", tmp_path / name, "-o", tmp_path / "out.npz")
    assert not (tmp_path / "out.npz").exists() and len(message) > 30


def test_a_map_that_is_cut_off_or_has_no_connected_part(revealed, city, tmp_path):
    whole = gzip.compress((city[0] / "city.osm").read_bytes())
    (tmp_path / "cut.osm.gz").write_bytes(whole[: len(whole) // 2])
    assert "cut.osm.gz" in revealed.refuses("roads", "import", tmp_path / "cut.osm.gz", "-o", tmp_path / "out.npz")
    nodes = "".join(f'<node id="{k}" lat="41.{k}" lon="-8.6"/>' for k in range(1, 4))
    way = '<way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/><tag k="oneway" v="yes"/></way>'
    (tmp_path / "line.osm").write_text(f'<osm version="0.6">{nodes}{way}</osm>')
    assert "--keep-all" in revealed.refuses("roads", "import", tmp_path / "line.osm", "-o", tmp_path / "out.npz")
    assert revealed("roads", "import", tmp_path / "line.osm", "-o", tmp_path / "out.npz", "--keep-all")["segments"] == 2


def test_rules_over_a_way_are_counted_apart(revealed, city, tmp_path):
    text = (city[0] / "city.osm").read_text()
    members = "".join(f'<member type="way" ref="{k}" role="{role}"/>' for k, role in enumerate(["from", "via", "to"], 1))
    rule = f'<relation id="999">{members}<tag k="type" v="restriction"/><tag k="restriction" v="no_u_turn"/></relation>'
    (tmp_path / "ruled.osm").write_text(text.replace("</osm>", f"{rule}</osm>"))
    arguments = ["roads", "import", tmp_path / "ruled.osm", "-o", tmp_path / "out.npz"]
    found, before = revealed(*arguments), city[1]["import"]
    assert found["osm"]["restrictions_via_ways"] == 1 and before["osm"]["restrictions_via_ways"] == 0
    assert found["osm"]["restrictions"] == before["osm"]["restrictions"] + 1 and found["turns_forbidden"] == before["turns_forbidden"]
    assert "over a way      1 of these rules; 0 copies of segments" in revealed.run(*arguments).stdout


def divided(rule=""):
    """A divided road (0 > 1 > 2 > 3 and 4 > 5 > 6 > 9) with two connections, as OpenStreetMap."""
    places = {0: (6, 1), 1: (4, 1), 2: (2, 1), 3: (0, 1), 4: (0, 0), 5: (2, 0), 6: (4, 0), 9: (6, 0)}
    places |= {7: (2, 2), 8: (4, 2), 10: (2, -1)}
    nodes = "".join(f'<node id="{k + 1}" lat="{y / 1000}" lon="{x / 1000}"/>' for k, (x, y) in places.items())
    one_way = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 9)]
    ways = ""
    for k, (a, b) in enumerate([*one_way, (2, 5), (1, 6), (2, 7), (1, 8), (3, 4), (9, 0), (5, 10)]):
        tag = '<tag k="oneway" v="yes"/>' if (a, b) in one_way else ""
        ways += f'<way id="{100 + k}"><nd ref="{a + 1}"/><nd ref="{b + 1}"/><tag k="highway" v="residential"/>{tag}</way>'
    return f'<osm version="0.6">{nodes}{ways}{rule}</osm>'


def test_a_rule_over_a_way_is_obeyed_everywhere(revealed, tmp_path):
    # Who comes from 1 > 2 may not make a U-turn over 2 - 5 into 5 > 6.
    members = "".join(f'<member type="way" ref="{k}" role="{role}"/>' for k, role in [(101, "from"), (106, "via"), (104, "to")])
    rule = f'<relation id="9">{members}<tag k="type" v="restriction"/><tag k="restriction" v="no_u_turn"/></relation>'
    (tmp_path / "plain.osm").write_text(divided())
    (tmp_path / "ruled.osm").write_text(divided(rule))
    found, routes = {}, {}
    theta = {"length": -0.01, "link": -0.1, "left": -0.5, "right": -0.2, "u_turn": -1.0}
    for name in ["plain", "ruled"]:
        network, model = tmp_path / f"{name}.npz", tmp_path / f"{name}.json"
        export = ["--export", tmp_path / f"{name}.geojson"]
        said = revealed("roads", "import", tmp_path / f"{name}.osm", "-o", network, "--features", "length,link,turns", *export)
        found[name] = said
        # Each road once.
        assert len(json.loads((tmp_path / f"{name}.geojson").read_text())["features"]) == said["segments"]
        with np.load(network) as arrays:
            ids = arrays["roads.node.id"] - 1
            ends = zip(ids[arrays["roads.segment.from"]].tolist(), ids[arrays["roads.segment.to"]].tolist())
            number = {}
            for segment, pair in enumerate(ends):
                number.setdefault(pair, segment)
        weights = [theta[feature] for feature in said["features"]]
        model.write_text(json.dumps({"theta": weights, "horizon": "any", "ends": "goal", "inference": "recursive-logit"}))
        ends = ["--from", number[1, 2], "--to", number[5, 6]]
        routes[name] = revealed("roads", "forecast", network, model, *ends)["routes"][0]["states"]
        pairs, flows = tmp_path / "pairs.csv", tmp_path / f"{name}.csv"
        pairs.write_text(f"from,to,weight\n{number[1, 2]},{number[2, 5]},10\n{number[8, 1]},{number[6, 9]},5\n")
        revealed("roads", "flows", network, model, pairs, "-o", flows, "--map", tmp_path / f"{name}.png")
        table = dict(line.split(",") for line in flows.read_text().splitlines()[1:])
        # All ten trips end on 2 > 5, and the flow of the road counts those on its copy, too.
        assert len(table) == said["segments"] and float(table[str(number[2, 5])]) >= 10 - 1e-9
    plain, ruled = found["plain"], found["ruled"]
    assert (plain["copies"], ruled["copies"], ruled["segments"]) == (0, 1, plain["segments"])
    assert ruled["states"] == plain["states"] + 1 and ruled["turns_forbidden"] == 1
    assert routes["plain"] == [number[1, 2], number[2, 5], number[5, 6]]
    assert routes["ruled"][-1] == number[5, 6] and len(routes["ruled"]) > 3


def test_speeds_are_learned_from_the_trips(revealed, city, tmp_path):
    folder = city[0]
    paths, table = tmp_path / "paths.jsonl", tmp_path / "speeds.csv"
    network, hours = tmp_path / "timed.npz", tmp_path / "hours.jsonl"
    revealed("roads", "match", folder / "city.npz", folder / "trips.csv", "-o", paths, "--min-seconds", 60)
    found = revealed(
        "roads", "speeds", folder / "city.npz", paths, "-o", table, "--network", network, "--paths", hours, "--utc-offset", 1
    )
    # The drivers of the made-up city drive at the usual speeds.
    of_all = [row for row in found["slowness"] if row["hour"] is None]
    assert all(abs(row["slowness"] - 1) < 0.1 for row in of_all if row["usual_seconds"] > 5000), of_all
    line = json.loads(hours.read_text().splitlines()[0])
    assert 0 <= line["trip"]["hour"] < 24 and 0.8 < line["trip"]["slowness"] < 1.2
    by_hour = [tmp_path / "by-hour.npz", tmp_path / "by-hour.jsonl"]
    added = revealed("trips", network, hours, "--product", "time:slowness", "-o", by_hour[0], "--paths", by_hour[1])
    assert added["added"] == ["time*slowness"]
    revealed("roads", "import", folder / "city.osm", "-o", tmp_path / "again.npz", "--features", "time", "--speeds", table)
    again, first = (np.load(file) for file in [tmp_path / "again.npz", folder / "city.npz"])
    assert again["roads.segment.length"].sum() == first["roads.segment.length"].sum()
    message = revealed.refuses("roads", "speeds", folder / "city.npz", folder / "truth.jsonl", "-o", tmp_path / "no.csv")
    assert "has times" in message and not (tmp_path / "no.csv").exists()


def test_reading_a_country_shows_progress_and_can_be_interrupted(revealed, tmp_path):
    # Packed, gigabytes of nodes without a road are some megabytes.
    node = b'<node id="1" lat="41.1" lon="-8.6"/>\n'
    (tmp_path / "country.osm.gz").write_bytes(gzip.compress(b'<osm version="0.6">') + gzip.compress(node * 100_000) * 2000)
    command = [revealed.path, "roads", "import", tmp_path / "country.osm.gz", "-o", tmp_path / "out.npz"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    assert re.fullmatch(r"MB read: \d+ of \d+ \([\d.]+/s\), about \d+ s to go\n", line), line
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate()
    assert process.returncode == 130 and stdout == "", (process.returncode, stderr)
    assert "interrupted: the network is not finished, and nothing is written" in stderr
    assert [file.name for file in tmp_path.iterdir()] == ["country.osm.gz"]


HEADER = "TRIP_ID,CALL_TYPE,ORIGIN_CALL,ORIGIN_STAND,TAXI_ID,TIMESTAMP,DAY_TYPE,MISSING_DATA,POLYLINE"


def test_bad_trips_are_counted_or_refused(revealed, city, tmp_path):
    folder, _ = city
    rows = list(csv.DictReader(open(folder / "trips.csv")))[:150]

    def match(rows, name="trips.csv"):
        with open(tmp_path / name, "w", newline="") as file:
            writer = csv.DictWriter(file, HEADER.split(","))
            writer.writeheader()
            writer.writerows(rows)
        return ["roads", "match", folder / "city.npz", tmp_path / name, "-o", tmp_path / "out.jsonl"]

    def swap(row):
        return row | {"POLYLINE": json.dumps([[lat, lon] for lon, lat in json.loads(row["POLYLINE"])])}

    assert "swapped" in revealed.refuses(*match([swap(row) for row in rows]))
    empty = revealed(*match([row | {"POLYLINE": "[]"} for row in rows[:3]] + rows[3:]))
    assert empty["dropped"]["empty"] == 3
    missing = revealed(*match([rows[0] | {"MISSING_DATA": "True"}, *rows[1:]]))
    assert missing["dropped"]["missing data"] >= 1
    twice = revealed(*match([rows[0], *rows]))
    assert twice["dropped"]["duplicate id"] == 1
    assert "line 2" in revealed.refuses(*match([rows[0] | {"POLYLINE": "[[1, 2], [3"}]))
    packed = gzip.compress((tmp_path / "trips.csv").read_bytes() * 50)
    (tmp_path / "cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    message = revealed.refuses("roads", "match", folder / "city.npz", tmp_path / "cut.csv.gz", "-o", tmp_path / "cut.jsonl")
    assert "cut.csv.gz" in message and not (tmp_path / "cut.jsonl").exists()
    times = "\n".join(f"a,{time},43.0,{-20 + time * 1e-5}" for time in (0, 60, 30, 200))
    (tmp_path / "plain.csv").write_text("trip,time,lat,lon\n" + times + "\n")
    strict = ["roads", "match", folder / "city.npz", tmp_path / "plain.csv", "-o", tmp_path / "out.jsonl", "--strict"]
    plain = revealed(*strict)
    assert plain["matched"] == 0 and sum(plain["dropped"].values()) == 1
    assert "backwards" in next(iter(plain["dropped"]))


def test_the_commands_of_the_page_on_roads_work(revealed, tmp_path):
    commands = [line for block in blocks(page("docs/howto/roads.md"), "sh") for line in block.code.splitlines()]
    assert len(commands) == 7
    for command in commands:
        assert revealed.shell(command, tmp_path), command
