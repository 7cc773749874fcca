"""Whether the package that is installed here is whole: check.py WHEEL-OR-SDIST PROGRAMS, by a Python that has nothing else.

It uses no test framework, because a clean Python has none.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

LARGEST = 15_000_000
FILES = ["demos.jsonl", "model.json", "problem.json"]


def run(*command: str | Path) -> str:
    """What a command prints, run in a folder of its own, so that the sources are not found instead of the package."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, f"{command}: exit code {done.returncode}: {done.stderr}"
    return done.stdout


def check_file(file: Path) -> None:
    size = file.stat().st_size
    assert size < LARGEST, f"{file.name} has {size} bytes"
    print(f"{file.name}: {size / 1e6:.1f} MB")


def check_distribution() -> str:
    """The version, once it is clear that there is numpy and nothing else."""
    installed = {one.metadata["Name"].lower() for one in metadata.distributions()} - {"pip", "setuptools", "wheel"}
    assert installed == {"numpy", "revealed"}, installed
    about = metadata.metadata("revealed")
    assert about["Summary"] and about["License-Expression"] == "MIT OR Apache-2.0"
    assert {"plot", "roads", "jax", "torch", "ray", "notebook", "all"} <= set(about.get_all("Provides-Extra"))
    return metadata.version("revealed")


def check_package(version: str) -> None:
    code = """
import revealed
lake = revealed.worlds.frozen_lake("4x4", discount=0.99)
irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.001).fit(lake, lake.rollouts(lake.plan().policy, 50, seed=1))
print(revealed.__version__, irl.reward_.argmax())
"""
    assert run(sys.executable, "-c", code).split() == [version, "15"]


def check_command(version: str, *command: str | Path) -> None:
    assert run(*command, "--version").split() == ["revealed", version]
    assert run(*command, "demo", "--help").startswith("Show everything on FrozenLake")
    with tempfile.TemporaryDirectory() as folder:
        assert run(*command, "demo", "--out", folder).startswith("FrozenLake 4x4, slippery: 50 episodes")
        assert sorted(os.listdir(folder)) == FILES
        model = json.loads((Path(folder) / "model.json").read_text())
        assert model["converged"], model


def main() -> None:
    file, programs = Path(sys.argv[1]), Path(sys.argv[2]).absolute()
    check_file(file)
    version = check_distribution()
    check_package(version)
    check_command(version, programs / ("revealed.exe" if os.name == "nt" else "revealed"))
    check_command(version, sys.executable, "-m", "revealed")
    print(f"revealed {version}: the package and the command work")


if __name__ == "__main__":
    main()
