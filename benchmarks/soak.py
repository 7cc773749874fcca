"""An hour of random problems through both fronts, to see that memory stays flat and both give the same answers.

    .venv/bin/python benchmarks/soak.py --minutes 60

Each round makes a random world, learns with one of the methods, asks every question in Python, writes the files, and
asks the command `revealed` the same. It prints the memory of the process once a minute, and fails if memory grows, an
answer is out of its range, or the fronts disagree.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import revealed

ROOT = Path(__file__).resolve().parents[1]
# Growth that the allocator explains.
SLACK_MB = 25.0


def memory() -> float:
    """The memory of this process in MB, and of nothing that it shares."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return float(line.split()[1]) / 1e3


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def random_world(rng: np.random.Generator) -> tuple[revealed.Mdp, revealed.Trajectories]:
    kind = rng.integers(4)
    if kind == 0:
        mdp = revealed.worlds.frozen_lake("4x4", discount=float(rng.choice([0.9, 0.99, 1.0])))
    elif kind == 1:
        mdp = revealed.worlds.frozen_lake("8x8", discount=0.99)
    else:
        states = int(rng.integers(100, 2000))
        mdp = revealed.worlds.road_like(states, 2 * states, seed=int(rng.integers(1 << 30)))
    policy = np.zeros((mdp.n_states, mdp.n_actions))
    state, action, _, _ = mdp.transitions
    policy[state, action] = rng.random(len(state)) + 0.1
    rows = policy.sum(axis=1, keepdims=True)
    policy = np.divide(policy, rows, out=np.zeros_like(policy), where=rows > 0)
    paths = mdp.rollouts(policy, int(rng.integers(1, 40)), max_states=int(rng.integers(3, 30)), seed=int(rng.integers(1 << 30)))
    return mdp, paths


def check_probabilities(values: Any, what: str) -> None:
    values = np.asarray(values, dtype=float)
    assert np.all((values >= 0) & (values <= 1 + 1e-9)), f"{what} is out of range"


def ask(irl: revealed.MaxEntIRL, paths: revealed.Trajectories, asked: Counter[str]) -> None:
    first = list(paths)[0]
    half = (len(first) + 1) // 2
    prefix = [*first[: half - 1], (first[half - 1][0], None)]
    # Models of trips are asked about one trip.
    ends = {"start": first[0][0], "to": first[-1][0]} if irl.inference == "recursive-logit" else {}
    questions = {
        "score_samples": lambda: irl.score_samples(paths),
        "marginals": lambda: irl.marginals(t=1, **ends),
        "policy": lambda: irl.policy(t=1, **ends),
        "lengths": lambda: irl.lengths(**ends),
        "sample": lambda: irl.sample(5, seed=1, **ends),
        "predict_destination": lambda: irl.predict_destination(prefix),
        "predict_path": lambda: irl.predict_path(first[0][0], first[-1][0]),
    }
    for name, question in questions.items():
        try:
            answer = question()
        except (ValueError, MemoryError) as error:
            assert len(str(error)) > 10
            asked[f"{name}: refused"] += 1
            continue
        asked[name] += 1
        if name in ("marginals", "lengths", "predict_destination"):
            check_probabilities(answer, name)


def command(binary: Path, folder: Path, *arguments: object) -> dict[str, Any] | None:
    done = subprocess.run([binary, *map(str, arguments), "--json"], cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), f"{arguments}: exit code {done.returncode}\n{done.stderr}"
    assert "panicked" not in done.stderr, done.stderr
    return json.loads(done.stdout) if done.returncode == 0 else None


def a_round(rng: np.random.Generator, binary: Path, folder: Path, asked: Counter[str]) -> None:
    mdp, paths = random_world(rng)
    inference = str(rng.choice(["exact", "exact", "causal", "recursive-logit"]))
    # Loops that hardly cost anything make paths of a million states, whose lengths take minutes to list.
    bounds = (-5.0, -0.1) if inference == "recursive-logit" else (-5.0, 5.0)
    irl = revealed.MaxEntIRL(bounds=bounds, inference=inference, max_iter=20, threads=int(rng.integers(1, 5)))
    try:
        irl.fit(mdp, paths)
    except (ValueError, MemoryError) as error:
        assert len(str(error)) > 10
        asked[f"fit {inference}: refused"] += 1
        return
    asked[f"fit {inference}"] += 1
    ask(irl, paths, asked)
    if rng.random() < 0.2:
        mdp.save(folder / "p.npz")
        paths.save(folder / "d.jsonl")
        (folder / "theta.json").write_text(json.dumps(list(map(float, irl.theta_))))
        options = ["--inference", inference, "--bounds", f"{bounds[0]},{bounds[1]}", "--max-iterations", 20]
        learned = command(binary, folder, "learn", "p.npz", "d.jsonl", "-o", "m.json", *options)
        asked["revealed learn"] += 1
        if learned is not None:
            assert np.allclose(learned["theta"], irl.theta_, rtol=1e-9, atol=1e-9), "the fronts disagree"
            for question in (["lengths"], ["marginals"], ["policy", "--t", 1], ["sample", "-n", 3, "-o", "s.jsonl"]):
                answer = command(binary, folder, question[0], "p.npz", "m.json", *question[1:])
                asked[f"revealed {question[0]}{': refused' if answer is None else ''}"] += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    binary = (ROOT / os.environ.get("REVEALED_BIN", "target/release/revealed")).resolve()
    warnings.simplefilter("ignore")
    rng, asked, rounds = np.random.default_rng(arguments.seed), Counter[str](), 0
    begun, told, megabytes = time.monotonic(), 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        while (minutes := (time.monotonic() - begun) / 60) < arguments.minutes:
            a_round(rng, binary, Path(folder), asked)
            rounds += 1
            if minutes >= told:
                told += max(1.0, arguments.minutes / 20)
                megabytes.append(memory())
                print(f"{minutes:5.1f} min  {rounds:6d} rounds  {megabytes[-1]:7.1f} MB  {threads()} threads", flush=True)
        left = sorted(os.listdir(folder))
    print("\n".join(f"{count:8d}  {name}" for name, count in sorted(asked.items())))
    hidden = [name for name in left if name.startswith(".revealed-")]
    # The first fifth warms up: imports, pools, the largest world so far.
    settled = megabytes[len(megabytes) // 5 :]
    half = len(settled) // 2
    growth = float(np.mean(settled[half:]) - np.mean(settled[:half])) if half else 0.0
    print(f"\n{rounds} rounds, {sum(asked.values())} answers; memory grew by {growth:.1f} MB from one half to the next")
    if growth > SLACK_MB or hidden:
        print(f"failed: memory grows, or files are left: {hidden}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
