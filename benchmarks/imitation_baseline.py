"""One gradient, and optionally a whole fit, of `imitation`'s tabular maximum causal entropy IRL.

This is another model than ours: it maximises the *causal* entropy of policies over exactly `horizon` steps, on a dense
T[s, a, s'], with rewards of states only. Terminal states are absorbing. If transitions are deterministic and paths have
one length, both models agree. Here only the times are compared, for problems of equal size.

    python benchmarks/imitation_baseline.py problem.npz theta.json --horizon 100 [--demos demos.jsonl]

prints {"seconds": [...] of a gradient, "expected_features", "fit": {...} with --demos, "states", "transitions",
"horizon"}.
Needs requirements-imitation.txt.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import json
import time

import numpy as np
import torch
from imitation.algorithms.mce_irl import MCEIRL, mce_occupancy_measures, mce_partition_fh
from imitation.rewards.reward_nets import RewardNet
from imitation.util import logger
from problem import Problem
from seals.base_envs import TabularModelPOMDP

torch.set_num_threads(1)

# T and related arrays are dense: 4096 states with 4 actions take 0.5 GB.
MOST_STATES = 4096


class Linear(RewardNet):
    """R(s) = theta . phi(s), in double precision."""

    def __init__(self, environment, n_features):
        super().__init__(environment.observation_space, environment.action_space)
        self.theta = torch.nn.Parameter(torch.zeros(n_features, dtype=torch.float64))

    def forward(self, state, action, next_state, done):
        return state @ self.theta


def environment_of(problem, theta, horizon):
    if problem.n_states > MOST_STATES:
        raise SystemExit(f"{problem.n_states} states: a dense T is only for up to {MOST_STATES}")
    if len(problem.integers("features.state_action.state")) or len(problem.integers("features.transition.transition")):
        raise SystemExit("imitation supports rewards of states only")
    transition = np.zeros((problem.n_states, problem.n_actions, problem.n_states))
    transition[problem.from_state, problem.action, problem.to_state] = problem.probability
    transition[problem.terminal, :, problem.terminal] = 1.0
    if not np.allclose(transition.sum(axis=2), 1.0):
        raise SystemExit("imitation needs every action in every state")
    features = np.zeros((problem.n_states, problem.n_features))
    where = problem.integers("features.state.state"), problem.integers("features.state.feature")
    np.add.at(features, where, problem.numbers("features.state.value"))
    return TabularModelPOMDP(
        transition_matrix=transition,
        observation_matrix=features,
        reward_matrix=features @ theta,
        horizon=horizon,
        initial_state_dist=problem.start,
    )


def gradient(environment, discount):
    _, _, policy = mce_partition_fh(environment, discount=discount)
    _, occupancy = mce_occupancy_measures(environment, pi=policy, discount=discount)
    return environment.observation_matrix.T @ occupancy


def visits_of(path, environment, discount):
    """The mean discounted visits of the demonstrations, extended to the horizon in their last state."""
    visits, total = np.zeros(environment.state_dim), 0.0
    discounts = discount ** np.arange(environment.horizon + 1)
    with open(path) as file:
        for line in filter(str.strip, file):
            demonstration = json.loads(line)
            states = demonstration["states"][: environment.horizon + 1]
            states += states[-1:] * (environment.horizon + 1 - len(states))
            weight = demonstration.get("weight", 1.0)
            np.add.at(visits, states, weight * discounts)
            total += weight
    return visits / total


def fit(environment, visits, discount, max_iter):
    net = Linear(environment, environment.obs_dim)
    algorithm = MCEIRL(
        visits,
        environment,
        net,
        np.random.default_rng(0),
        discount=discount,
        log_interval=None,
        custom_logger=logger.configure(format_strs=()),
    )
    steps = 0
    train_step = algorithm._train_step

    def counted(observations):
        nonlocal steps
        steps += 1
        return train_step(observations)

    algorithm._train_step = counted
    start = time.perf_counter()
    occupancy = algorithm.train(max_iter=max_iter)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "evaluations": steps,
        "largest_difference_of_visits": float(np.abs(occupancy - visits).max()),
        "theta": net.theta.detach().tolist(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("problem", help="npz")
    parser.add_argument("theta", help="a JSON array")
    parser.add_argument("--horizon", type=int, required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--demos", help="jsonl: demonstrations to fit as well")
    parser.add_argument("--max-iter", type=int, default=1000, help="iterations of the fit (default 1000, as in imitation)")
    arguments = parser.parse_args()
    problem = Problem(arguments.problem)
    with open(arguments.theta) as file:
        theta = np.array(json.load(file), dtype=np.float64)
    environment = environment_of(problem, theta, arguments.horizon)
    seconds = []
    for _ in range(arguments.repeats):
        start = time.perf_counter()
        expected = gradient(environment, problem.discount)
        seconds.append(time.perf_counter() - start)
    report = {
        "expected_features": expected.tolist(),
        "seconds": seconds,
        "states": problem.n_states,
        "transitions": len(problem.row),
        "horizon": arguments.horizon,
    }
    if arguments.demos:
        visits = visits_of(arguments.demos, environment, problem.discount)
        report["fit"] = fit(environment, visits, problem.discount, arguments.max_iter)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
