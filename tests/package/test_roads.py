"""`revealed.roads` against `revealed roads`: the same numbers and files, bit for bit; and what only Python has, frames."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import revealed
from binary import Revealed
from pages import ROOT
from revealed import roads

geopandas = pytest.importorskip("geopandas", reason="needs geopandas: pip install 'revealed[roads]'")
pandas = pytest.importorskip("pandas")

FEATURES = "type,time,signals,turns"
DATA = ROOT.parent / "shared" / "data"
OSM = DATA / "porto_osm" / "porto_2022-11.osm.gz"
TRIPS = DATA / "porto_trips" / "train_first1500.csv.gz"


class Town:
    """A city, all of whose steps were done on the command line."""

    def __init__(self, command: Revealed, folder: Path) -> None:
        self.command, self.folder = command, folder
        self.run("roads", "city", "-o", "city.osm", "--trips", "trips.csv", "--paths", "true.jsonl", "--size", 12, "-n", 250)
        self.run("roads", "import", "city.osm", "-o", "city.npz", "--features", FEATURES)
        outputs = "-o", "paths.jsonl", "--dropped", "dropped.csv", "--geojson", "routes.geojson"
        self.told = self.run("roads", "match", "city.npz", "trips.csv", *outputs, "--min-seconds", 60)
        sets = "--held-out", "test.jsonl", "--train", "train.jsonl"
        self.run("roads", "learn", "city.npz", "paths.jsonl", "-o", "taxi.json", *sets, "--bounds", "-inf,0")
        self.network = roads.load(folder / "city.npz")
        self.paths = self.network.read_paths(folder / "paths.jsonl")
        self.train, self.test = self.paths.split()
        self.model = revealed.MaxEntIRL.load(folder / "taxi.json", self.network.mdp)

    def run(self, *arguments: object) -> dict[str, Any]:
        """A command; what ends with a suffix is a file of the folder."""
        return self.command(*(self.folder / part if is_file(part) else part for part in arguments))

    def file(self, name: str) -> Path:
        return self.folder / name

    def same(self, name: str, write: Callable[[Path], object], tmp_path: Path) -> None:
        """Whether Python writes the same bytes as the command line wrote."""
        mine = tmp_path / Path(name).name
        write(mine)
        assert mine.read_bytes() == self.file(name).read_bytes(), name


def is_file(part: object) -> bool:
    ends = (".osm", ".csv", ".npz", ".json", ".jsonl", ".geojson", ".parquet", ".gpkg", ".fgb", ".svg", ".png", "-folder")
    return isinstance(part, str) and part.endswith(ends)


@pytest.fixture(scope="session")
def town(command: Revealed, tmp_path_factory: pytest.TempPathFactory) -> Town:
    return Town(command, tmp_path_factory.mktemp("town"))


def without_seconds(value: Any) -> Any:
    """The same without times, which differ between runs, and names of files."""
    if isinstance(value, dict):
        return {name: without_seconds(one) for name, one in value.items() if name not in ("seconds", "file", "maps", "manifest")}
    return [without_seconds(one) for one in value] if isinstance(value, list) else value


# The same numbers and files as the command line


def test_a_city_is_the_same(town: Town, tmp_path: Path) -> None:
    city = roads.city(size=12)
    town.same("city.osm", city.write_osm, tmp_path)
    town.same("trips.csv", lambda path: city.write_trips(path, 250), tmp_path)
    town.same("true.jsonl", lambda path: city.paths(250).save(path), tmp_path)
    assert city.theta.shape == (len(city.network.feature_names),) and city.horizon == 150
    assert city.network.mdp.n_states == city.model.mdp_.n_states
    assert len(city.paths(3, seed=9)) == 3 and repr(city).startswith("City(")


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ([], {}),
        (["--features", FEATURES], {"features": FEATURES}),
        (["--features", "length,turns", "--compress"], {"features": ["length", "turns"], "compress": True}),
        (["--u-turns", "--keep-all", "--service"], {"u_turns": True, "keep_all": True, "service": True}),
        (["--profile", "bicycle"], {"profile": "bicycle"}),
    ],
)
def test_an_import_is_the_same(town: Town, flags: list[str], options: dict[str, Any], tmp_path: Path) -> None:
    told = town.run("roads", "import", "city.osm", "-o", "other.npz", *flags)
    network = roads.read_osm(town.file("city.osm"), **options)
    town.same("other.npz", network.save, tmp_path)
    assert network.report == without_seconds(told)
    assert roads.load(town.file("other.npz")).mdp == network.mdp
    assert network.mdp == revealed.Mdp.load(town.file("other.npz"))


def test_tables_of_an_import_are_files_or_frames(town: Town, tmp_path: Path) -> None:
    n = town.network.n_segments
    columns = pandas.DataFrame({"segment": range(n), "shops": np.arange(n) % 3 / 7})
    turns = pandas.DataFrame({"from_way": [1], "to_way": [2], "ramp": [1.5]})
    elevation = pandas.DataFrame({"lat": [43.0], "lon": [-20.0], "elevation": [12.5]})
    given = {"columns": columns, "turn_columns": turns, "elevation": elevation}
    for name, frame in given.items():
        frame.to_csv(town.file(f"{name}.csv"), index=False)
    flags = "--columns", "columns.csv", "--turn-columns", "turn_columns.csv", "--elevation", "elevation.csv", "--skip-unknown"
    told = town.run("roads", "import", "city.osm", "-o", "wide.npz", "--features", "time", *flags, "--per-metre")
    options: dict[str, Any] = {"features": "time", "skip_unknown": True, "per_metre": True}
    network = roads.read_osm(town.file("city.osm"), **options, **given)
    town.same("wide.npz", network.save, tmp_path)
    assert network.feature_names == told["features"] == ["time", "shops", "ramp"]
    assert network.notes[0].startswith("elevation has the elevation of ") and network.notes[1] == "columns adds shops"
    files = {name: town.file(f"{name}.csv") for name in given}
    town.same("wide.npz", roads.read_osm(town.file("city.osm"), **options, **files).save, tmp_path)


def test_matched_paths_are_the_same(town: Town, tmp_path: Path) -> None:
    paths = town.network.match(town.file("trips.csv"), min_seconds=60, geojson=tmp_path / "mine.geojson")
    town.same("paths.jsonl", paths.save, tmp_path)
    assert (tmp_path / "mine.geojson").read_bytes() == town.file("routes.geojson").read_bytes()
    assert paths.report == without_seconds(town.told)
    dropped = pandas.read_csv(town.file("dropped.csv"), dtype=str)
    assert paths.dropped_frame().equals(dropped) and len(paths.dropped) == sum(paths.report["dropped"].values()) > 0
    assert paths == revealed.Trajectories.load(town.file("paths.jsonl"))
    assert repr(paths).startswith(f"Paths({len(paths)} paths") and paths.confidence.max() <= 1.0


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (["--strict"], {"strict": True}),
        (["--method", "particles", "--seed", 3], {"method": "particles", "seed": 3}),
        (["--sigma", 20, "--radius", 80, "--min-metres", 900], {"sigma": 20, "radius": 80, "min_metres": 900}),
        (["--area", "43.0,-20.0,0.8"], {"area": (43.0, -20.0, 0.8)}),
        (["--model", "taxi.json"], {"model": "taxi.json"}),
    ],
)
def test_options_of_matching_are_the_same(town: Town, flags: list[Any], options: dict[str, Any], tmp_path: Path) -> None:
    told = town.run("roads", "match", "city.npz", "trips.csv", "-o", "others.jsonl", *flags)
    if "model" in options:
        options = {"model": town.file(options["model"])}
    paths = town.network.match(town.file("trips.csv"), **options, threads=1)
    town.same("others.jsonl", paths.save, tmp_path)
    assert paths.report == without_seconds(told)


def test_matching_and_learning_in_turn_is_the_same(town: Town, tmp_path: Path) -> None:
    flags = "--learn", 2, "--learned", "refined.json", "--min-seconds", 60
    told = town.run("roads", "match", "city.npz", "trips.csv", "-o", "refined.jsonl", *flags)
    paths = town.network.match(town.file("trips.csv"), learn=2, min_seconds=60)
    town.same("refined.jsonl", paths.save, tmp_path)
    assert {**paths.report, "model": told["model"]} == without_seconds(told)
    learned = json.loads(town.file("refined.json").read_text())
    assert paths.model.theta_.tolist() == learned["theta"]


def test_what_is_learned_is_the_same(town: Town) -> None:
    for name, mine in (("train", town.train), ("test", town.test)):
        theirs = revealed.Trajectories.load(town.file(f"{name}.jsonl"))
        assert mine == theirs and mine.ids == theirs.ids
    model = town.network.learn(town.train, bounds=(-np.inf, 0.0))
    learned = json.loads(town.file("taxi.json").read_text())
    assert model.theta_.tolist() == learned["theta"]
    assert (model.log_likelihood_, model.inference_) == (learned["log_likelihood"], "recursive-logit")
    saved = town.file("mine.json")
    town.network.learn(town.train, bounds=(-np.inf, 0.0), max_iter=3, checkpoint=saved)
    again = town.network.learn(town.train, bounds=(-np.inf, 0.0), checkpoint=saved, resume=True)
    assert again.log_likelihood_ == pytest.approx(model.log_likelihood_, rel=1e-6) and saved.is_file()
    shorter = town.network.learn(town.file("train.jsonl"), max_states=20, max_iter=2)
    assert shorter.n_iter_ <= 2 and shorter.theta_.tolist() != model.theta_.tolist()


def test_an_evaluation_is_the_same(town: Town, tmp_path: Path) -> None:
    flags = "--train", "train.jsonl", "--destinations", 20, "-o", "numbers.csv", "--maps", "maps-folder"
    told = town.run("roads", "evaluate", "city.npz", "taxi.json", "test.jsonl", *flags)
    found = town.network.evaluate(town.model, town.test, train=town.train, destinations=20, maps=True)
    assert without_seconds(found.record) == without_seconds(told)
    numbers = pandas.read_csv(town.file("numbers.csv"), dtype={"trip": str})
    pandas.testing.assert_frame_equal(found.trips_frame(), numbers, check_exact=True, check_dtype=False)
    assert found.save_maps(tmp_path) == told["maps"]
    for name in told["maps"]:
        assert (tmp_path / name).read_bytes() == (town.file("maps-folder") / name).read_bytes(), name
    frame = found.to_frame()
    assert frame["distance_match.median"].tolist() == [score["distance_match"]["median"] for score in told["scores"]]
    assert len(found.destinations_frame()) == len(told["destinations"]["scores"])
    lines = found.to_geopandas()
    assert len(lines) == len(numbers) and (lines.geom_type == "LineString").all() and lines.crs == "EPSG:4326"
    assert "learned" in str(found) and "median distance match" in repr(found)
    alone = town.network.evaluate(town.file("taxi.json"), town.file("test.jsonl"))
    with pytest.raises(ValueError, match="give train="):
        alone.destinations_frame()
    assert without_seconds(alone.record["scores"]) == without_seconds(
        town.run("roads", "evaluate", "city.npz", "taxi.json", "test.jsonl")["scores"]
    )


@pytest.mark.parametrize(("k", "overlap"), [(1, 0.7), (3, 0.7), (3, 1.0)])
def test_forecast_routes_are_the_same(town: Town, k: int, overlap: float, tmp_path: Path) -> None:
    flags = "--k", k, "--overlap", overlap, "--map", "route.svg", "-o", "route.parquet"
    told = town.run("roads", "forecast", "city.npz", "taxi.json", "--from", 10, "--to", 500, *flags)
    found = town.network.forecast(town.model, 10, 500, k=k, overlap=overlap, map=tmp_path / "mine.svg")
    assert found.records == list(found) == told["routes"] and found[0] == told["routes"][0]
    assert (tmp_path / "mine.svg").read_bytes() == town.file("route.svg").read_bytes()
    town.same("route.parquet", found.export, tmp_path)
    theirs, mine = geopandas.read_parquet(town.file("route.parquet")), found.to_geopandas()
    assert mine.geometry.tolist() == theirs.geometry.tolist() and mine["metres"].tolist() == theirs["metres"].tolist()
    assert len(found.to_frame()) == len(found) == len(mine) and repr(found).startswith("Routes(")


def test_places_are_the_same(town: Town) -> None:
    line = town.network.to_geopandas().geometry
    (a, b), (c, d) = line.iloc[10].coords[0], line.iloc[500].coords[0]
    told = town.run("roads", "forecast", "city.npz", "taxi.json", "--from", f"{b},{a}", "--to", f"{d},{c}")
    assert town.network.forecast(town.model, (b, a), (d, c)).records == told["routes"]
    from shapely import Point

    assert town.network.forecast(town.file("taxi.json"), Point(a, b), Point(c, d)).records == told["routes"]
    assert 10 in town.network.states_at(b, a) or len(town.network.states_at(b, a)) > 0


def test_destinations_are_the_same(town: Town, tmp_path: Path) -> None:
    flags = "--trace", "trips.csv", "--map", "ends.png", "-o", "begun.geojson"
    told = town.run("roads", "forecast", "city.npz", "taxi.json", *flags, "--train", "train.jsonl")
    found = town.network.destination(town.model, town.file("trips.csv"), train=town.train, map=tmp_path / "mine.png")
    assert found.record == told and found.place == told["place"]
    assert (tmp_path / "mine.png").read_bytes() == town.file("ends.png").read_bytes()
    town.same("begun.geojson", found.export, tmp_path)
    assert found.to_frame()["p"].tolist() == [row["p"] for row in told["destinations"]]
    assert found.posterior.sum() == pytest.approx(1.0) and len(found.to_geopandas()) == 10
    plain = town.network.destination(town.model, town.file("trips.csv"))
    assert plain.record == town.run("roads", "forecast", "city.npz", "taxi.json", *flags) != told
    prior = np.arange(town.network.n_states, dtype=float)
    town.file("prior.json").write_text(json.dumps(prior.tolist()))
    told = town.run("roads", "forecast", "city.npz", "taxi.json", *flags, "--prior", "prior.json")
    assert town.network.destination(town.model, town.file("trips.csv"), prior=prior).record == told
    assert repr(plain).startswith("Destination(of trip 1 ")


def test_flows_are_the_same(town: Town, tmp_path: Path) -> None:
    demand = pandas.DataFrame({"from": [10, 20, 30], "to": [500, 600, 90], "weight": [3.0, 0.5, 7.25]})
    demand.to_csv(town.file("demand.csv"), index=False)
    flags = "--elasticity", "time", "--map", "flows.svg"
    told = town.run("roads", "flows", "city.npz", "taxi.json", "demand.csv", "-o", "flows.csv", *flags)
    files = {"output": tmp_path / "flows.csv", "map": tmp_path / "flows.svg"}
    found = town.network.flows(town.model, demand, elasticity=["time"], **files)
    assert found.record == without_seconds(told)
    for name in ("flows.csv", "flows.svg"):
        assert (tmp_path / name).read_bytes() == town.file(name).read_bytes()
    town.run("roads", "flows", "city.npz", "taxi.json", "demand.csv", "-o", "flows.parquet", "--elasticity", "time")
    rows = [tuple(row) for row in demand.itertuples(index=False)]
    again = town.network.flows(town.model, rows, elasticity=["time"], output=tmp_path / "flows.parquet")
    assert (tmp_path / "flows.parquet").read_bytes() == town.file("flows.parquet").read_bytes()
    assert np.array_equal(again.flow, found.flow) and list(found.elasticities) == ["elasticity_time"]
    theirs = geopandas.read_parquet(town.file("flows.parquet"))
    assert found.to_geopandas()["flow"].tolist() == theirs["flow"].tolist() == found.to_frame()["flow"].tolist()
    assert town.network.flows(town.model, town.test).record["trips"] == len(town.test)
    busiest = int(np.argmax(found.flow * ~np.isin(np.arange(town.network.n_states), demand[["from", "to"]])))
    flags = "--close", busiest, "--map", "closed.svg"
    told = town.run("roads", "flows", "city.npz", "taxi.json", "demand.csv", "-o", "closed.csv", *flags)
    files = {"output": tmp_path / "closed.csv", "map": tmp_path / "closed.svg"}
    closed = town.network.flows(town.model, demand, scenario={"close": [busiest]}, **files)
    assert closed.record == {"of_all_kilometres": {}} | without_seconds(told)
    for name in ("closed.csv", "closed.svg"):
        assert (tmp_path / name).read_bytes() == town.file(name).read_bytes()
    # Elasticities come from other sums, in another order.
    assert np.allclose(closed.flow, found.flow, rtol=1e-12, atol=0) and list(closed.columns) == ["flow", "scenario", "difference"]
    assert closed.scenario is not None and closed.scenario[busiest] == 0.0 < closed.flow[busiest]
    with pytest.raises(ValueError, match="no path is left from state 10 to state 500"):
        town.network.flows(town.model, demand, scenario={"close": [500]})
    assert repr(found).startswith("Flows(10.75 trips between 3 pairs")


def test_speeds_are_the_same(town: Town, tmp_path: Path) -> None:
    flags = "--network", "timed.npz", "--hour", 8, "--paths", "hours.jsonl", "--utc-offset", 1
    told = town.run("roads", "speeds", "city.npz", "paths.jsonl", "-o", "speeds.csv", *flags)
    found = town.network.speeds(town.paths, utc_offset=1)
    town.same("speeds.csv", found.save, tmp_path)
    town.same("timed.npz", found.slowed(8).save, tmp_path)
    town.same("hours.jsonl", found.paths().save, tmp_path)
    assert found.record["paths"] == told["paths"] and found.to_frame()["slowness"].tolist()[0] == told["slowness"][0]["slowness"]
    town.run("roads", "import", "city.osm", "-o", "slow.npz", "--features", FEATURES, "--speeds", "speeds.csv")
    for speeds in (found, found.to_frame(), town.file("speeds.csv")):
        town.same("slow.npz", roads.read_osm(town.file("city.osm"), features=FEATURES, speeds=speeds).save, tmp_path)
    assert repr(found) == f"Speeds(of {told['paths']} paths with times)"


def test_regions_are_the_same(town: Town, tmp_path: Path) -> None:
    told = town.run("roads", "regions", "city.npz", "paths.jsonl", "-o", "regions-folder", "--regions", 3)
    found = town.network.regions(town.paths, 3, folder=tmp_path)
    assert (found.record["margin"], found.record["transitions_cut"]) == (told["margin"], told["transitions_cut"])
    assert [(world.n_states, len(paths)) for world, paths in found] == [(r["states"], r["paths"]) for r in told["regions"]]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted(path.name for path in town.file("regions-folder").iterdir())
    for name in names:
        assert (tmp_path / name).read_bytes() == (town.file("regions-folder") / name).read_bytes(), name
    world, paths = found[0]
    assert len(found.states[0]) == world.n_states and repr(found).startswith("Regions(3: ")
    irl = revealed.MaxEntIRL(inference="recursive-logit", l2=0.01, max_iter=2).fit([found[0], found[1]])
    assert len(irl.worlds_) == 2 and len(paths) > 0
    with pytest.raises(ValueError, match="lie within no region with a margin of 0"):
        town.network.regions(town.paths, 3, margin=0.0)
    dropped = town.network.regions(town.paths, 3, margin=0.004, drop=True)
    assert sum(len(paths) for _, paths in dropped) + len(dropped.record["without"]) == len(town.paths)


@pytest.mark.parametrize("suffix", ["parquet", "gpkg", "fgb", "geojson"])
def test_exports_are_the_same(town: Town, suffix: str, tmp_path: Path) -> None:
    network, name = town.network, f"costs.{suffix}"
    town.run("roads", "export", "city.npz", "taxi.json", "-o", name)
    town.same(name, lambda path: network.export(path, town.model), tmp_path)
    town.run("roads", "export", "city.npz", "--routes", "paths.jsonl", "-o", f"lines.{suffix}")
    town.same(f"lines.{suffix}", town.paths.export, tmp_path)
    back = network.read_paths(town.file(f"lines.{suffix}"))
    order = np.argsort([int(name or 0) for name in back.ids])  # .fgb is sorted by place
    assert back[order] == town.paths and back[order].records[3]["times"] == town.paths.records[3]["times"]
    read = roads.read_edges(town.file(name), features="time")
    assert read.n_segments == network.n_segments
    if suffix == "fgb":  # its states are not in the order of its rows
        assert read.mdp == roads.Network.from_frames(network.to_geopandas(), features="time").mdp
    if suffix == "parquet":
        theirs, mine = geopandas.read_parquet(town.file(name)), network.to_geopandas({"cost": network.costs(town.model)})
    else:
        theirs, mine = geopandas.read_file(town.file(name)), network.to_geopandas({"cost": network.costs(town.model)})
    if suffix == "fgb":  # which is sorted by place
        theirs = theirs.sort_values("state", ignore_index=True)
    assert (
        mine["cost"].tolist() == theirs["cost"].tolist()
        and mine["name"].fillna("").tolist() == theirs["name"].fillna("").tolist()
    )
    assert mine.geometry.geom_equals_exact(theirs.geometry, 0.0 if suffix != "geojson" else 1e-7).all()


def test_costs_for_engines_are_the_same(town: Town, tmp_path: Path) -> None:
    told = town.run("roads", "export", "city.npz", "taxi.json", "--to", "osrm", "-o", "osrm.csv", "--turns", "turns.csv")
    found = town.network.export_costs(town.model, tmp_path / "osrm.csv", to="osrm", turns=tmp_path / "turns.csv")
    assert found["scale"] == told["scale"] and found["lost"] == told["lost"]
    for name in ("osrm.csv", "turns.csv"):
        assert (tmp_path / name).read_bytes() == town.file(name).read_bytes()
    for engine in ("graphhopper", "valhalla"):
        told = town.run("roads", "export", "city.npz", "taxi.json", "--to", engine, "-o", f"{engine}.json")
        found = town.network.export_costs(town.model, tmp_path / "mine.json", to=engine)  # type: ignore[arg-type]
        assert found == without_seconds(told)
        assert (tmp_path / "mine.json").read_bytes() == town.file(f"{engine}.json").read_bytes()
    with pytest.raises(ValueError, match="to osrm: give turns, too"):
        town.network.export_costs(town.model, tmp_path / "osrm.csv", to="osrm")


# Frames


def fixes(town: Town) -> Any:
    """The trips of the city as a frame with a row for each fix."""
    rows = []
    for trip in pandas.read_csv(town.file("trips.csv")).itertuples():
        for at, (lon, lat) in enumerate(json.loads(trip.POLYLINE)):
            rows.append({"trip": str(trip.TRIP_ID), "lat": lat, "lon": lon, "time": trip.TIMESTAMP + 15.0 * at, "taxi": "A7"})
    return pandas.DataFrame(rows)


def test_trips_are_frames_points_or_lists(town: Town, tmp_path: Path) -> None:
    frame = fixes(town)
    frame.to_csv(town.file("fixes.csv"), index=False)
    town.run("roads", "match", "city.npz", "fixes.csv", "-o", "fixes.jsonl")
    match = town.network.match
    town.same("fixes.jsonl", match(frame).save, tmp_path)
    mixed = frame.sample(frac=1.0, random_state=1).sort_values(["time"], kind="stable")
    assert sorted(match(mixed).ids) == sorted(match(frame).ids)
    clock = frame.assign(time=pandas.to_datetime(frame["time"], unit="s"))
    town.same("fixes.jsonl", match(clock).save, tmp_path)
    town.same("fixes.jsonl", match(clock.assign(time=clock["time"].dt.tz_localize("UTC"))).save, tmp_path)
    places = geopandas.points_from_xy(frame["lon"], frame["lat"])
    points = geopandas.GeoDataFrame(frame[["trip", "time", "taxi"]], geometry=places, crs="EPSG:4326")
    town.same("fixes.jsonl", match(points).save, tmp_path)
    assert match(points.to_crs("EPSG:3857")) == match(points)
    polars = pytest.importorskip("polars")
    town.same("fixes.jsonl", match(polars.from_pandas(frame)).save, tmp_path)
    lists = {trip: rows[["lat", "lon", "time"]].to_numpy().tolist() for trip, rows in frame.groupby("trip", sort=False)}
    assert match(lists) == match(frame) == match(list(lists.values()))
    table = pandas.read_csv(town.file("trips.csv"))
    town.same("paths.jsonl", match(table, min_seconds=60).save, tmp_path)
    arrays = table.assign(POLYLINE=[np.array(json.loads(line)) for line in table["POLYLINE"]])
    town.same("paths.jsonl", match(arrays, min_seconds=60).save, tmp_path)


def test_matched_paths_are_frames(town: Town) -> None:
    paths = town.paths
    frame = paths.to_frame()
    assert frame["state"].tolist() == paths.states.tolist() and frame["time"].notna().all()
    assert frame["time"].tolist()[: paths.lengths[0]] == paths.records[0]["times"]
    polars = pytest.importorskip("polars")
    assert isinstance(paths.to_frame("polars"), polars.DataFrame) and "time" in paths.to_frame("polars").columns
    lines = paths.to_geopandas()
    assert lines["id"].tolist() == paths.ids and lines["metres"].tolist() == paths.metres.tolist()
    back = town.network.read_paths(lines)
    assert back == paths and back.ids == paths.ids and back.records[0]["times"] == paths.records[0]["times"]
    assert back.trip.keys() == paths.trip.keys()
    some = paths[paths.confidence > 0.9]
    assert isinstance(some, roads.Paths) and 0 < len(some) < len(paths)
    assert revealed.MaxEntIRL(inference="recursive-logit", max_iter=1, l2=0.1).fit(town.network.mdp, some).n_iter_ <= 1


def test_a_network_is_a_frame_and_back(town: Town) -> None:
    network = town.network
    frame = network.to_geopandas(features=True)
    assert frame["state"].tolist() == list(range(network.n_states)) and frame["length"].tolist() == network.lengths.tolist()
    assert frame["feature.time"].to_numpy() == pytest.approx(network.seconds)
    assert network.to_frame({"twice": 2 * network.lengths})["twice"].tolist() == (2 * network.lengths).tolist()
    back = roads.Network.from_frames(network.to_geopandas(), features="type,time")
    assert back.n_segments == network.n_segments and back.report["metres"] == pytest.approx(network.report["metres"])
    # Frames have no turn restrictions.
    assert back.n_turns == network.n_turns + roads.read_osm(town.file("city.osm")).report["turns_forbidden"]
    assert sorted(back.to_frame()["name"].dropna()) == sorted(network.to_frame()["name"].dropna())
    projected = roads.Network.from_frames(network.to_geopandas().to_crs("EPSG:3857"), features="type,time")
    assert projected.n_segments <= network.n_segments


EDGES = {
    "from": [1, 2, 3, 4],
    "to": [2, 3, 4, 1],
    "length": [120.5, 130.0, 120.0, None],
    "highway": ["primary", "residential", "residential", None],
    "oneway": ["no", "yes", "no", "no"],
    "way": [5, 6, 7, 8],
}
NODES = {"node": [1, 2, 3, 4], "lat": [0.0, 0.001, 0.001, 0.0], "lon": [0.0, 0.0, 0.001, 0.001]}


def test_an_edge_list_is_files_or_frames(town: Town, tmp_path: Path) -> None:
    edges, nodes = pandas.DataFrame(EDGES), pandas.DataFrame(NODES)
    edges.to_csv(town.file("edges.csv"), index=False)
    nodes.to_csv(town.file("nodes.csv"), index=False)
    town.run("roads", "import", "edges.csv", "--nodes", "nodes.csv", "-o", "list.npz", "--features", "type,length,turns")
    read = roads.read_edges(town.file("edges.csv"), town.file("nodes.csv"), features="type,length,turns")
    town.same("list.npz", read.save, tmp_path)
    assert read.report["osm"] is None
    polars = pytest.importorskip("polars")
    given = [(edges, nodes), (polars.DataFrame(EDGES), polars.DataFrame(NODES)), (EDGES, NODES), (edges, nodes.set_index("node"))]
    for one in given:
        assert roads.Network.from_frames(*one, features="type,length,turns").mdp == read.mdp
    missing = edges.convert_dtypes()  # whose missing length is pandas.NA
    assert roads.Network.from_frames(missing, nodes, features="type,length,turns").mdp == read.mdp
    named = edges.assign(**{"from": edges["from"].map("n{}".format), "to": edges["to"].map("n{}".format)})
    labels = nodes.assign(node=nodes["node"].map("n{}".format))
    assert roads.Network.from_frames(named, labels, features="type,length,turns").n_segments == read.n_segments
    places = {f"{end}_{axis}": edges[end].map(nodes.set_index("node")[axis]) for end in ("from", "to") for axis in ("lat", "lon")}
    assert roads.Network.from_frames(edges.assign(**places), features="type,length,turns").mdp == read.mdp


def test_a_graph_of_osmnx_is_a_network() -> None:
    """As osmnx makes them: x and y, both directions, lists where ways were joined, bends where it was simplified."""
    networkx = pytest.importorskip("networkx")
    from shapely import LineString

    graph = networkx.MultiDiGraph(crs="epsg:4326")
    for node, lat, lon in zip(*NODES.values()):
        graph.add_node(node, x=lon, y=lat, street_count=3)
    bend = LineString([(0.0, 0.0), (0.0003, 0.0005), (0.0, 0.001)])
    for a, b, data in [
        (1, 2, {"osmid": [5, 9], "highway": ["primary", "tertiary"], "geometry": bend, "length": 140.0}),
        (2, 1, {"osmid": [5, 9], "highway": ["primary", "tertiary"], "geometry": bend.reverse(), "length": 140.0}),
        (2, 3, {"osmid": 6, "highway": "residential", "oneway": True, "maxspeed": "30", "length": 111.2}),
        (3, 4, {"osmid": 7, "highway": "residential", "oneway": False, "lanes": ["2", "1"], "length": 111.2}),
        (4, 3, {"osmid": 7, "highway": "residential", "oneway": False, "lanes": ["2", "1"], "length": 111.2}),
        (4, 1, {"osmid": 8, "highway": "residential", "oneway": True, "name": "Last Street", "length": 111.2}),
    ]:
        graph.add_edge(a, b, **data)
    network = roads.Network.from_osmnx(graph, features="length,turns", keep_all=True)
    frame = network.to_frame()
    assert network.n_segments == 8 and frame["highway"].tolist().count("primary") == 4
    assert (
        frame.set_index("way").loc[6, "speed"] == 30.0
        and 2 in frame["lanes"].dropna().tolist()
        and "Last Street" in frame["name"].tolist()
    )
    osmnx = pytest.importorskip("osmnx", reason="needs osmnx for its frames")
    nodes, edges = osmnx.graph_to_gdfs(graph)
    assert (
        roads.Network.from_frames(edges.assign(reversed=False), nodes, features="length,turns", keep_all=True).mdp == network.mdp
    )
    with pytest.raises(ValueError, match="give it unprojected"):
        roads.Network.from_osmnx(networkx.MultiDiGraph(crs="epsg:3857"))


def test_a_map_of_osmnx_is_like_ours(town: Town) -> None:
    osmnx = pytest.importorskip("osmnx")
    for simplify in (True, False):
        graph = osmnx.graph_from_xml(town.file("city.osm"), simplify=simplify, retain_all=True)
        network = roads.Network.from_osmnx(graph, features="type,time,turns")
        # It has service ways, too.
        assert network.n_segments > town.network.n_segments
        assert len(network.match(town.file("trips.csv"), min_seconds=60)) >= len(town.paths)


def test_maps_are_pictures(town: Town, tmp_path: Path) -> None:
    network = town.network
    picture = network.map(network.lengths, title="Lengths", label="metres")
    assert "Lengths" in picture.svg and picture._repr_svg_() == picture.svg and picture.png.startswith(b"\x89PNG")
    picture.save(tmp_path / "lengths.svg")
    picture.save(tmp_path / "lengths.png")
    assert (tmp_path / "lengths.svg").read_text() == picture.svg and repr(picture).startswith("Map(")
    assert network.map(town.model).svg == network.map(town.file("taxi.json")).svg != picture.svg
    with pytest.raises(ValueError, match=r"a map is an \.svg or \.png file"):
        picture.save(tmp_path / "lengths.pdf")


# Errors, interrupts, progress, and what is not installed


def test_errors_name_the_place_the_value_and_the_remedy(town: Town, tmp_path: Path) -> None:
    network, model = town.network, town.model
    with pytest.raises(FileNotFoundError, match="nowhere.osm"):
        roads.read_osm("nowhere.osm")
    with pytest.raises(ValueError, match=r"^features climb, steep: .* have no elevation; give them by elevation"):
        roads.read_osm(town.file("city.osm"), features="climb")
    with pytest.raises(ValueError, match='profile is "boat": it must be one of car, bicycle, foot'):
        roads.read_osm(town.file("city.osm"), profile="boat")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'colour' is no option of an import"):
        roads.read_edges("edges.csv", colour="red")
    with pytest.raises(ValueError, match='^edges: row 1: lanes is "many", which is not known'):
        roads.Network.from_frames({**EDGES, "lanes": [1, "many", 1, 1]}, NODES)
    with pytest.raises(ValueError, match="^edges: row 3: node 4 is not in nodes|^edges: row 2: node 4 is not in nodes"):
        roads.Network.from_frames(EDGES, {name: column[:3] for name, column in NODES.items()})
    with pytest.raises(TypeError, match="profile is not for an edge list"):
        roads.Network.from_frames(EDGES, NODES, profile="foot")
    with pytest.raises(ValueError, match="give a network|make one with"):
        roads.load(town.file("taxi.json"))
    bad = fixes(town).astype({"lat": object})
    bad.loc[3, "lat"] = "north"
    with pytest.raises(ValueError, match='^trips: row 3: the lat is "north": give a number'):
        network.match(bad)
    with pytest.raises(ValueError, match="the columns are x: give either TRIP_ID and POLYLINE"):
        network.match(pandas.DataFrame({"x": [1]}))
    with pytest.raises(ValueError, match="fix 0 of trip '0' is 3: give a file, a frame"):
        network.match([[3, 4]])
    with pytest.raises(TypeError, match="trips is a int"):
        network.match(3)
    with pytest.raises(ValueError, match="area is .*: give latitude, longitude and kilometres"):
        network.match([], area=(41.0, -8.0, -1.0))
    with pytest.raises(ValueError, match="method is"):
        network.match(town.file("trips.csv"), method="guess")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="model goes with neither learn nor strict"):
        network.match(town.file("trips.csv"), model=model, strict=True)
    with pytest.raises(ValueError, match=r"start is \(0.0, 0.0\): the nearest road of the network is"):
        network.forecast(model, (0.0, 0.0), 5)
    with pytest.raises(TypeError, match="to is 'home': give"):
        network.forecast(model, 3, "home")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="overlap is 2: give a share"):
        network.forecast(model, 3, 5, k=2, overlap=2)
    with pytest.raises(ValueError, match="elasticity: there is no feature 'joy'"):
        network.flows(model, [(1, 2)], elasticity=["joy"])
    with pytest.raises(ValueError, match="demand: .*"):
        network.flows(model, [(1, 10**9)])
    with pytest.raises(TypeError, match="model is a int: give a fitted MaxEntIRL"):
        network.forecast(3, 3, 5)  # type: ignore[arg-type]
    other = roads.city(size=12).network.mdp.with_features(None)
    with pytest.raises(ValueError, match="give a model of this network"):
        network.forecast(revealed.MaxEntIRL.from_theta(other, np.zeros(other.n_features), horizon=3), 3, 5)
    with pytest.raises(ValueError, match="the model is a causal one"):
        causal = revealed.MaxEntIRL.from_theta(network.mdp, -np.ones(len(network.feature_names)), horizon=9, chance="fixed")
        network.evaluate(causal, town.test)
    with pytest.raises(ValueError, match="the columns of paths are id: give states"):
        network.read_paths(pandas.DataFrame({"id": ["a"]}))
    with pytest.raises(ValueError, match="sequence 0: step 0: no action leads from"):
        network.read_paths(pandas.DataFrame({"states": [[0, 500]]}))
    with pytest.raises(TypeError, match="give Paths with times"):
        network.speeds(town.paths.records)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="exists already"):
        network.to_geopandas({"highway": network.lengths})
    with pytest.raises(ValueError, match="the extension is not known"):
        network.export(tmp_path / "network.shp")


def test_ctrl_c_stops_matching(town: Town) -> None:
    frame = fixes(town)
    many = pandas.concat([frame.assign(trip=frame["trip"] + f"-{at}") for at in range(40)])
    csv = town.file("many.csv")
    many.to_csv(csv, index=False)
    waiting = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    begun = time.monotonic()
    waiting.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(200):
            town.network.match(csv)
    assert time.monotonic() - begun < 60
    assert len(town.network.match(town.file("trips.csv"), min_seconds=60)) == len(town.paths)


def test_progress_is_a_bar(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    town.network.match(town.file("trips.csv"), progress=True)
    assert "trips" in capsys.readouterr().err
    town.network.evaluate(town.model, town.test[:5], progress=True)
    assert "shortest path" in capsys.readouterr().err
    town.network.match(town.file("trips.csv"), progress=False)
    assert capsys.readouterr().err == ""


def test_without_geopandas_there_are_plain_answers(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "geopandas", None)
    routes = town.network.forecast(town.model, 10, 500)
    assert routes[0]["metres"] > 0 and len(routes.to_frame()) == 1
    for ask in (routes.to_geopandas, town.network.to_geopandas, town.paths.to_geopandas):
        with pytest.raises(ImportError, match=r"pip install 'revealed\[roads\]'"):
            ask()


# Porto

PORTO = """\
from revealed import roads
network = roads.read_osm(osm, features="length,time,turns")
paths = network.match(trips)
train, test = paths.split(held_out=0.3)
model = network.learn(train, max_iter=6)
evaluation = network.evaluate(model, test, train=train, destinations=5)
forecasts = evaluation.to_geopandas()
routes = network.forecast(model, (41.1579, -8.6291), (41.1484, -8.5856), k=3).to_geopandas()
"""


@pytest.mark.filterwarnings("ignore::revealed.ConvergenceWarning")
def test_porto_from_raw_files_to_forecasts_in_ten_lines(command: Revealed, tmp_path: Path) -> None:
    if not (OSM.is_file() and TRIPS.is_file()):
        pytest.skip(f"the map and the trips of Porto are not here: {OSM} and {TRIPS}")
    assert len(PORTO.splitlines()) <= 10
    trips = tmp_path / "trips.csv"
    pandas.read_csv(TRIPS, nrows=60, dtype=str).to_csv(trips, index=False)
    names: dict[str, Any] = {"osm": OSM, "trips": trips}
    exec(PORTO, names)
    network, paths, model, model_file = tmp_path / "p.npz", tmp_path / "p.jsonl", names["model"], tmp_path / "p.json"
    command("roads", "import", OSM, "-o", network, "--features", "length,time,turns")
    command("roads", "match", network, trips, "-o", paths)
    sets = "--held-out", tmp_path / "test.jsonl", "--train", tmp_path / "train.jsonl"
    learned = command("roads", "learn", network, paths, "-o", model_file, *sets, "--max-iterations", 6)
    assert model.theta_.tolist() == learned["theta"]
    flags = "--train", tmp_path / "train.jsonl", "--destinations", 5
    told = command("roads", "evaluate", network, model_file, tmp_path / "test.jsonl", *flags)
    assert without_seconds(names["evaluation"].record) == without_seconds(told)
    assert len(names["forecasts"]) == told["scores"][0]["distance_match"]["n"] > 10
    ends = "--from", "41.1579,-8.6291", "--to", "41.1484,-8.5856", "--k", 3
    found = command("roads", "forecast", network, model_file, *ends)["routes"]
    assert names["routes"]["metres"].tolist() == [route["metres"] for route in found]
    assert isinstance(names["routes"], geopandas.GeoDataFrame)
