"""The command line beside the package: REVEALED_BIN, or the release build of this clone."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
Command = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def command() -> Command:
    """Runs `revealed ARGUMENTS --json` and returns what it prints."""
    binary = Path(os.environ.get("REVEALED_BIN", ROOT / "target/release/revealed")).resolve()
    if not binary.is_file():
        pytest.exit(f"{binary} is missing: run `cargo build --release`, or set REVEALED_BIN", returncode=1)

    def run(*arguments: object) -> dict[str, Any]:
        done = subprocess.run([binary, *map(str, arguments), "--json"], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"revealed {' '.join(map(str, arguments))}: {done.returncode}\n{done.stderr}"
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return run
