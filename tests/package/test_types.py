"""The package is typed: mypy in its strict mode, and the stubs of the native module against the module itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_strict_accepts_the_package() -> None:
    run("mypy", "--no-incremental")


def test_mypy_strict_accepts_code_that_uses_it(tmp_path: Path) -> None:
    """What a user sees: types come from the installed package."""
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "import revealed\n"
        "from revealed import worlds\n"
        "lake: revealed.Mdp = worlds.frozen_lake()\n"
        "irl: revealed.MaxEntIRL = revealed.MaxEntIRL(l2=0.1, ends='terminal').fit(lake, [[(0, None)]])\n"
        "path: revealed.Path = irl.predict_path(0, 15)\n"
        "paths: list[revealed.Path] = irl.predict_path(0, 15, k=3)\n"
        "reward: np.ndarray[tuple[int], np.dtype[np.float64]] | object = irl.reward_\n"
        "print(path.states, paths, reward, irl.sample(3).lengths)\n"
    )
    run("mypy", "--no-incremental", "--config-file=", "--strict", str(program))


def test_the_stubs_are_those_of_the_native_module() -> None:
    run("mypy.stubtest", "--mypy-config-file", "pyproject.toml", "revealed._native")
