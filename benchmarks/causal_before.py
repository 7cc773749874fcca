"""Times one causal gradient of an older binary, of the present one and of the three versions in SciPy, in turns.

    python benchmarks/causal_before.py OLD NEW [--rounds 8]

OLD is the command `revealed` of an older commit (before c3af509 the causal model had no layout of its own), NEW the present
one. Every evaluation is the first of a fresh process on one thread, on slippery lakes with 1,024 and 4,096 states. The
versions in SciPy are those of scipy_causal.py, in fresh processes too. The fastest of the rounds counts. Prints a table in
Markdown: the time of each, and how many times as fast as each version of SciPy OLD and NEW are.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

LAKES = [(32, 100), (64, 200)]
SCIPY = ["logsumexp", "shared", "tuned"]


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def write_lake(binary, folder, side, horizon):
    """The files of a lake: the problem, theta, a model and one demonstration."""
    problem, theta, model, demos = (folder / f"{name}{side}" for name in ("lake", "theta", "model", "demos"))
    problem, theta, model, demos = problem.with_suffix(".npz"), theta.with_suffix(".json"), model.with_suffix(".json"), demos
    demos = demos.with_suffix(".jsonl")
    run(binary, "env", "frozenlake-random", "--size", side, "--seed", 1, "-o", problem)
    values = [state * 7 % 5 / 10 - 0.3 for state in range(side * side)]
    theta.write_text(json.dumps(values))
    fit = {"log_likelihood": 0, "iterations": 0, "evaluations": 0, "converged": False, "stopped_because": "given"}
    about = {"format": "revealed-model/1", "horizon": horizon, "ends": "horizon", "discount": 1, "inference": "causal"}
    model.write_text(json.dumps({**about, "theta": values, **fit, "gradient_norm": 0}))
    run(binary, "sample", problem, model, "-n", 1, "--seed", 1, "-o", demos)
    return problem, theta, model, demos


def seconds_of_binary(binary, files):
    problem, _, model, demos = files
    return json.loads(run(binary, "likelihood", problem, demos, "--model", model, "--threads", 1, "--json"))["seconds"]


def seconds_of_scipy(version, files, horizon):
    script = Path(__file__).with_name("scipy_causal.py")
    answer = run(sys.executable, script, files[0], files[1], "--horizon", horizon, "--version", version, "--repeats", 5)
    return min(json.loads(answer)["seconds"])


def times(old, new, files, horizon, rounds):
    """The fastest seconds of OLD, NEW and each version in SciPy."""
    fastest = dict.fromkeys(["old", "new", *SCIPY], float("inf"))
    for _ in range(rounds):
        for name in fastest:
            binary = {"old": old, "new": new}.get(name)
            now = seconds_of_binary(binary, files) if binary else seconds_of_scipy(name, files, horizon)
            fastest[name] = min(fastest[name], now)
    return fastest


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=8)
    arguments = parser.parse_args()
    print("| states | L | old | new | SciPy | time | old is as fast | new is as fast |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for side, horizon in LAKES:
            files = write_lake(arguments.new, Path(folder), side, horizon)
            taken = times(arguments.old, arguments.new, files, horizon, arguments.rounds)
            old, new = taken["old"], taken["new"]
            for version in SCIPY:
                theirs = taken[version]
                row = [side * side, horizon, f"{old * 1e3:.2f} ms", f"{new * 1e3:.2f} ms", version, f"{theirs * 1e3:.2f} ms"]
                print("| " + " | ".join(map(str, [*row, f"{theirs / old:.2f}×", f"{theirs / new:.1f}×"])) + " |", flush=True)
