"""The examples of docs/formats.md are read by the real readers, and a number of each is checked."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import revealed
from binary import Revealed
from pages import blocks, page

PAGE = page("docs/formats.md")
# An example is a fence below its file name in bold; a Python block writes the npz files.
EXAMPLE = re.compile(r"^\*\*`([^`]+)`\*\*\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
WRITTEN = re.compile(r'np\.savez\(\s*"([^"]+)"')
FORK = ("fork.json", "trips.jsonl")
LOG_3 = math.log(3)

Check = Callable[[Revealed], None]
CHECKS: dict[str, Check] = {}


def of(name: str) -> Callable[[Check], Check]:
    """Marks the check of a file; it runs in a folder with all files of the page."""

    def mark(check: Check) -> Check:
        CHECKS[name] = check
        return check

    return mark


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("formats")
    for name, text in EXAMPLE.findall(PAGE):
        (folder / name).write_text(text)
    before = os.getcwd()
    os.chdir(folder)
    try:
        exec("\n".join(block.code for block in blocks(PAGE, "python")), {"__name__": "__main__"})
    finally:
        os.chdir(before)
    return folder


def test_every_example_has_a_check() -> None:
    assert sorted(CHECKS) == sorted([*dict(EXAMPLE.findall(PAGE)), *WRITTEN.findall(PAGE)])


@pytest.mark.parametrize("name", CHECKS)
def test_an_example_is_read(name: str, folder: Path, command: Revealed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    CHECKS[name](command)


@of("fork.json")
def _(command: Revealed) -> None:
    fork = revealed.Mdp.load("fork.json")
    assert (fork.n_states, fork.n_actions, fork.feature_names) == (3, 2, ["fork", "home", "work"])
    assert command("check", "fork.json")["n_terminal"] == 2


@of("ice.json")
def _(command: Revealed) -> None:
    found = command("check", "ice.json")
    assert found["ok"] and not found["deterministic"] and not found["warnings"]
    Path("zero.json").write_text("[0, 0, 0]")
    Path("walk.jsonl").write_text('{"states": [0, 1, 2], "actions": [0, 0]}\n')
    # With a proper reference policy and no reward, all paths together weigh 1; this one is taken with 0.75.
    likelihood = command("likelihood", "ice.json", "walk.jsonl", "--theta", "zero.json", "--ends", "terminal")
    assert likelihood["log_partition"] == pytest.approx(0, abs=1e-12)
    assert likelihood["log_likelihood"] == pytest.approx(math.log(0.75), abs=1e-12)
    # Walking: 2 on arrival at the third state, discounted twice.
    assert command("plan", "ice.json")["values"][0] == pytest.approx(2 * 0.9**2)


@of("fork.npz")
def _(command: Revealed) -> None:
    assert command("check", "fork.npz")["digest"] == command("check", "fork.json")["digest"]
    assert revealed.Mdp.load("fork.npz") == revealed.Mdp.load("fork.json")


@of("trips.jsonl")
def _(command: Revealed) -> None:
    assert revealed.Trajectories.load("trips.jsonl").ids == ["monday", "sunday"]
    learned = command("learn", *FORK, "-o", "learned.json", "--ends", "terminal", "--summary")
    # Three times as much weight on work as on home.
    assert learned["theta"][2] - learned["theta"][1] == pytest.approx(LOG_3, abs=1e-6)


@of("trips.npz")
def _(command: Revealed) -> None:
    paths, same = revealed.Trajectories.load("trips.jsonl"), revealed.Trajectories.load("trips.npz")
    assert list(paths) == list(same) and np.array_equal(paths.weights, same.weights)


@of("worlds.jsonl")
def worlds(command: Revealed) -> None:
    model = command("learn", "--manifest", "worlds.jsonl", "-o", "worlds.json", "--ends", "terminal", "--l2", "0.01")
    alone = command("learn", *FORK, "-o", "alone.json", "--ends", "terminal", "--l2", "0.01")
    assert len(model["worlds"]) == 2 and model["theta"] == pytest.approx(alone["theta"], abs=1e-6)


@of("model.json")
def _(command: Revealed) -> None:
    assert command("marginals", "fork.json", "model.json", "--t", 2)["state"] == pytest.approx([0, 0.25, 0.75])
    irl = revealed.MaxEntIRL.load("model.json", revealed.Mdp.load("fork.json"))
    assert irl.marginals(2) == pytest.approx([0, 0.25, 0.75])


@of("theta.json")
def _(command: Revealed) -> None:
    found = command("likelihood", *FORK, "--theta", "theta.json", "--ends", "terminal")
    # Z = 1 + 3.
    assert found["log_partition"] == pytest.approx(math.log(4))


@of("scenario.json")
def _(command: Revealed) -> None:
    command("learn", *FORK, "-o", "sure.json", "--ends", "terminal", "--bounds", "bounds.json", "--summary")
    options = "--scenario", "scenario.json", "--outcome", "end:2", "--outcome", "reward"
    rows = {row["outcome"]: row for row in command("counterfactual", "fork.json", "sure.json", *options)["outcomes"]}
    assert rows["end:2"]["base"]["value"] == pytest.approx(0.75, abs=1e-6)
    assert rows["end:2"]["scenario"]["value"] == pytest.approx(1)
    assert rows["reward"]["scenario"]["value"] == pytest.approx(LOG_3 - 0.5, abs=1e-6)


@of("bounds.json")
def _(command: Revealed) -> None:
    learned = command("learn", *FORK, "-o", "bounded.json", "--ends", "terminal", "--bounds", "bounds.json")
    assert learned["theta"] == pytest.approx([0, 0, LOG_3], abs=1e-6)
    assert learned["bounds"] == [[0, 0], [0, 0], [None, 10]]


@of("prior.json")
def _(command: Revealed) -> None:
    found = command("destinations", "fork.json", "model.json", "--prefix", "0", "--prior", "prior.json")
    assert sorted(found["posterior"]) == [[1, 0.5], [2, 0.5]]


@of("pairs.csv")
def _(command: Revealed) -> None:
    found = command("path", "fork.json", "model.json", "--pairs", "pairs.csv")
    commute, back = found["paths"]
    assert commute["states"] == [0, 2] and commute["id"] == "commute"
    assert "error" in back and found["n_found"] == 1


@of("pairs.jsonl")
def _(command: Revealed) -> None:
    command("path", "fork.json", "model.json", "--pairs", "pairs.jsonl", "-o", "answers.jsonl")
    # The file of answers is the one that the page shows.
    assert json.loads(Path("answers.jsonl").read_text()) == json.loads(Path("routes.jsonl").read_text())


@of("routes.jsonl")
def _(command: Revealed) -> None:
    (answer,) = map(json.loads, Path("routes.jsonl").read_text().splitlines())
    assert answer["log_weight"] == pytest.approx(command("path", "fork.json", "model.json", "--from", 0, "--to", 2)["log_weight"])


@of("samples.jsonl")
def _(command: Revealed) -> None:
    _model_free(command, "samples.jsonl", rollouts=3)


@of("samples.npz")
def _(command: Revealed) -> None:
    learned = _model_free(command, "samples.npz", rollouts=2)
    assert learned["names"] == ["home", "work"]


@of("seen.jsonl")
def _(command: Revealed) -> None:
    assert _model_free(command, "samples.npz", rollouts=2)["n_demonstrations"] == 2


def _model_free(command: Revealed, samples: str, rollouts: int) -> dict[str, Any]:
    learned = command("learn", "--model-free", samples, "seen.jsonl", "-o", "model-free.json", "--bounds", "-10,10")
    assert learned["model_free"]["rollouts"] == rollouts
    # Both were sampled alike, and one was seen three times as often.
    assert learned["theta"][1] - learned["theta"][0] == pytest.approx(LOG_3, abs=1e-6)
    return learned


@of("ring.npz")
def _(command: Revealed) -> None:
    assert _forecast(command, "ring.npz")["legs"][1]["street"] == "Shortcut"


@of("edges.csv")
def _(command: Revealed) -> None:
    _import(command)
    ours, page = np.load("imported.npz"), np.load("ring.npz")
    for name in page.files:
        exact = page[name].dtype.kind != "f"
        assert np.array_equal(ours[name], page[name]) if exact else np.allclose(ours[name], page[name], rtol=1e-4), name
    assert {name for name in ours.files if name.startswith("roads.")} <= set(page.files)


@of("nodes.csv")
def _(command: Revealed) -> None:
    assert _import(command)["nodes"] == 4
    assert _forecast(command, "imported.npz")["states"] == [0, 4, 3]


@of("shade.csv")
def _(command: Revealed) -> None:
    found = _import(command, "--columns", "shade.csv", "--per-metre")
    assert found["features"] == ["length", "shade"]
    assert revealed.Mdp.load("imported.npz").reward(np.array([0.0, 1.0]))[0] == pytest.approx(0.5 * 444.78, rel=1e-4)


@of("waits.csv")
def _(command: Revealed) -> None:
    assert _import(command, "--turn-columns", "waits.csv")["features"] == ["length", "wait"]
    found = np.load("imported.npz")
    waits = found["features.transition.feature"] == 1
    assert found["features.transition.value"][waits].tolist() == [30.0]
    turn = found["features.transition.transition"][waits][0]
    assert (found["transitions.from"][turn], found["transitions.to"][turn]) == (0, 4)


@of("heights.csv")
def _(command: Revealed) -> None:
    _import(command, "--elevation", "heights.csv")
    elevation = np.load("imported.npz")["roads.node.elevation"]
    assert elevation[0] == 87.5 and np.isnan(elevation[1:]).all()


@of("speeds.csv")
def _(command: Revealed) -> None:
    _import(command, "--features", "time", "--speeds", "speeds.csv")
    seconds = revealed.Mdp.load("imported.npz").reward(np.array([1.0]))
    assert seconds[0] == pytest.approx(2.1 * 444.78 / (30 / 3.6), rel=1e-4)
    assert seconds[4] == pytest.approx(1.93 * 629.01 / (50 / 3.6), rel=1e-4)


@of("fixes.csv")
def _(command: Revealed) -> None:
    _match(command, "fixes.csv")


@of("polyline.csv")
def _(command: Revealed) -> None:
    _match(command, "polyline.csv")


@of("track.gpx")
def _(command: Revealed) -> None:
    _match(command, "track.gpx")


@of("steps.txt")
def _(command: Revealed) -> None:
    follow = ("destinations", "fork.json", "model.json", "--follow", "--json")
    done = command.run(*follow, given=Path("steps.txt").read_text())
    assert done.returncode == 0, done.stderr
    before, after = map(json.loads, done.stdout.splitlines())
    assert before["posterior"][0] == [2, pytest.approx(0.75)] and after["posterior"] == [[2, 1.0]]


def _import(command: Revealed, *more: str) -> dict[str, Any]:
    features = () if "--features" in more else ("--features", "length")
    return command("roads", "import", "edges.csv", "--nodes", "nodes.csv", "-o", "imported.npz", *features, *more)


def _forecast(command: Revealed, roads: str) -> dict[str, Any]:
    Path("metres.json").write_text('{"theta": [-0.01], "horizon": 10, "ends": "goal"}')
    (route,) = command("roads", "forecast", roads, "metres.json", "--from", 0, "--to", 3)["routes"]
    assert route["metres"] == pytest.approx(444.78 + 629.01 + 444.78, rel=1e-4)
    return dict(route)


def _match(command: Revealed, trips: str) -> None:
    found = command("roads", "match", "ring.npz", trips, "-o", "matched.jsonl", "--shortest", 60, "--dropped", "dropped.csv")
    assert found["matched"] == 1
    matched = json.loads(Path("matched.jsonl").read_text())
    assert (matched["id"], matched["states"], matched["actions"]) == ("a", [0, 4, 3], [1, 0])
    assert 0.9 < matched["confidence"] <= 1
    assert Path("dropped.csv").read_text().splitlines() == ["trip,reason"]


def test_every_field_of_a_model_is_on_the_page(folder: Path, command: Revealed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    learned = command("learn", *FORK, "-o", "all.json", "--ends", "terminal", "--bounds", "-10,10", "--summary")
    sampled = command("learn", "--model-free", "samples.npz", "seen.jsonl", "-o", "model-free.json", "--bounds", "-10,10")
    fields = {*learned, *learned["summary"], *sampled, *sampled["model_free"]}
    missing = sorted(field for field in fields if f"`{field}`" not in PAGE)
    assert not missing


def test_every_array_of_a_network_is_on_the_page(folder: Path, command: Revealed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    _import(command, "--compress")
    missing = sorted(name for name in np.load("imported.npz").files if name.startswith("roads.") and f"`{name}`" not in PAGE)
    assert not missing
