"""Runs the commands of a group of cases in one folder."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import cases

# These take no --threads; all others run on one, unless the case says otherwise.
ONE_THREAD_ANYWAY = ("demo", "check", "env", "samples", "roads city", "roads import")
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/nonexistent"}
# Seconds of work after which a command of `interrupted` is stopped, and of time after which any is killed.
INTERRUPT, DEADLINE = 1.0, 300


class Group:
    """A folder that cases run in. It keeps the files they write, their stdout and stderr, and their exit codes."""

    def __init__(self, binary: Path, folder: Path) -> None:
        self.binary, self.folder = binary, folder
        self.codes: list[str] = []
        self.filled: dict[str, object] = {}
        folder.mkdir(parents=True)

    def fill(self, line: str, **more: object) -> list[str]:
        """The words of a command line."""
        return [word.format(**self.filled, **more) for word in line.split()]

    def command(self, line: str, case: str) -> tuple[list[str], Path | None]:
        """The words of a command line, and the file for its stdin."""
        words = self.fill(line, case=case)
        stdin = None
        if "<" in words:
            *words, _, name = words
            stdin = self.folder / name
        called = " ".join(words[: 2 if words[:1] == ["roads"] else 1])
        for (command, old), new in cases.RENAMED.items():
            if command == called and old in words and f"{old} " not in help_of(self.binary, called):
                words = [new if word == old else word for word in words]
        if called not in ONE_THREAD_ANYWAY and len(words) > 2 and "--threads" not in words:
            words += ["--threads", "1"]
        return words, stdin

    def run(self, case: str, line: str, json: bool = False) -> None:
        """Runs a command and keeps what it says: in words (.txt), or with --json (.json)."""
        words, stdin = self.command(line, case)
        name = f"{case}.json" if json else f"{case}.txt"
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        with open(stdin or "/dev/null", "rb") as given:
            done = subprocess.run(
                [self.binary, *words, *(["--json"] if json else [])],
                cwd=self.folder, env=ENVIRONMENT, stdin=given, capture_output=True, timeout=DEADLINE,
            )  # fmt: skip
        self.keep(name, done.returncode, done.stdout, done.stderr)

    def keep(self, name: str, code: int, stdout: bytes, stderr: bytes) -> None:
        (self.folder / name).write_bytes(stdout)
        if stderr:
            (self.folder / f"{name}.err").write_bytes(stderr)
        self.codes.append(f"{name} {code}\n")
        (self.folder / "codes.txt").write_text("".join(self.codes))

    def both(self, table: dict[str, str], prefix: str = "") -> None:
        """Runs each case in words and with --json."""
        for case, line in table.items():
            self.run(prefix + case, line)
            self.run(prefix + case, line, json=True)


@cache
def help_of(binary: Path, command: str) -> str:
    return subprocess.run([binary, *command.split(), "--help"], env=ENVIRONMENT, capture_output=True, text=True).stdout


def slug(text: object) -> str:
    """A name for a file."""
    return re.sub(r"[^a-z0-9.]+", "-", str(text).lower()).strip("-")


def seconds_of_work(process: int) -> float:
    """The CPU time that a process has used, which does not depend on what else the machine does."""
    after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
