"""One reward in many worlds, in this process and on other engines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import revealed
from binary import Revealed
from revealed import engines
from towns import NAMES, THETA, town, towns, trips

GOAL = {"ends": "goal", "inference": "recursive-logit"}


def same(one: revealed.MaxEntIRL, other: revealed.MaxEntIRL) -> None:
    """The same bits of everything that was learned, except for the time."""
    assert one.theta_.tobytes() == other.theta_.tobytes()
    records = [{key: value for key, value in irl._record.items() if key not in ("seconds", "summary")} for irl in (one, other)]
    assert records[0] == records[1]


@pytest.mark.parametrize("options", [GOAL, {"ends": "goal"}, {"inference": "causal", "ends": "terminal"}, {}])
def test_the_likelihood_is_the_weighted_mean(options: dict) -> None:
    worlds = towns()
    if options.get("ends") == "terminal":
        drawn = [revealed.MaxEntIRL.from_theta(world, THETA, horizon=world.n_states, ends="terminal") for world, _ in worlds]
        worlds = [(model.mdp_, model.sample(60, seed=number)) for number, model in enumerate(drawn)]
    irl = revealed.MaxEntIRL(**options).fit(worlds)
    assert irl.converged_, irl.stopped_because_
    assert irl.score(worlds) == pytest.approx(irl.log_likelihood_, abs=1e-10)
    # The gradients of the worlds, weighted by hand, are zero together.
    total = sum(paths.weights.sum() for _, paths in worlds)
    slope = np.zeros(3)
    for world, paths in worlds:
        known = {"horizon": irl.horizon_, "ends": irl.ends_, "inference": irl.inference_}
        slope += paths.weights.sum() / total * revealed.LogLikelihood(world, paths, **known).gradient(irl.theta_)
    assert np.abs(slope).max() < 1e-6


def test_questions_are_asked_in_a_world() -> None:
    worlds = towns(2)
    irl = revealed.MaxEntIRL(**GOAL).fit(worlds, sample_weight=[np.ones(len(paths)) for _, paths in worlds])
    with pytest.raises(AttributeError, match="learned in 2 worlds: ask irl.in_world"):
        irl.predict_path(0, 5)
    assert irl.in_world(1).predict_path(0, 5).states[-1] == 5
    new = town(30, 9)
    assert irl.in_world(new).predict_path(0, 29).states[-1] == 29
    with pytest.raises(ValueError, match="the world: feature 1 is 'hill', but that of the model is 'slope'"):
        irl.in_world(town(8, 1, ["length", "hill", "shop"]))
    assert irl.in_world(0).score(worlds[0][1]) < 0


def test_standard_errors_add_up(tmp_path: Path) -> None:
    worlds = towns()
    irl = revealed.MaxEntIRL(**GOAL, standard_errors=True).fit(worlds)
    summary = irl.summary(worlds)
    assert np.array_equal(summary.standard_errors, irl.summary_.standard_errors)
    # The information of all is the sum of those of each: errors are those of the inverse of the sum.
    information = np.zeros((3, 3))
    for world, paths in worlds:
        likelihood = revealed.LogLikelihood(world, paths, inference="recursive-logit")
        for k, step in enumerate(1e-5 * np.eye(3)):
            slopes = likelihood.gradient(irl.theta_ - step) - likelihood.gradient(irl.theta_ + step)
            information[k] += paths.weights.sum() * slopes / 2e-5
    errors = np.sqrt(np.diag(np.linalg.inv(information)))
    assert np.allclose(errors, np.array(summary.standard_errors, dtype=float), rtol=1e-5)
    with pytest.raises(ValueError, match="learned in 4 worlds, and 2 are given"):
        irl.summary(worlds[:2])
    irl.save(tmp_path / "model.json")
    again = revealed.MaxEntIRL.load(tmp_path / "model.json", worlds[2][0])
    assert again.predict_path(0, 5).log_weight == irl.in_world(2).predict_path(0, 5).log_weight


def test_features_that_differ_are_named() -> None:
    (one, paths), *_ = towns(1)
    for names, message in [
        (["length", "hill", "shop"], "world 1: feature 1 is 'hill', but that of world 0 is 'slope'"),
        (["length", "slope"], "world 1: there are 2 features, and world 0 has 3"),
    ]:
        other = town(10, 3, names)
        with pytest.raises(ValueError, match=message):
            revealed.MaxEntIRL().fit([(one, paths), (other, trips(other, 10, 1))])


@pytest.mark.parametrize("options, groups", [(GOAL, 3), ({"ends": "goal"}, 2), ({}, 1)])
def test_engines_give_the_same_bits(options: dict, groups: int) -> None:
    worlds = towns(3)
    irl = revealed.MaxEntIRL(**options)
    fits = []
    for engine in (engines.ThreadEngine(1), engines.ThreadEngine(3), engines.ProcessEngine(2), engines.JoblibEngine(2)):
        with engine:
            fits.append(revealed.MaxEntIRL(**options).fit(worlds, engine=engine, groups=groups))
            fits[-1].summary_ = fits[-1].summary(worlds, engine=engine, groups=groups)
    for other in fits[1:]:
        same(fits[0], other)
        assert np.array_equal(fits[0].summary_.standard_errors, other.summary_.standard_errors)
    here = irl.fit(worlds)
    if groups == 1:
        same(here, fits[0])
    assert np.allclose(here.theta_, fits[0].theta_, atol=1e-6)


def test_groups_are_divided_by_the_data() -> None:
    _, paths = towns(1, each=200)[0]
    for groups in (1, 2, 3, 5):
        found = engines.partition.by_goal(paths, groups)
        assert sorted(np.concatenate(found).tolist()) == list(range(len(paths)))
        goals = [set(paths.states[paths.offsets[1:] - 1][group].tolist()) for group in found]
        assert all(goals) and sum(map(len, goals)) == len(set.union(*goals))
    with pytest.raises(ValueError, match="only with ends = 'goal'"):
        revealed.MaxEntIRL().fit(towns(2), engine=engines.ThreadEngine(1), groups=2)
    with pytest.raises(ValueError, match="give engine="):
        revealed.MaxEntIRL(**GOAL).fit(towns(2), groups=2)


def test_a_process_that_is_killed_is_replaced() -> None:
    worlds = towns(3)
    with engines.ThreadEngine(1) as engine:
        undisturbed = revealed.MaxEntIRL(**GOAL).fit(worlds, engine=engine)
    with engines.ProcessEngine(2) as engine:
        killed = []

        def kill(progress: revealed.Progress) -> None:
            if progress.iteration == 2 and not killed:
                killed.append(engine._workers[0].process.pid)
                os.kill(killed[0], signal.SIGKILL)

        disturbed = revealed.MaxEntIRL(**GOAL).fit(worlds, engine=engine, callback=kill)
        assert killed and engine._workers[0].process.pid != killed[0]
    same(undisturbed, disturbed)


class Failing(engines.ThreadEngine):
    """An engine that is gone after some questions."""

    left = 6

    def evaluate(self, question: str) -> list[str]:
        self.left -= 1
        if self.left == 0:
            raise engines.EngineError("the cluster is gone")
        return super().evaluate(question)


def test_what_was_learned_is_kept_if_an_engine_fails() -> None:
    worlds = towns(3)
    irl = revealed.MaxEntIRL(**GOAL)
    with pytest.raises(engines.EngineError, match="the cluster is gone"):
        irl.fit(worlds, engine=Failing(1), callback=lambda progress: None)
    assert np.isfinite(irl.partial_theta_).all() and np.any(irl.partial_theta_ != 0)
    again = revealed.MaxEntIRL(**GOAL).fit(worlds, start=irl.partial_theta_)
    assert np.allclose(again.theta_, revealed.MaxEntIRL(**GOAL).fit(worlds).theta_, atol=1e-5)


def _double(shared: float, item: float) -> float:
    return shared * item


def test_map_is_in_order() -> None:
    for engine in (engines.Engine(), engines.ThreadEngine(2), engines.ProcessEngine(2), engines.JoblibEngine(2)):
        with engine:
            assert engine.map(_double, range(7), shared=2.0) == [2.0 * item for item in range(7)]


def files(folder: Path, worlds: list) -> list[str]:
    """The worlds as files, and their names."""
    names = []
    for number, (world, paths) in enumerate(worlds):
        for name, what in ((f"{number}.npz", world), (f"{number}.jsonl", paths)):
            what.save(folder / name)
            names.append(name)
    return names


def test_the_command_line_has_the_same_bits(tmp_path: Path, command: Revealed) -> None:
    worlds = towns(3)
    names = files(tmp_path, worlds)
    flags = ["--inference", "recursive-logit", "--summary", "--json"]
    pairs = [{"problem": problem, "demos": demos} for problem, demos in zip(names[::2], names[1::2])]
    (tmp_path / "worlds.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    learned = revealed.MaxEntIRL(**GOAL, standard_errors=True).fit(worlds)
    environment = os.environ | {"REVEALED_PYTHON": sys.executable}
    for given in (names, ["--manifest", "worlds.jsonl"], [*names, "--engine", "processes", "--workers", "2"]):
        line = [str(command.path), "learn", *given, "-o", "model.json", *flags]
        ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
        assert ran.returncode == 0, ran.stderr
        model = json.loads(ran.stdout)
        assert model["theta"] == learned.theta_.tolist()
        assert model["summary"]["standard_errors"] == learned.summary_.standard_errors.tolist()
        assert [world["n_demonstrations"] for world in model["worlds"]] == [len(paths) for _, paths in worlds]
        assert model["names"] == NAMES


def test_the_command_line_says_what_is_missing(tmp_path: Path, command: Revealed) -> None:
    names = files(tmp_path, towns(2))
    line = [str(command.path), "learn", *names, "-o", "model.json", "--inference", "recursive-logit", "--engine", "ray"]
    for python in ("/nowhere/python", "false"):
        environment = os.environ | {"REVEALED_PYTHON": python}
        ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
        assert ran.returncode == 1 and "pip install 'revealed[ray]'" in ran.stderr, ran.stderr
        assert not (tmp_path / "model.json").exists()
