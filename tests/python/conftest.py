"""The binary under test, as a fixture."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Revealed:
    """The command `revealed`: REVEALED_BIN, or the release build of this clone."""

    def __init__(self):
        self.path = Path(os.environ.get("REVEALED_BIN", ROOT / "target/release/revealed")).resolve()
        if not self.path.is_file():
            pytest.exit(f"{self.path} is missing: run `cargo build --release`, or set REVEALED_BIN", returncode=1)

    def run(self, *arguments):
        command = [self.path, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60)

    def __call__(self, *arguments):
        """The one JSON object that a command prints with --json."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, f"revealed {' '.join(map(str, arguments))}: {done.returncode}\n{done.stderr}"
        return json.loads(done.stdout)

    def refuses(self, *arguments):
        """The message of a command that must fail: exit code 1, nothing on stdout, one line on stderr."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 1, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        assert done.stdout == ""
        assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1 and done.stderr.endswith("\n"), done.stderr
        return done.stderr.removeprefix("error: ").rstrip("\n")


@pytest.fixture(scope="session")
def revealed():
    return Revealed()
