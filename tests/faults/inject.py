"""Lets each system call of each command that writes fail once in turn, and looks at what is left.

    python3 tests/faults/inject.py                  every fault
    python3 tests/faults/inject.py --share 0.05     one in twenty, as in `./test`

Needs cc, Linux and a release build (or REVEALED_BIN). `--python .venv/bin/python` adds what the package writes.

For each command, a first run counts its calls on files of a folder: open, read, write, fsync, rename, mkdir, unlink, chmod
and lock. Then the command runs once for each call and each kind of fault:

- the call fails once: disk full, input/output error, permission denied, too many open files, interrupted;
- the disk is full from this call on;
- the process is killed before the call, or after it (after half of it, if it writes).

After each run: the exit code is 0, or 1 with one line that says why. Each output has its old content or its new content.
Inputs are as they were. No temporary file is left, unless a process was killed or a file could not be removed. After a kill
the same command runs once more, and must end as if nothing had happened.

Other faults are not of one call: stdout or stderr that cannot be written to, threads that cannot be had, and little memory.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HANGS = 300.0

ERRORS = [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EMFILE]


@dataclass(frozen=True)
class Command:
    """A command line in a folder of inputs, and what it writes."""

    line: str
    outputs: tuple[str, ...]
    # Files of another run that it may read and replace.
    olds: dict[str, str] = field(default_factory=dict, hash=False)


OLD_MODEL = '{"theta": [0.1, 0.2, 0.3], "horizon": 3, "ends": "anywhere"}\n'
COMMANDS = [
    Command("learn problem.json demos.jsonl -o new.json --bounds -10,10", ("new.json",)),
    Command("learn problem.json demos.jsonl -o old.json --bounds -10,10", ("old.json",), {"old.json": OLD_MODEL}),
    Command("learn lake.npz lake-demos.npz -o new.json --bounds -10,10 --summary", ("new.json",)),
    Command(
        "learn problem.json demos.jsonl -o new.json --bounds -10,10 --resume", ("new.json",), {"new.json.partial": "partial"}
    ),
    Command("learn problem.json demos.jsonl -o new.json --inference causal --bounds -10,10", ("new.json",)),
    Command("sample problem.json model.json -n 9 -o new.jsonl", ("new.jsonl",)),
    Command("sample problem.json model.json -n 9 -o old.npz", ("old.npz",), {"old.npz": "old"}),
    Command("samples problem.json -n 20 --longest 4 -o new.npz", ("new.npz",)),
    Command("env frozenlake-4x4 -o new.json", ("new.json",)),
    Command("env frozenlake-4x4 -o old.npz", ("old.npz",), {"old.npz": "old"}),
    Command("plan lake.json -o new.json", ("new.json",)),
    Command("policy problem.json model.json -o new.json", ("new.json",)),
    Command("rollouts lake.json -n 5 -o new.jsonl", ("new.jsonl",)),
    Command("path problem.json model.json --pairs pairs.csv -o new.jsonl", ("new.jsonl",)),
    Command("score problem.json model.json demos.jsonl -o old.jsonl", ("old.jsonl",), {"old.jsonl": "old\n"}),
    Command("compare problem.json demos.jsonl --folds 2 -o new.json --picture new.svg", ("new.json", "new.svg")),
    Command("demo --out new", ("new/problem.json", "new/demos.jsonl", "new/model.json")),
    Command("roads city -o new.osm --trips new.csv --paths new.jsonl -n 4", ("new.osm", "new.csv", "new.jsonl")),
    Command(
        "roads import city.osm -o old.npz --export new.fgb --export new.geojson",
        ("old.npz", "new.fgb", "new.geojson"),
        {"old.npz": "old"},
    ),
    Command("roads import edges.csv --nodes nodes.csv -o new.npz --compress", ("new.npz",)),
    Command("roads match city.npz trips.csv -o old.jsonl --dropped new.csv", ("old.jsonl", "new.csv"), {"old.jsonl": "old\n"}),
    Command("roads learn city.npz paths.jsonl -o new.json --bounds -10,0 --max-iterations 3", ("new.json",)),
    Command("roads evaluate city.npz roads.json paths.jsonl -o new.csv --maps maps", ("new.csv",)),
    Command("roads export city.npz roads.json -o old.gpkg", ("old.gpkg",), {"old.gpkg": "old"}),
    Command("roads export city.npz --routes paths.jsonl -o new.parquet", ("new.parquet",)),
    Command("roads export city.npz roads.json --to osrm -o new.csv --turns old.csv", ("new.csv", "old.csv"), {"old.csv": "old"}),
    Command("roads forecast city.npz roads.json --from 3 --to 9 --map new.png -o new.geojson", ("new.png", "new.geojson")),
    Command("reproduce worked-example --quick --out results", ("results/worked-example.csv", "results/worked-example.json")),
]
PYTHON = [
    Command(f"python {name} {file}", (file,), {} if file.startswith("new") else {file: "old"})
    for name, file in [
        ("mdp", "new.json"),
        ("mdp", "old.npz"),
        ("paths", "new.jsonl"),
        ("paths", "old.npz"),
        ("model", "old.json"),
    ]
]


class Wrong(Exception):
    """Something that must not be."""


class Injector:
    """Runs commands with faults, in folders that are made anew for each."""

    def __init__(self, binary: Path, python: str | None, scratch: Path) -> None:
        self.binary, self.python, self.scratch = binary, python, scratch
        self.shim = scratch / "shim.so"
        build = ["cc", "-O1", "-shared", "-fPIC", "-o", self.shim, HERE / "shim.c", "-ldl"]
        subprocess.run(build, check=True)
        self.inputs = scratch / "inputs"
        self.inputs.mkdir()
        self.make_inputs()
        self.identities = {file.name: identity(file) for file in self.inputs.iterdir()}
        self.expected: dict[str, dict[str, object]] = {}

    def make_inputs(self) -> None:
        """The files that commands read."""
        for name in ("problem.json", "demos.jsonl", "pairs.csv", "edges.csv", "nodes.csv"):
            shutil.copy(HERE / "inputs" / name, self.inputs / name)
        for line in (
            "learn problem.json demos.jsonl -o model.json --bounds -10,10",
            "env frozenlake-4x4 -o lake.json",
            "env frozenlake-4x4 -o lake.npz",
            "rollouts lake.json -n 5 -o lake-demos.npz",
            "roads city -o city.osm --trips trips.csv --paths paths.jsonl -n 12",
            "roads import city.osm -o city.npz",
            "roads learn city.npz paths.jsonl -o roads.json --bounds -10,0 --max-iterations 3",
        ):
            subprocess.run([self.binary, *line.split()], cwd=self.inputs, check=True, capture_output=True)

    def folder(self, command: Command) -> Path:
        """A new folder with the inputs, and with what another run left."""
        place = Path(tempfile.mkdtemp(dir=self.scratch))
        for file in self.inputs.iterdir():
            os.link(file, place / file.name)
        for name, text in command.olds.items():
            (place / name).write_text(self.partial() if text == "partial" else text)
        return place

    def partial(self) -> str:
        """A checkpoint: a model of the same problem that is not finished."""
        return (self.inputs / "model.json").read_text().replace('"converged": true', '"converged": false')

    def start(
        self, command: Command, place: Path, limits: dict[int, int] | None = None, **faults: object
    ) -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, "LD_PRELOAD": str(self.shim), "FAULT_FOLDER": str(place)}
        # numpy's own library ends Python if it cannot have its threads.
        environment["OPENBLAS_NUM_THREADS"] = "1"
        environment |= {f"FAULT_{name.upper()}": str(value) for name, value in faults.items()}
        words = command.line.split()
        program: list[object] = [self.python, HERE / "write.py"] if words[0] == "python" else [self.binary]
        words = words[1:] if words[0] == "python" else words

        def limit() -> None:
            for what, most in (limits or {}).items():
                resource.setrlimit(what, (most, most))

        return subprocess.run(
            [*map(str, program), *words], cwd=place, env=environment, capture_output=True, timeout=HANGS, preexec_fn=limit
        )

    def count(self, command: Command) -> str:
        """The kinds of the calls of a command that succeeds. Its outputs are those expected from now on."""
        place, log = self.folder(command), self.scratch / f"log-{random.random()}"
        done = self.start(command, place, log=log)
        if done.returncode != 0:
            raise Wrong(f"{command.line}: {done.stderr.decode()}")
        self.expected[command.line] = {name: content(place / name) for name in command.outputs}
        shutil.rmtree(place)
        return log.read_text()

    def try_fault(self, command: Command, kind: str, **faults: object) -> str:
        """Runs a command with a fault. What happened; [`Wrong`] if it must not."""
        place = self.folder(command)
        before = {name: content(place / name) for name in command.outputs}
        limits = faults.pop("limits", None)
        done = self.start(command, place, limits, **faults)  # type: ignore[arg-type]
        try:
            happened = self.judge(command, kind, done, place, before, faults, limited=limits is not None)
        except Wrong as wrong:
            raise Wrong(
                f"{command.line}\n  {kind} {faults}: {wrong}\n  {done.returncode} {done.stderr.decode(errors='replace')[-800:]}"
            ) from None
        shutil.rmtree(place)
        return happened

    def judge(
        self,
        command: Command,
        kind: str,
        done: subprocess.CompletedProcess[bytes],
        place: Path,
        before: dict[str, object],
        faults: dict[str, object],
        limited: bool,
    ) -> str:
        said = done.stderr.decode(errors="replace")
        if "panicked" in said:
            raise Wrong("it panics")
        killed = done.returncode == -signal.SIGKILL and "kill" in faults
        # Rust ends a process that has no memory left, and the system one that does not fit. Nothing else may.
        starved = limited and done.returncode in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGKILL, 127)
        if done.returncode not in (0, 1) and not killed and not starved:
            raise Wrong("the exit code is neither 0 nor 1")
        if done.returncode == 1 and "error: " not in said and "Error: " not in said and faults.get("stream") != 2:
            raise Wrong("it does not say why")
        self.look(command, place, before, finished=done.returncode == 0)
        dead = [name for name in os.listdir(place) if name.startswith(".revealed-")]
        if dead and not killed and not starved and kind != "u" and not faults.get("stays"):
            raise Wrong(f"{dead} is left")
        if killed or starved:
            again = self.start(command, place)
            if again.returncode != 0:
                raise Wrong(f"the next run fails: {again.stderr.decode()}")
            self.look(command, place, before, finished=True)
            dead = [name for name in os.listdir(place) if name.startswith(".revealed-")]
            if dead:
                raise Wrong(f"{dead} is left by the next run")
        return (
            "killed, and done by the next run"
            if killed
            else "out of memory"
            if starved
            else "done"
            if done.returncode == 0
            else "refused"
        )

    def look(self, command: Command, place: Path, before: dict[str, object], finished: bool) -> None:
        """Each output is old or new, and each input as it was."""
        for name, new in self.expected[command.line].items():
            found = content(place / name)
            if finished and found != new:
                raise Wrong(f"{name} is not what it should be")
            if found not in (new, before.get(name)) and not alone(found, new):
                raise Wrong(f"{name} is neither old nor new")
        for file in self.inputs.iterdir():
            # They are links to one file, so that a change of any of them would show here.
            if identity(place / file.name) != self.identities[file.name]:
                raise Wrong(f"the input {file.name} has changed")
        for partial in place.glob("*.json.partial"):
            whole(partial)


def identity(file: Path) -> tuple[int, int, int]:
    """What changes if a file is replaced or written to."""
    known = file.stat()
    return known.st_ino, known.st_size, known.st_mtime_ns


def content(file: Path) -> object:
    """What a file holds, without times; `None` if it is not there."""
    if not file.exists():
        return None
    whole(file)
    if file.suffix == ".json" and not file.read_bytes().startswith(b"old"):
        return without_times(json.loads(file.read_text()))
    return file.read_bytes()


def alone(found: object, new: object) -> bool:
    """Whether a model was written, and its summary was not. The message says so."""
    if not isinstance(new, dict) or "summary" not in new:
        return False
    return found == {name: value for name, value in new.items() if name != "summary"}


def without_times(value: object) -> object:
    if isinstance(value, dict):
        return {name: without_times(inner) for name, inner in value.items() if name != "seconds"}
    return value


def whole(file: Path) -> None:
    """Rejects half a file of any format, unless a test put it there."""
    data = file.read_bytes()
    if data.startswith(b"old"):
        return
    try:
        if file.suffix in (".json", ".geojson", ".partial"):
            json.loads(data)
        elif file.suffix == ".jsonl":
            list(map(json.loads, data.splitlines()))
        elif file.suffix == ".npz" and zipfile.ZipFile(file).testzip() is not None:
            raise ValueError("a damaged array")
        elif file.suffix in (".csv", ".osm", ".svg") and not data.endswith(b"\n") and not data.endswith(b">"):
            raise ValueError("no last line")
        elif file.suffix == ".png" and b"IEND" not in data[-12:]:
            raise ValueError("no end")
    except (ValueError, zipfile.BadZipFile) as error:
        raise Wrong(f"{file.name} is half-written: {error}") from None


def faults_of(calls: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Every fault of a command with these calls."""
    for place, kind in enumerate(calls, start=1):
        for error in ERRORS:
            yield kind, {"at": place, "errno": error}
        if kind in "rw":
            yield kind, {"at": place, "errno": errno.EINTR}
        if kind not in "rl":
            yield kind, {"at": place, "errno": errno.ENOSPC, "stays": 1}
        yield kind, {"at": place, "kill": "before"}
        if kind not in "rl":
            yield kind, {"at": place, "kill": "after"}
    for stream in (1, 2):
        yield f"stream {stream}", {"stream": stream}
    for threads in range(4):
        yield "few threads", {"threads": threads}
    for megabytes in (14, 16, 18, 20, 22, 24, 32, 64):
        yield "little memory", {"limits": {resource.RLIMIT_AS: megabytes << 20}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0, help="the share of the faults that is tried")
    parser.add_argument("--most", type=int, default=10**9, help="faults of one command, chosen at random")
    parser.add_argument("--minutes", type=float, default=1e9, help="ends after so long, in the middle of a random order")
    parser.add_argument("--seed", type=int, default=1, help="of the share")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--python", help="a Python that has the package, to try what it writes, too")
    parser.add_argument("--only", default="", help="only commands that have this text")
    arguments = parser.parse_args()
    binary = (ROOT / os.environ.get("REVEALED_BIN", "target/release/revealed")).resolve()
    chosen, begun = random.Random(arguments.seed), time.monotonic()
    tried, wrong = Counter[tuple[str, str]](), []
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        injector = Injector(binary, arguments.python, Path(scratch))
        commands = [one for one in COMMANDS + (PYTHON if arguments.python else []) if arguments.only in one.line]

        def attempt(job: tuple[Command, str, dict[str, object]]) -> None:
            command, kind, faults = job
            if time.monotonic() - begun > 60 * arguments.minutes:
                return
            try:
                tried[kind, injector.try_fault(command, kind, **faults)] += 1
            except (Wrong, subprocess.TimeoutExpired) as fault:
                tried[kind, "WRONG"] += 1
                wrong.append(str(fault))

        jobs = []
        for command in commands:
            faults = [
                one for one in faults_of(injector.count(command)) if one[0] != "little memory" or "python" not in command.line
            ]
            faults = [one for one in faults if chosen.random() < arguments.share]
            jobs += [(command, *one) for one in chosen.sample(faults, min(arguments.most, len(faults)))]
        chosen.shuffle(jobs)
        with ThreadPoolExecutor(arguments.workers) as pool:
            list(pool.map(attempt, jobs))
    report(tried, len(commands))
    for message in wrong[:30]:
        print(f"\n{message}", file=sys.stderr)
    return 1 if wrong else 0


NAMES = {
    "o": "open",
    "r": "read",
    "w": "write",
    "s": "fsync",
    "m": "rename",
    "d": "mkdir",
    "u": "unlink",
    "p": "chmod",
    "l": "lock",
}


def report(tried: Counter[tuple[str, str]], commands: int) -> None:
    results = sorted({result for _, result in tried})
    print(f"| fault | {' | '.join(results)} |\n|---|{'---|' * len(results)}")
    for kind in sorted({kind for kind, _ in tried}):
        print(f"| {NAMES.get(kind, kind)} | {' | '.join(str(tried[kind, result]) for result in results)} |")
    bad = sum(count for (_, result), count in tried.items() if result == "WRONG")
    print(f"\n{sum(tried.values())} faults in {commands} commands, {bad} wrong")


if __name__ == "__main__":
    sys.exit(main())
