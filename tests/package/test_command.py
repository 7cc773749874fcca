"""The command that the package brings: that of the program, with its answers, exit codes and signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
import revealed
from binary import Revealed
from walks import uniform_policy

MODULE = [sys.executable, "-m", "revealed"]


def run(*arguments: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MODULE, *map(str, arguments)], cwd=folder, capture_output=True, text=True, encoding="utf-8")


def test_the_script_is_the_module() -> None:
    (script,) = metadata.entry_points(group="console_scripts", name="revealed")
    assert script.value == "revealed.__main__:main"
    assert run("--version").stdout == f"revealed {revealed.__version__}\n"


@pytest.mark.parametrize("line", [["--help"], ["roads", "--help"], ["nowhere"], [], ["check", "no.json"], ["path", "--k", "x"]])
def test_it_says_what_the_program_says(command: Revealed, line: list[str], tmp_path: Path) -> None:
    ours, theirs = run(*line, folder=tmp_path), command.run(*line)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_it_learns_what_the_program_learns(command: Revealed, tmp_path: Path) -> None:
    ours, theirs = (run("demo", "--out", tmp_path, "--json"), command.run("demo", "--out", tmp_path, "--json"))
    assert ours.returncode == 0, ours.stderr
    models = [json.loads(done.stdout)["model"] for done in (ours, theirs)]
    for model in models:
        del model["seconds"]
    assert models[0] == models[1]


def test_names_need_not_be_text(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/\xff\xfe"
    done = subprocess.run([*map(os.fsencode, MODULE), b"demo", b"--out", odd], capture_output=True)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(odd)) == [b"demos.jsonl", b"model.json", b"problem.json", b"report.html"]


def test_a_reader_that_has_seen_enough_is_no_failure(tmp_path: Path) -> None:
    line = f"'{sys.executable}' -m revealed env --list | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A problem whose search takes minutes."""
    folder = tmp_path_factory.mktemp("slow")
    mdp = revealed.worlds.road_like(60_000, 120_000, seed=3)
    mdp.save(folder / "roads.npz")
    mdp.rollouts(uniform_policy(mdp), 20, max_states=400, seed=1).save(folder / "paths.jsonl")
    return folder


def until(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    for _ in range(3000):
        if true():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("it did not happen within a minute")


def heed_ctrl_c() -> None:
    """In a new process: whoever runs the tests in the background has it ignored, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def learning(folder: Path, model: Path, before: str = "") -> subprocess.Popen[str]:
    line = f"{before} exec '{sys.executable}' -m revealed learn roads.npz paths.jsonl -o '{model}' --max-iterations 100000"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(["bash", "-c", line], cwd=folder, preexec_fn=heed_ctrl_c, text=True, **pipes)


def test_ctrl_c_stops_and_saves(slow: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    process = learning(slow, model)
    until((tmp_path / "model.json.partial").exists, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in said, said
    assert said.count("stopping after this step") == 1
    assert json.loads(model.read_text())["converged"] is False


def test_ctrl_c_before_the_work_begins_ends_the_process(slow: Path, tmp_path: Path) -> None:
    """Python would only remember it: here the command reads its standard input, and waits."""
    line = [*MODULE, "learn", "roads.npz", "-", "-o", str(tmp_path / "model.json")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(line, cwd=slow, preexec_fn=heed_ctrl_c, text=True, **pipes)
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists():
        process.kill()
        pytest.skip("there is no /proc to see whether Python has given up the signal")
    caught = 1 << (signal.SIGINT - 1)

    def is_ready() -> bool:
        (mask,) = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("SigCgt:")]
        return "_native" in Path(f"/proc/{process.pid}/maps").read_text() and not int(mask, 16) & caught

    until(is_ready, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT and said == "", said


def test_an_ignored_ctrl_c_stays_ignored(slow: Path, tmp_path: Path) -> None:
    process = learning(slow, tmp_path / "model.json", before="trap '' INT;")
    until((tmp_path / "model.json.partial").exists, process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and said.count("stopping after this step") == 1, said


def test_engines_are_of_this_python(tmp_path: Path) -> None:
    """`--engine` starts a Python with the package. The one on the path may have none."""
    lake = revealed.worlds.frozen_lake("4x4")
    for name, seed in [("one", 1), ("two", 2)]:
        lake.save(tmp_path / f"{name}.json")
        lake.rollouts(lake.plan().policy, 5, seed=seed).save(tmp_path / f"{name}.jsonl")
    names = ["one.json", "one.jsonl", "two.json", "two.jsonl"]
    environment = {name: value for name, value in os.environ.items() if name != "REVEALED_PYTHON"} | {"PATH": "/usr/bin:/bin"}
    line = [*MODULE, "learn", *names, "-o", "model.json", "--l2", "0.1", "--engine", "processes", "--workers", "2"]
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
