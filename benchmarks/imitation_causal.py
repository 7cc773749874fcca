"""Values, policies and visits of maximum causal entropy by `imitation`, on a few random problems.

    python benchmarks/imitation_causal.py            writes tests/fixtures/imitation_causal.json
    python benchmarks/imitation_causal.py --check    computes them again and compares with the file

The tests of the crate `revealed` read the file and must give the same numbers
(crates/revealed/tests/revealed/imitation.rs). Needs requirements-imitation.txt.

In imitation the last state also chooses an action. Its visits count the state that this action leads to, but its values
do not include the reward of that state. With `horizon` = L its values are therefore ours plus gamma^(L-t) log(number of
actions), its policies are ours except for the last one, and its visits are ours with one more row. At a discount below
1, `mce_occupancy_measures` without a policy uses the policy of discount 1, so the right one is passed here.
"""

import argparse
import json
import pathlib

import numpy as np
from imitation.algorithms.mce_irl import mce_occupancy_measures, mce_partition_fh
from seals.base_envs import TabularModelPOMDP

FIXTURE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "imitation_causal.json"
SEED = 20081
# Libraries differ in the last digits of exp and log from one processor to the next.
SAME = 1e-12
# states, actions, horizon, most successors of an action, size of the rewards, discount
SHAPES = [
    (2, 2, 3, 2, 1.0, 1.0),
    (4, 3, 6, 2, 2.0, 1.0),
    (6, 2, 12, 3, 5.0, 1.0),
    (5, 4, 8, 1, 1.0, 1.0),
    (7, 3, 20, 7, 30.0, 1.0),
    (4, 3, 9, 3, 2.0, 0.9),
]


def random_problem(rng, n_states, n_actions, most, size):
    transition = np.zeros((n_states, n_actions, n_states))
    for state in range(n_states):
        for action in range(n_actions):
            successors = rng.choice(n_states, size=rng.integers(1, most + 1), replace=False)
            transition[state, action, successors] = rng.dirichlet(np.ones(len(successors)))
    # One absorbing state, as imitation has terminal states.
    transition[-1] = 0.0
    transition[-1, :, -1] = 1.0
    return transition, rng.dirichlet(np.ones(n_states)), size * rng.normal(size=n_states)


def answer(rng, shape):
    n_states, n_actions, horizon, most, size, discount = shape
    transition, start, reward = random_problem(rng, n_states, n_actions, most, size)
    environment = TabularModelPOMDP(
        transition_matrix=transition,
        observation_matrix=np.eye(n_states),
        reward_matrix=reward,
        horizon=horizon,
        initial_state_dist=start,
    )
    values, _, policy = mce_partition_fh(environment, discount=discount)
    visits, _ = mce_occupancy_measures(environment, pi=policy, discount=discount)
    arrays = {"T": transition, "start": start, "reward": reward, "V": values, "policy": policy, "visits": visits}
    return {"horizon": horizon, "discount": discount} | {name: array.tolist() for name, array in arrays.items()}


def largest_difference(ours, theirs):
    if [p.keys() for p in ours] != [p.keys() for p in theirs]:
        raise SystemExit("the fields of the file and of the script differ: write the file again")
    pairs = [(a[name], b[name]) for a, b in zip(ours, theirs) for name in a]
    if any(np.shape(a) != np.shape(b) for a, b in pairs):
        raise SystemExit("the shapes in the file and in the script differ: write the file again")
    return max(np.max(np.abs(np.subtract(a, b)) / np.maximum(1.0, np.abs(a))) for a, b in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    arguments = parser.parse_args()
    rng = np.random.default_rng(SEED)
    problems = [answer(rng, shape) for shape in SHAPES]
    if not arguments.check:
        FIXTURE.parent.mkdir(parents=True, exist_ok=True)
        lines = ",\n".join(json.dumps(problem) for problem in problems)
        FIXTURE.write_text(f'{{"made_by": "benchmarks/imitation_causal.py", "problems": [\n{lines}\n]}}\n')
        return
    difference = largest_difference(json.loads(FIXTURE.read_text())["problems"], problems)
    print(f"imitation's causal values, policies and visits of {len(problems)} problems differ from the stored ones by {difference:.1e}")
    if difference > SAME:
        raise SystemExit(f"more than {SAME:.0e}: imitation or the file has changed")


if __name__ == "__main__":
    main()
