"""Python and the command line give the same bits for the same problem, settings and seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import revealed
from binary import Revealed

SETTINGS: list[dict[str, Any]] = [
    {"ends": "anywhere"},
    {"ends": "anywhere", "l2": 0.01, "bounds": (-5, 5)},
    {"ends": "horizon", "horizon": 60, "bounds": (-10, 10)},
    {"ends": "terminal", "bounds": (-10, 10)},
    {"ends": "goal", "bounds": (-10, 10)},
    {"ends": "anywhere", "inference": "ziebart2008", "bounds": (-1, 1), "max_iter": 50},
    {"inference": "causal", "bounds": (-10, 10), "horizon": 60},
    {"inference": "causal", "bounds": (-10, 10), "horizon": "any"},
    {"inference": "causal", "ends": "anywhere", "bounds": (-10, 10), "horizon": 60},
    {"inference": "causal-dual", "bounds": (-10, 10), "horizon": 60},
]


class Case:
    """A world, what somebody did there, and what both fronts learned of it."""

    def __init__(self, command: Revealed, folder: Path, discount: float, settings: dict[str, Any]) -> None:
        self.command = command
        self.settings = settings
        self.problem, self.demos, self.model = folder / "lake.npz", folder / "demos.jsonl", folder / "model.json"
        command("env", "frozenlake-4x4", "--discount", discount, "-o", self.problem)
        command("rollouts", self.problem, "-n", 40, "--seed", 7, "--longest", 60, "--discount", 0.99, "-o", self.demos)
        if settings.get("ends") in ("terminal", "horizon") or settings.get("inference") in ("causal", "causal-dual"):
            self.keep_finished()
        options: list[object] = []
        names = {
            "l2": "--l2",
            "ends": "--ends",
            "horizon": "--horizon",
            "inference": "--inference",
            "max_iter": "--max-iterations",
        }
        for name, value in settings.items():
            options += ["--bounds=" + ",".join(map(str, value))] if name == "bounds" else [names[name], value]
        self.learned = command("learn", self.problem, self.demos, "-o", self.model, *options)
        self.mdp = revealed.Mdp.load(self.problem)
        self.paths = revealed.Trajectories.load(self.demos)
        self.irl = revealed.MaxEntIRL(**settings).fit(self.mdp, self.paths)

    def keep_finished(self) -> None:
        """Those that reach a terminal state."""
        terminal = {5, 7, 11, 12, 15}
        lines = [line for line in self.demos.read_text().splitlines() if json.loads(line)["states"][-1] in terminal]
        assert len(lines) > 20
        self.demos.write_text("\n".join(lines) + "\n")

    def ask(self, name: str, *arguments: object) -> dict[str, Any]:
        return self.command(name, self.problem, self.model, *arguments)


def name(settings: dict[str, Any]) -> str:
    return "-".join(f"{value}" for value in settings.values())


@pytest.fixture(
    scope="module", params=[(1.0, s) for s in SETTINGS] + [(0.9, s) for s in SETTINGS[:2]], ids=lambda p: f"{p[0]}-{name(p[1])}"
)
def case(request: pytest.FixtureRequest, command: Revealed, tmp_path_factory: pytest.TempPathFactory) -> Case:
    discount, settings = request.param
    return Case(command, tmp_path_factory.mktemp("case"), discount, settings)


def same(found: Any, expected: Any) -> None:
    """Bit by bit: JSON keeps every digit of a float."""
    a, b = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    assert a.shape == b.shape
    assert a.tobytes() == b.tobytes(), np.abs(a - b).max()


def test_fit(case: Case) -> None:
    irl, learned = case.irl, case.learned
    same(irl.theta_, learned["theta"])
    same(irl.log_likelihood_, learned["log_likelihood"])
    assert (irl.n_iter_, irl.n_evaluations_) == (learned["iterations"], learned["evaluations"])
    assert (irl.converged_, irl.stopped_because_) == (learned["converged"], learned["stopped_because"])
    assert (irl.horizon_, irl.ends_, irl.notes_) == (learned["horizon"], learned["ends"], learned["notes"])
    assert case.mdp.digest == learned["problem_digest"]


def test_threads_change_no_bit(case: Case) -> None:
    other = revealed.MaxEntIRL(**case.settings, threads=1, memory=100_000_000).fit(case.mdp, case.paths)
    same(other.theta_, case.irl.theta_)


def test_model_files_are_the_same(case: Case, tmp_path: Path) -> None:
    case.irl.save(tmp_path / "python.json")
    ours, theirs = json.loads((tmp_path / "python.json").read_text()), json.loads(case.model.read_text())
    assert ours.pop("seconds") is None and theirs.pop("seconds") > 0.0
    assert ours == theirs
    loaded = revealed.MaxEntIRL.load(case.model, case.mdp)
    same(loaded.theta_, case.irl.theta_)
    to = 15 if case.irl.ends_ == "goal" else None
    same(loaded.value(to=to), case.irl.value(to=to))


def test_questions(case: Case, tmp_path: Path) -> None:
    irl = case.irl
    to = 15
    same(irl.marginals(to=to), case.ask("marginals", "--to", to)["state"])
    same(irl.marginals(3, to=to), case.ask("marginals", "--to", to, "--t", 3)["state"])
    for t, options in ((None, ()), (3, ("--t", 3))):
        rows = case.ask("marginals", "--to", to, *options, "--of", "state-action")["state_action"]
        by_table = irl.marginals(t, of="state-action", to=to)
        same([by_table[state, action] for state, action, _ in rows], [p for *_, p in rows])
        rows = case.ask("marginals", "--to", to, *options, "--of", "transition")["transition"]
        assert [row[:3] for row in rows] == np.stack(case.mdp.transitions[:3], axis=1).tolist()
        same(irl.marginals(t, of="transition", to=to), [p for *_, p in rows])
    lengths = irl.lengths(to=to)
    told = np.zeros_like(lengths)
    for length, p in case.ask("lengths", "--to", to)["length"]:
        told[length] = p
    same(lengths, told)
    policy = case.ask("policy", "--to", to, "--t", 1)["policy"]
    same([irl.policy(1, to=to)[state, action] for state, action, _ in policy], [p for _, _, p in policy])
    paths = case.ask("path", "--from", 0, "--to", to, "--k", 3)["paths"]
    for mine, theirs in zip(irl.predict_path(0, to, k=3), paths, strict=True):
        assert mine.states.tolist() == theirs["states"] and mine.actions.tolist() == theirs["actions"]
        same(mine.log_weight, theirs["log_weight"])
    posterior = np.zeros(16)
    for state, p in case.ask("destinations", "--prefix", "0,2,1")["posterior"]:
        posterior[state] = p
    same(irl.predict_destination([(0, 2), (1, None)]), posterior)
    case.ask("sample", "-n", 20, "--seed", 5, "--to", to, "-o", tmp_path / "samples.npz")
    assert irl.sample(20, seed=5, to=to) == revealed.Trajectories.load(tmp_path / "samples.npz")
    case.ask("sample", "-n", 20, "--seed", 5, "--prefix", "0,2,1", "--to", to, "--states", 9, "-o", tmp_path / "parts.npz")
    parts = irl.sample(20, seed=5, prefix=[(0, 2), (1, None)], to=to, states=9)
    assert parts == revealed.Trajectories.load(tmp_path / "parts.npz") and max(map(len, parts)) <= 9
    scores = case.command("score", case.problem, case.model, case.demos)["demonstrations"]
    same(irl.score_samples(case.paths), [row["log_likelihood"] for row in scores])
    likelihood = case.command("likelihood", case.problem, case.demos, "--model", case.model)
    if irl.inference_ != "ziebart2008":
        mine = revealed.LogLikelihood(case.mdp, case.paths, inference=irl.inference_, ends=irl.ends_, horizon=irl.horizon_)
        objective, gradient = mine.value_and_grad(irl.theta_)
        same(-objective, likelihood.get("objective", likelihood["log_likelihood"]))
        same(-gradient, likelihood["gradient"])


def test_summary(case: Case) -> None:
    irl = case.irl
    done = case.command.run("summary", case.problem, case.model, case.demos, "--json")
    if done.returncode != 0:
        # Near the rewards whose values are not finite, the information of a causal model cannot be computed.
        assert irl.inference_ in ("ziebart2008", "causal-dual") or "are not finite" in done.stderr, done.stderr
        with pytest.raises(ValueError) as refused:
            irl.summary(case.paths)
        assert done.stderr == f"error: {refused.value}\n"
        return
    told = json.loads(done.stdout)["summary"]
    summary = irl.summary(case.paths)
    same(summary.standard_errors, [np.nan if error is None else error for error in told["standard_errors"]])
    same([summary.aic, summary.bic], [told["aic"], told["bic"]])
    assert summary.notes == told["notes"]


def test_planning(command: Revealed, tmp_path: Path) -> None:
    problem, episodes = tmp_path / "lake.json", tmp_path / "episodes.npz"
    command("env", "frozenlake-8x8", "--discount", 0.99, "-o", problem)
    lake = revealed.Mdp.load(problem)
    assert lake == revealed.worlds.frozen_lake("8x8", discount=0.99)
    told = command("plan", problem)
    plan = lake.plan()
    same(plan.value, told["values"])
    command("rollouts", problem, "-n", 30, "--seed", 3, "--longest", 200, "-o", episodes)
    assert lake.rollouts(plan.policy, 30, seed=3, max_states=200) == revealed.Trajectories.load(episodes)
    soft = lake.plan(temperature=0.1)
    command("rollouts", problem, "-n", 30, "--policy", "boltzmann", "--temperature", 0.1, "--longest", 200, "-o", episodes)
    assert lake.rollouts(soft.policy, 30, seed=0, max_states=200) == revealed.Trajectories.load(episodes)


def test_cross_validation(command: Revealed, tmp_path: Path) -> None:
    problem, demos = tmp_path / "lake.npz", tmp_path / "demos.jsonl"
    command("env", "frozenlake-4x4", "-o", problem)
    command("rollouts", problem, "-n", 30, "--seed", 7, "--discount", 0.99, "-o", demos)
    told = command("cross-validate", problem, demos, "--folds", 3, "--seed", 4, "--l2", "0.001,0.1")
    mdp, paths = revealed.Mdp.load(problem), revealed.Trajectories.load(demos)
    found = revealed.MaxEntIRL().cross_validate(mdp, paths, l2=[0.001, 0.1], folds=3, seed=4)
    same(found.held_out, [row["held_out"] for row in told["penalties"]])
    same(found.in_sample, [row["in_sample"] for row in told["penalties"]])
