"""Exports: files that geopandas reads, and costs for routing engines that agree with the model's own."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import geopandas
import jsonschema
import numpy as np
import pytest
from cities import City, lines
from engines import GraphHopper, Osrm, Valhalla

SCHEMA = json.loads((Path(__file__).parent / "graphhopper_schema.json").read_text())
FORMATS = ["geojson", "fgb", "parquet", "gpkg"]


@pytest.fixture(scope="module")
def city(revealed, tmp_path_factory):
    return City(revealed, tmp_path_factory.mktemp("city"), "type,time,signals,turns")


PAIRS = [(10, 300), (40, 205), (333, 71), (250, 120)]


@pytest.mark.parametrize("format", FORMATS)
def test_geopandas_reads_a_network_with_its_costs(revealed, city, tmp_path, format):
    file = tmp_path / f"roads.{format}"
    said = revealed("roads", "export", city.folder / "city.npz", city.folder / "model.json", "-o", file)
    assert said["n_states"] == len(city.segments) and said["costs"]
    table = geopandas.read_parquet(file) if format == "parquet" else geopandas.read_file(file)
    table = table.sort_values("state").reset_index(drop=True)  # FlatGeobuf has the order of its spatial index.
    assert len(table) == len(city.segments) and table.crs.to_epsg() in (4326, None) and table.crs.is_geographic
    assert table["cost"].to_numpy() == pytest.approx(city.costs(), rel=1e-12)
    assert table["way"].to_numpy() == pytest.approx(city.arrays["roads.way.id"][city.arrays["roads.segment.way"]])
    assert (table["highway"] == [one.highway for one in city.segments]).all()
    assert table["speed"].isna().tolist() == [one.speed is None for one in city.segments]
    assert table["toll"].astype(bool).tolist() == [one.toll for one in city.segments]
    names = [str(city.arrays["roads.names"][place]) for place in city.arrays["roads.way.name"][city.arrays["roads.segment.way"]]]
    assert table["name"].fillna("").tolist() == names
    for line, one in zip(table.geometry, city.segments):
        places = [(lon, lat) for lat, lon in one.places]
        assert line.geom_type == "LineString" and np.allclose(list(line.coords), places, rtol=0, atol=1e-7)
    assert table.total_bounds == pytest.approx([
        min(one.places[0][1] for one in city.segments), min(one.places[0][0] for one in city.segments),
        max(one.places[0][1] for one in city.segments), max(one.places[0][0] for one in city.segments),
    ], abs=1e-7)  # fmt: skip


def test_a_geopackage_is_a_sound_database(revealed, city, tmp_path):
    files = [tmp_path / "roads.gpkg", tmp_path / "again.gpkg"]
    for file in files:
        revealed("roads", "export", city.folder / "city.npz", "-o", file)
    assert files[0].read_bytes() == files[1].read_bytes()
    base = sqlite3.connect(files[0])
    assert base.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert base.execute("pragma foreign_key_check").fetchall() == []
    assert base.execute("pragma application_id").fetchone() == (0x47504B47,)
    assert base.execute("select count(*), min(fid), max(fid) from roads").fetchone() == (len(city.segments), 1, len(city.segments))
    # An index is used, and the file can be written to.
    assert base.execute("select data_type from gpkg_contents where identifier = 'roads'").fetchone() == ("features",)
    base.execute("delete from roads where state % 2 = 0")
    base.execute("insert into roads (state) values (999999)")
    assert base.execute("pragma integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("format", FORMATS)
def test_routes_and_flows_are_read_by_geopandas(revealed, city, tmp_path, format):
    read = geopandas.read_parquet if format == "parquet" else geopandas.read_file
    model = [city.folder / "city.npz", city.folder / "model.json"]
    file = tmp_path / f"routes.{format}"
    routes = revealed("roads", "forecast", *model, "--from", 10, "--to", 300, "--k", 3, "-o", file)["routes"]
    table = read(file).sort_values("relative_weight", ascending=False)
    assert table["metres"].to_numpy() == pytest.approx([one["metres"] for one in routes])
    states = [one if isinstance(one, (list, np.ndarray)) else json.loads(one) for one in table["states"]]
    assert [list(one) for one in states] == [one["states"] for one in routes]
    (tmp_path / "demand.csv").write_text("from,to,weight\n10,300,50\n40,205,30\n")
    file = tmp_path / f"flows.{format}"
    revealed("roads", "flows", *model, tmp_path / "demand.csv", "-o", file, "--elasticity", "time")
    table = read(file).sort_values("state")
    assert table["flow"].sum() > 80 and table["flow"].to_numpy()[10] == pytest.approx(50, abs=5)
    assert (table["elasticity_time"].isna() == (table["flow"] == 0)).all()


@pytest.mark.parametrize("format", FORMATS)
def test_paths_are_lines(revealed, city, tmp_path, format):
    file = tmp_path / f"paths.{format}"
    known = lines(city.folder / "paths.jsonl")
    more = [one | {"trip": {"driver": "Ana", "hour": number}, "confidence": 0.5} for number, one in enumerate(known)]
    (tmp_path / "paths.jsonl").write_text("\n\n".join(map(json.dumps, more)))
    assert revealed("roads", "export", city.folder / "city.npz", "--routes", tmp_path / "paths.jsonl", "-o", file)["paths"] == len(known)
    table = geopandas.read_parquet(file) if format == "parquet" else geopandas.read_file(file)
    assert len(table) == len(known) and (table["confidence"] == 0.5).all()
    by_id = {one["id"]: one["states"] for one in known}
    for name, states, line in zip(table["id"], table["states"], table.geometry):
        states = list(states) if isinstance(states, (list, np.ndarray)) else json.loads(states)
        assert states == by_id[name]
        first, last = city.segments[states[0]].places[0], city.segments[states[-1]].places[1]
        assert np.allclose([line.coords[0], line.coords[-1]], [first[::-1], last[::-1]], atol=1e-7)
    (tmp_path / "bad.jsonl").write_text('{"states": [0, 999999], "actions": [0]}')
    assert "bad.jsonl" in revealed.refuses("roads", "export", city.folder / "city.npz", "--routes", tmp_path / "bad.jsonl", "-o", tmp_path / "x.gpkg")


def test_long_texts_fill_many_pages(revealed, city, tmp_path):
    # The states of a route are one text, which does not fit into a page of a database.
    text = (city.folder / "city.osm").read_text()
    (tmp_path / "long.osm").write_text(text.replace('k="name" v="', 'k="name" v="' + "ä" * 6000))
    revealed("roads", "import", tmp_path / "long.osm", "-o", tmp_path / "long.npz", "--export", tmp_path / "long.gpkg",
             "--export", tmp_path / "long.parquet", "--export", tmp_path / "long.fgb")  # fmt: skip
    assert sqlite3.connect(tmp_path / "long.gpkg").execute("pragma integrity_check").fetchall() == [("ok",)]
    tables = [geopandas.read_file(tmp_path / f"long.{one}").sort_values("state") for one in ("gpkg", "fgb")]
    tables.append(geopandas.read_parquet(tmp_path / "long.parquet"))
    for table in tables:
        assert table["name"].fillna("").tolist() == tables[0]["name"].fillna("").tolist()
        assert table["name"].dropna().str.startswith("ä" * 6000).all()


def test_many_rows_fill_pages_and_groups(revealed, tmp_path):
    # More leaves than one page of a tree can name, and more rows than a group of Parquet has.
    revealed("roads", "city", "-o", tmp_path / "large.osm", "--size", 120)
    exports = [part for one in FORMATS[1:] for part in ("--export", tmp_path / f"large.{one}")]
    n = revealed("roads", "import", tmp_path / "large.osm", "-o", tmp_path / "large.npz", "--features", "length", *exports)["states"]
    base = sqlite3.connect(tmp_path / "large.gpkg")
    assert n > 2**16 and base.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert base.execute("select state from roads where fid = ?", (n - 5,)).fetchone() == (n - 6,)
    package, other = (geopandas.read_file(tmp_path / f"large.{one}").sort_values("state") for one in ("gpkg", "fgb"))
    parquet = geopandas.read_parquet(tmp_path / "large.parquet")
    for table in (package, other):
        assert (table.geometry.to_wkb().to_numpy() == parquet.geometry.to_wkb().to_numpy()).all()
        assert (table["length"].to_numpy() == parquet["length"].to_numpy()).all()


def agree(city, revealed, cost, scale):
    """The largest difference between an engine's costs of sampled routes and the model's, in the model's units, and the correlation.

    Given its ends, the log-probability of a route is minus its cost, up to a constant.
    """
    ours, theirs = [], []
    for routes, log_probability in city.sampled(revealed, PAIRS):
        costs = np.array([cost(route) for route in routes]) / scale
        ours.append(log_probability[0] - log_probability)
        theirs.append(costs - costs[0])
    ours, theirs = np.concatenate(ours), np.concatenate(theirs)
    assert np.ptp(ours) > 1, "the sampled routes are all the same"
    return np.abs(ours - theirs).max(), np.corrcoef(ours, theirs)[0, 1]


def test_osrm_has_the_learned_costs(revealed, city, tmp_path):
    said = revealed("roads", "export", city.folder / "city.npz", city.folder / "model.json", "--to", "osrm",
                    "-o", tmp_path / "segments.csv", "--turns", tmp_path / "turns.csv")  # fmt: skip
    osrm = Osrm(tmp_path / "segments.csv", tmp_path / "turns.csv")
    assert said["content"]["segments"] == len(osrm.rate) and said["content"]["turns"] == len(osrm.turn)
    longest = max(len(route) for routes, _ in city.sampled(revealed, PAIRS) for route in routes)
    # Two routes of so many segments and turns, each of which is rounded to a tenth.
    rounding = 2 * 2 * longest * 0.05 / said["scale"]
    apart, _ = agree(city, revealed, osrm.cost, said["scale"])
    assert apart < rounding < 0.5, (apart, rounding)


def test_graphhopper_has_the_learned_costs_of_what_it_can_express(revealed, tmp_path):
    city = City(revealed, tmp_path, "type,time,toll,lanes")
    said = revealed("roads", "export", tmp_path / "city.npz", tmp_path / "model.json", "--to", "graphhopper", "-o", tmp_path / "gh.json")
    model = json.loads((tmp_path / "gh.json").read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(model)
    assert said["agreement"]["error"] < 1e-9 and said["lost"] == []
    apart, _ = agree(city, revealed, GraphHopper(model).cost, said["scale"])
    assert apart < 1e-6, apart


def test_graphhopper_says_what_is_lost(revealed, city, tmp_path):
    said = revealed("roads", "export", city.folder / "city.npz", city.folder / "model.json", "--to", "graphhopper",
                    "-o", tmp_path / "gh.json")  # fmt: skip
    model = json.loads((tmp_path / "gh.json").read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(model)
    assert any("signal" in what for what in said["lost"]) and 0 < said["agreement"]["error"] < 1
    engine = GraphHopper(model, {(city.segments[one], city.segments[other]) for one, other in city.joined()})
    found, expected = np.array([engine.edge(one) for one in city.segments]) / said["scale"], city.costs_of_edges()
    assert said["agreement"]["error"] == pytest.approx(np.abs(found - expected).sum() / expected.sum(), rel=1e-6)
    assert said["agreement"]["correlation"] == pytest.approx(np.corrcoef(found, expected)[0, 1], rel=1e-6)
    assert found.sum() == pytest.approx(expected.sum(), rel=1e-6)
    _, correlation = agree(city, revealed, engine.cost, said["scale"])
    assert correlation > 0.9, correlation


def test_the_schema_refuses_what_graphhopper_would_refuse():
    schema = jsonschema.Draft202012Validator(SCHEMA)
    rule = {"if": "road_class == PRIMARY && max_speed < 50", "multiply_by": "0.5"}
    good = {"distance_influence": 0, "priority": [rule, {"else": "", "multiply_by": "1"}]}
    assert schema.is_valid(good)
    bad = [
        {"priorities": []}, {"priority": [{"else": "", "multiply_by": "1"}]}, {"priority": [rule | {"multiply_by": 0.5}]},
        {"priority": [rule | {"multiply_by": "1e-3"}]}, {"priority": [rule | {"limit_to": "3"}]}, {"priority": [{"if": "true"}]},
        {"speed": [rule | {"limit_to": "30"}]}, {"priority": [rule | {"if": "road_class = PRIMARY"}]}, {"distance_influence": -1},
        {"turn_penalty": [{"if": "change_angle > 45", "multiply_by": "2"}]},
    ]  # fmt: skip
    assert not [one for one in bad if schema.is_valid(one)]


@pytest.mark.parametrize(("features", "least"), [("time,length,toll", 0.9), ("type,time,signals,turns", 0.1)])
def test_valhalla_has_what_its_options_can_express(revealed, tmp_path, features, least):
    city = City(revealed, tmp_path, features)
    said = revealed("roads", "export", city.folder / "city.npz", city.folder / "model.json", "--to", "valhalla", "-o", tmp_path / "v.json")
    request = json.loads((tmp_path / "v.json").read_text())
    assert request["costing"] == "auto" and said["lost"]
    assert all(0 <= value <= 1 for value in request["costing_options"]["auto"].values())
    # The time of each segment is in the features.
    names, seconds = [str(name) for name in city.arrays["features.names"]], np.zeros(len(city.segments))
    rows = (city.arrays[f"features.state.{name}"] for name in ("state", "feature", "value"))
    for state, feature, value in zip(*rows):
        seconds[state] += value if names[feature] == "time" else 0
    engine = Valhalla(request)
    found = [engine.edge(one, time) for one, time in zip(city.segments, seconds)]
    correlation = np.corrcoef(found, city.costs_of_edges())[0, 1]
    assert correlation > least and correlation == pytest.approx(said["agreement"]["correlation"], rel=1e-6)


def test_bad_exports_are_refused(revealed, city, tmp_path):
    export = ["roads", "export", city.folder / "city.npz", city.folder / "model.json"]
    assert ".gpkg" in revealed.refuses(*export, "-o", tmp_path / "a.shp")
    assert ".csv" in revealed.refuses(*export, "--to", "osrm", "-o", tmp_path / "a.json", "--turns", tmp_path / "b.csv")
    assert "--turns" in revealed.refuses(*export, "--to", "valhalla", "-o", tmp_path / "a.json", "--turns", tmp_path / "b.csv")
    same = tmp_path / "a.csv"
    assert "a.csv" in revealed.refuses(*export, "--to", "osrm", "-o", same, "--turns", same)
    model = json.loads((city.folder / "model.json").read_text())
    (tmp_path / "gains.json").write_text(json.dumps(model | {"theta": [1.0] * len(model["theta"])}))
    for engine in ["graphhopper", "valhalla"]:
        message = revealed.refuses("roads", "export", city.folder / "city.npz", tmp_path / "gains.json", "--to", engine, "-o", tmp_path / "a.json")
        assert "segments have a cost that is not positive" in message and "--bounds" in message
    revealed("roads", "import", city.folder / "city.osm", "-o", tmp_path / "small.npz", "--features", "type,time,signals,turns", "--compress")
    done = revealed.run("roads", "export", tmp_path / "small.npz", city.folder / "model.json", "--to", "graphhopper", "-o", tmp_path / "a.json")
    assert done.returncode == 1 and "without --compress" in done.stderr
    assert not (tmp_path / "a.json").exists()


def test_routes_that_differ(revealed, city):
    forecast = ["roads", "forecast", city.folder / "city.npz", city.folder / "model.json", "--from", 10, "--to", 300, "--k", 3]
    likeliest, apart = revealed(*forecast, "--overlap", 1)["routes"], revealed(*forecast)["routes"]
    assert likeliest[0]["states"] == apart[0]["states"] and apart[0]["overlap"] == 0
    metres = {state: one.metres() for state, one in enumerate(city.segments)}

    def shared(one, other):
        both = set(one["states"]) & set(other["states"])
        return sum(metres[state] for state in both) / min(sum(metres[state] for state in route["states"]) for route in (one, other))

    for number, route in enumerate(apart):
        overlaps = [shared(route, other) for other in apart[:number]]
        assert route["overlap"] == pytest.approx(max(overlaps, default=0), abs=1e-6) and route["overlap"] <= 0.7
    assert len(apart) == 3 and max(one["overlap"] for one in likeliest[1:]) > 0.7
    assert "--overlap" in revealed.refuses(*forecast, "--overlap", 1.5)


def test_the_size_of_a_city(revealed, tmp_path):
    small, large = (revealed("roads", "city", "-o", tmp_path / "c.osm", "--size", size)["segments"] for size in (12, 24))
    assert 3 < large / small < 5
    assert "give 12 to 400" in revealed.refuses("roads", "city", "-o", tmp_path / "c.osm", "--size", 3)


def test_ways_for_bicycles_and_walkers(revealed, city, tmp_path):
    text = (city.folder / "city.osm").read_text()
    steps = '<way id="900001"><nd ref="1"/><nd ref="2"/><tag k="highway" v="steps"/></way>'
    (tmp_path / "steps.osm").write_text(text.replace("<relation", f"{steps}<relation", 1))
    found = {}
    for profile in ["car", "bicycle", "foot"]:
        arguments = ["roads", "import", tmp_path / "steps.osm", "-o", tmp_path / f"{profile}.npz", "--features", "time", "--profile", profile]
        found[profile] = revealed(*arguments)
        arrays = np.load(tmp_path / f"{profile}.npz")
        kinds = {str(kind) for kind in arrays["roads.highways"]}
        assert ("motorway" in kinds) == (profile == "car") and ("steps" in kinds) == (profile == "foot")
    # Walkers use one-way streets both ways, and are slow.
    assert found["foot"]["turns_forbidden"] == 0 < found["car"]["turns_forbidden"]
    speeds = np.load(tmp_path / "foot.npz")["roads.way.speed"]
    assert set(speeds.tolist()) == {2.5, 5.0}
    assert "roads for walkers" in revealed.run(*arguments).stdout
    (tmp_path / "edges.csv").write_text("from,to,from_lat,from_lon,to_lat,to_lon\n1,2,0,0,0,0.001\n2,1,0,0.001,0,0\n")
    assert "--profile" in revealed.refuses("roads", "import", tmp_path / "edges.csv", "-o", tmp_path / "e.npz", "--profile", "foot")
