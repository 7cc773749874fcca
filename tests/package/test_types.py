"""The package is typed: mypy in its strict mode, and the stubs of the native module against the module itself."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


USES = """\
from typing import Any
import numpy as np
import revealed
from revealed import worlds
lake: revealed.Mdp = worlds.frozen_lake()
irl: revealed.MaxEntIRL = revealed.MaxEntIRL(l2=0.1, ends="terminal").fit(lake, [[(0, None)]])
path: revealed.Path = irl.predict_path(0, 15)
paths: list[revealed.Path] = irl.predict_path(0, 15, k=3)
reward: np.ndarray[Any, np.dtype[np.float64]] = irl.reward_
states: np.ndarray[Any, np.dtype[np.int64]] = path.states
print(path.states, paths, reward, irl.sample(3).lengths)
"""
# Each is refused, for its own reason.
MISUSES = {
    'irl = revealed.MaxEntIRL(ends="nowhere")': "arg-type",
    "irl = revealed.MaxEntIRL(alpha=1.0)": "call-arg",
    "paths = irl.predict_path(0, 15)": "assignment",
    "path = irl.predict_path(0, 15, k=3)": "assignment",
    "reward = irl.converged_": "assignment",
    "text: str = irl.reward_": "assignment",
    "states = irl.reward_": "assignment",
    "print(irl.rewards_)": "attr-defined",
}


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=ROOT)


def run(*arguments: str) -> None:
    done = check(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_strict_accepts_the_package() -> None:
    run("mypy", "--no-incremental")


def test_mypy_strict_accepts_code_that_uses_it_and_refuses_code_that_misuses_it(tmp_path: Path) -> None:
    """What a user sees: types come from the installed package. Types that were Any would let everything pass."""
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(USES)
    bad.write_text(USES + "".join(f"{line}\n" for line in MISUSES))
    done = check("mypy", "--no-incremental", "--config-file=", "--strict", str(good), str(bad))
    found = re.findall(r"(\w+\.py):(\d+): error: .*\[([\w-]+)\]", done.stdout)
    first = USES.count("\n") + 1
    expected = [("bad.py", str(first + at), code) for at, code in enumerate(MISUSES.values())]
    assert found == expected, done.stdout + done.stderr


def test_the_stubs_are_those_of_the_native_module() -> None:
    run("mypy.stubtest", "--mypy-config-file", "pyproject.toml", "revealed._native")
