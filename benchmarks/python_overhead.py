"""What the way through Python costs: one gradient at the size of Porto's road network, in Python and in Rust.

    python benchmarks/python_overhead.py target/release/revealed-bench [--rounds 15] [--threads 1 2]

Both programs hold the same world, and evaluate in turns, each once a round and each first in every other round; the answers are compared bit by
bit. Prints Markdown.
"""

import argparse
import json
import statistics
import subprocess
import time

import numpy as np
import revealed

STATES, TRANSITIONS, HORIZON = 292_604, 594_933, 400


class Engine:
    """The same in Rust, which evaluates when it is told to."""

    def __init__(self, program, threads):
        command = [program, "answer", "--threads", str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.about = json.loads(self.process.stdout.readline())

    def evaluate(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["seconds"], answer["log_likelihood"], np.array(answer["gradient"])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Package:
    """The same in Python."""

    def __init__(self, world, threads):
        start = int(np.flatnonzero(world.start)[0])
        self.likelihood = revealed.LogLikelihood(world, [[(start, None)]], horizon=HORIZON, threads=threads)
        self.theta = world.true_theta
        # The first evaluation also touches every page for the first time.
        self.likelihood.value_and_grad(self.theta)

    def evaluate(self):
        begun = time.perf_counter()
        value, gradient = self.likelihood.value_and_grad(self.theta)
        return time.perf_counter() - begun, -value, -gradient


def measure(world, program, threads, rounds):
    engine, package = Engine(program, threads), Package(world, threads)
    if (engine.about["states"], engine.about["transitions"]) != (world.n_states, world.n_transitions):
        raise SystemExit(f"the worlds differ: {engine.about} and {world}")
    seconds = {engine: [], package: []}
    try:
        for at in range(rounds):
            answers = []
            for one in (engine, package) if at % 2 else (package, engine):
                took, *answer = one.evaluate()
                seconds[one].append(took)
                answers.append(answer)
            (first, of_first), (second, of_second) = answers
            if first != second or not np.array_equal(of_first, of_second):
                raise SystemExit(f"the answers differ: {first} and {second}")
    finally:
        engine.close()
    return seconds[engine], seconds[package]


def row(threads, engine, package):
    middle = [statistics.median(times) for times in (engine, package)]
    least = [min(times) for times in (engine, package)]
    paired = statistics.median(python / rust for rust, python in zip(engine, package))
    cells = [f"{1e3 * value:.1f} ms" for pair in (middle, least) for value in pair]
    ratios = [middle[1] / middle[0], least[1] / least[0], paired]
    order = [cells[0], cells[1], f"{100 * (ratios[0] - 1):+.2f} %", cells[2], cells[3], f"{100 * (ratios[1] - 1):+.2f} %"]
    return f"| {threads} | {' | '.join(order)} | {100 * (ratios[2] - 1):+.2f} % |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="the built crates/bench")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    world = revealed.worlds.road_like(STATES, TRANSITIONS, seed=1)
    print(f"### One gradient at {STATES} states, L = {HORIZON}, discount 1: through Python and in Rust\n")
    print("| threads | Rust, median | Python, median | more | Rust, fastest | Python, fastest | more | median of the rounds' ratios |")
    print("|" + "---|" * 8)
    for threads in arguments.threads:
        print(row(threads, *measure(world, arguments.program, threads, arguments.rounds)), flush=True)
    print(f"\n`LogLikelihood.value_and_grad` against `Likelihood::evaluate`, {arguments.rounds} rounds in turns; the same bits (asserted).")


if __name__ == "__main__":
    main()
