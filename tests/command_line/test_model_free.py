"""Model-free learning as a user's script does it: a Gymnasium environment that is stepped, not read."""

import json

import gymnasium
import numpy as np
import pytest

import problems

LONGEST = 8
ROLLOUTS = 20_000


def rollouts(env, rng):
    """The states visited by a uniform policy, each until the episode ends or has LONGEST states."""
    env.reset(seed=int(rng.integers(2**31)))
    for _ in range(ROLLOUTS):
        state, _ = env.reset()
        states, done = [state], False
        while not done and len(states) < LONGEST:
            state, _, done, _, _ = env.step(int(rng.integers(env.action_space.n)))
            states.append(state)
        yield states


@pytest.mark.parametrize("ends", ["anywhere", "horizon"])
def test_frozen_lake_without_its_model(revealed, tmp_path, ends):
    env = gymnasium.make("FrozenLake-v1", map_name="4x4", is_slippery=True)
    n_states, n_actions = int(env.observation_space.n), int(env.action_space.n)

    def count(states):
        """One indicator per state: what `revealed env` has as features, too."""
        return np.bincount(states, minlength=n_states).astype(float)

    features, log_policy, length, rollout = [], [], [], []
    for index, states in enumerate(rollouts(env, np.random.default_rng(1))):
        # "anywhere": each prefix is a sample of its own. "horizon": the rollout as it is.
        for l in range(1, len(states) + 1) if ends == "anywhere" else [len(states)]:
            features.append(count(states[:l]))
            log_policy.append(-(l - 1) * np.log(n_actions))
            length.append(l)
            rollout.append(index)
    samples = tmp_path / "samples.npz"
    np.savez(samples, features=features, log_policy=log_policy, length=length, rollout=rollout)

    # Demonstrations of a known reward, by the exact sampler.
    lake, demos = tmp_path / "lake.json", tmp_path / "demos.jsonl"
    revealed("env", "frozenlake-4x4", "-o", lake)
    truth = problems.save_json(tmp_path / "truth.json", {"theta": [-0.5] * 15 + [1.0], "horizon": LONGEST, "ends": ends})
    revealed("sample", lake, truth, "-n", 500, "--seed", 2, "-o", demos)
    paths = [json.loads(line)["states"] for line in demos.read_text(encoding="utf-8").splitlines()]
    np.savez(tmp_path / "features.npz", features=[count(states) for states in paths])

    settings = ["--l2", 0.02, "-o", tmp_path / "model.json"]
    exact = revealed("learn", lake, demos, "--ends", ends, "--horizon", LONGEST, *settings)
    free = revealed("learn", "--model-free", samples, tmp_path / "features.npz", *settings)
    assert exact["converged"] and free["converged"]
    assert (free["ends"], free["horizon"]) == (ends, LONGEST)

    record = free["model_free"]
    assert record["rollouts"] == ROLLOUTS and not record["worthless"], record
    score = (np.array(free["theta"]) - exact["theta"]) / record["standard_error"]
    assert np.abs(score).max() < 4.5 and 0.3 < np.sqrt(np.mean(score**2)) < 2.0, score
    log_z = revealed("likelihood", lake, demos, "--model", tmp_path / "model.json")["log_partition"]
    assert abs(record["log_partition"] - log_z) < 4.5 * record["log_partition_error"], (record, log_z)

    # With the problem beside it, the same demonstrations are read as paths.
    beside = revealed("learn", lake, demos, "--model-free", samples, *settings)
    np.testing.assert_allclose(beside["theta"], free["theta"], rtol=0, atol=1e-6)
