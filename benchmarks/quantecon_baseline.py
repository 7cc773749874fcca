"""Planning by QuantEcon's DiscreteDP (state-action pairs, sparse), answering queries from stdin.

    echo policy_iteration | python benchmarks/quantecon_baseline.py problem.npz --discount 0.99 --tolerance 1e-9

Each line of stdin is the name of a method: it solves once and prints {"seconds", "iterations"}. Before that it prints
{"values", "methods"}: V of each state by policy iteration (by value iteration if that does not end), and the methods
that work. Before the first line is read, the object is built, numba has compiled, and every method has run once.

The reward is one indicator per state times reward.true, paid in the state. A terminal state pays once: it leads to an
added state that never pays. DiscreteDP's epsilon is twice the tolerance, because its values are within epsilon / 2.
"""

import argparse
import json
import sys
import time

import numpy as np
import scipy.sparse
from problem import Problem
from quantecon.markov import DiscreteDP

METHODS = ("value_iteration", "policy_iteration", "modified_policy_iteration")
# Policy iteration takes about ten steps, or cycles if two policies are equally good.
MOST_STEPS = {"value_iteration": 1_000_000, "policy_iteration": 100, "modified_policy_iteration": 100_000}


def discrete_dp(problem, discount):
    n_states, n_terminal = problem.n_states, len(problem.terminal)
    key = problem.from_state * problem.n_actions + problem.action
    pairs = np.unique(key)
    end = len(pairs) + n_terminal
    state = np.concatenate([pairs // problem.n_actions, problem.terminal, [n_states]])
    action = np.concatenate([pairs % problem.n_actions, np.zeros(n_terminal + 1, dtype=np.int64)])
    row = np.concatenate([np.searchsorted(pairs, key), len(pairs) + np.arange(n_terminal), [end]])
    to = np.concatenate([problem.to_state, np.full(n_terminal + 1, n_states)])
    p = np.concatenate([problem.probability, np.ones(n_terminal + 1)])
    transitions = scipy.sparse.csr_matrix((p, (row, to)), (end + 1, n_states + 1))
    reward = np.append(problem.numbers("reward.true"), 0.0)[state]
    return DiscreteDP(reward, transitions, discount, state, action)


def solve(ddp, method, tolerance):
    start = time.perf_counter()
    result = ddp.solve(method=method, epsilon=2 * tolerance, max_iter=MOST_STEPS[method])
    return time.perf_counter() - start, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("problem", help="npz")
    parser.add_argument("--discount", type=float, required=True)
    parser.add_argument("--tolerance", type=float, required=True)
    arguments = parser.parse_args()
    ddp = discrete_dp(Problem(arguments.problem), arguments.discount)
    results = {method: solve(ddp, method, arguments.tolerance)[1] for method in METHODS}
    methods = [method for method in METHODS if results[method].num_iter < MOST_STEPS[method]]
    best = results["policy_iteration" if "policy_iteration" in methods else "value_iteration"]
    print(json.dumps({"values": best.v[:-1].tolist(), "methods": methods}), flush=True)
    for line in sys.stdin:
        seconds, result = solve(ddp, line.strip(), arguments.tolerance)
        print(json.dumps({"seconds": seconds, "iterations": int(result.num_iter)}), flush=True)


if __name__ == "__main__":
    main()
