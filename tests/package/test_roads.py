"""Matching in Python gives what the command line writes, from files, frames and columns."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import revealed
from binary import Revealed


@pytest.fixture(scope="module")
def city(command: Revealed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a network, trips, and paths and a model of the command line."""
    folder = tmp_path_factory.mktemp("city")
    command("roads", "city", "-o", folder / "city.osm", "--trips", folder / "trips.csv", "-n", 120, "--seed", 4)
    command("roads", "import", folder / "city.osm", "-o", folder / "city.npz", "--features", "type,time,signals,turns")
    command("roads", "match", folder / "city.npz", folder / "trips.csv", "-o", folder / "paths.jsonl")
    command("roads", "learn", folder / "city.npz", folder / "paths.jsonl", "-o", folder / "model.json")
    return folder


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def columns(folder: Path) -> dict[str, list[Any]]:
    """The fixes of the trips, one by one."""
    fixes: dict[str, list[Any]] = {"trip": [], "lat": [], "lon": [], "time": []}
    for row in csv.DictReader(open(folder / "trips.csv")):
        for at, (lon, lat) in enumerate(json.loads(row["POLYLINE"])):
            for name, value in {"trip": row["TRIP_ID"], "lat": lat, "lon": lon, "time": 15.0 * at}.items():
                fixes[name].append(value)
    return fixes


def test_a_file_gives_what_the_command_line_writes(city: Path) -> None:
    found = revealed.roads.match(city / "city.npz", city / "trips.csv")
    assert found.paths == lines(city / "paths.jsonl")
    assert found.n_trips == 120 and found.n_matched + len(found.dropped) == 120
    assert set(found.dropped.values()) <= {"too short", "hardly moves", "off the network", "no way between fixes"}
    assert repr(found) == f"Matches({found.n_matched} of 120 trips, {len(found.paths)} paths)"


def test_columns_and_frames_are_trips(city: Path) -> None:
    pandas = pytest.importorskip("pandas")
    fixes = columns(city)
    expected = [(one["id"], one["states"]) for one in lines(city / "paths.jsonl")]
    for trips in (fixes, pandas.DataFrame(fixes)):
        found = revealed.roads.match(city / "city.npz", trips, threads=1)
        assert [(one["id"], one["states"]) for one in found.paths] == expected


def test_paths_are_demonstrations_and_a_fit_is_a_model(command: Revealed, city: Path) -> None:
    found = revealed.roads.match(str(city / "city.npz"), str(city / "trips.csv"))
    mdp = revealed.Mdp.load(city / "city.npz")
    irl = revealed.MaxEntIRL(inference="recursive-logit").fit(mdp, found.trajectories)
    assert found.trajectories.ids == [one["id"] for one in found.paths]
    again = revealed.roads.match(city / "city.npz", city / "trips.csv", model=irl)
    assert again.n_matched == found.n_matched
    by_theta = revealed.roads.match(city / "city.npz", city / "trips.csv", model=irl.theta_)
    assert by_theta.paths == again.paths
    command("roads", "match", city / "city.npz", city / "trips.csv", "-o", city / "model.jsonl", "--model", city / "model.json")
    assert revealed.roads.match(city / "city.npz", city / "trips.csv", model=city / "model.json").paths == lines(city / "model.jsonl")


def test_bad_arguments_are_named(city: Path, tmp_path: Path) -> None:
    network, trips = city / "city.npz", city / "trips.csv"
    with pytest.raises(FileNotFoundError, match="nothing.npz"):
        revealed.roads.match(tmp_path / "nothing.npz", trips)
    with pytest.raises(ValueError, match="make one with `revealed roads import`"):
        revealed.roads.match(city / "city.osm", trips)
    with pytest.raises(ValueError, match="no column 'lon'"):
        revealed.roads.match(network, {"trip": ["a"], "lat": [1.0]})
    with pytest.raises(TypeError, match="give a file, a frame, or a dict of columns"):
        revealed.roads.match(network, 7)
    with pytest.raises(ValueError, match="has 1 entries, expected 2"):
        revealed.roads.match(network, {"trip": ["a", "a"], "lat": [1.0], "lon": [1.0, 2.0]})
    with pytest.raises(ValueError, match="'hmm' or 'particles'"):
        revealed.roads.match(network, trips, method="guess")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sigma is -1"):
        revealed.roads.match(network, trips, sigma=-1.0)
    with pytest.raises(ValueError, match="give latitude, longitude and kilometres"):
        revealed.roads.match(network, trips, area=(100.0, 0.0, 1.0))
    with pytest.raises(ValueError, match="theta"):
        revealed.roads.match(network, trips, model=np.zeros(2))
    with pytest.raises(ValueError, match="leave out --strict"):
        revealed.roads.match(network, trips, model=city / "model.json", strict=True)
