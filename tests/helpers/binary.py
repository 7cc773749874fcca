"""The command `revealed`: REVEALED_BIN, or the release build of this clone."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pages import ROOT


class Revealed:
    """Runs the command line."""

    def __init__(self) -> None:
        # A relative name is one from the root, wherever a test has gone.
        self.path = (ROOT / os.environ.get("REVEALED_BIN", "target/release/revealed")).resolve()
        if not self.path.is_file():
            pytest.exit(f"{self.path} is missing: run `cargo build --release`, or set REVEALED_BIN", returncode=1)

    def run(self, *arguments: object, given: str | None = None) -> subprocess.CompletedProcess[str]:
        """A finished command, with `given` on its standard input."""
        command = [self.path, *map(str, arguments)]
        return subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8")

    def __call__(self, *arguments: object) -> dict[str, Any]:
        """The one JSON object that a command prints with --json."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, f"revealed {' '.join(map(str, arguments))}: {done.returncode}\n{done.stderr}"
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def refuses(self, *arguments: object) -> str:
        """The message of a command that must fail: exit code 1, nothing on stdout, one line on stderr."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 1, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        assert done.stdout == ""
        one_line = done.stderr.count("\n") == 1 and done.stderr.endswith("\n")
        assert done.stderr.startswith("error: ") and one_line, done.stderr
        return done.stderr.removeprefix("error: ").rstrip("\n")

    def shell(self, command: str, folder: Path) -> str:
        """What a line of a page prints in a shell that finds the command."""
        path = os.pathsep.join([str(self.path.parent), os.environ["PATH"]])
        environment = dict(os.environ, PATH=path)
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        return done.stdout
