"""`revealed env` writes Gymnasium's FrozenLake-v1, CliffWalking-v1 and Taxi-v4, transition by transition."""

import gymnasium
import numpy as np
import pytest

import tables


@pytest.fixture(params=["json", "npz"])
def problem(request, revealed, tmp_path):
    """The fields of the problem file that `revealed env` writes, by dotted name."""

    def write(name, *options):
        file = tmp_path / f"problem.{request.param}"
        revealed("env", name, "-o", file, *options)
        return tables.read(file)

    return write


def assert_gymnasiums(ours, env, **how):
    tables.assert_same(ours, env.unwrapped.P, env.unwrapped.initial_state_distrib, **how)


slippery_or_not = pytest.mark.parametrize("slippery", [True, False], ids=["slippery", "not_slippery"])
every_feature_set = pytest.mark.parametrize("features", ["kinds", "state-actions", "transitions"])


@slippery_or_not
@pytest.mark.parametrize("size", ["4x4", "8x8"])
def test_frozen_lake(problem, size, slippery):
    ours = problem(f"frozenlake-{size}", *([] if slippery else ["--not-slippery"]))
    env = gymnasium.make("FrozenLake-v1", map_name=size, is_slippery=slippery)
    assert_gymnasiums(ours, env)
    assert ours["discount"] == 1.0
    assert ours["layout.grid"] == list(env.unwrapped.desc.shape)
    # One indicator per state, and the goal alone pays.
    indicators = zip(ours["features.state.state"], ours["features.state.feature"], ours["features.state.value"])
    assert sorted(indicators) == [(s, s, 1.0) for s in range(ours["n_states"])]
    assert np.flatnonzero(ours["reward.true"]).tolist() == [ours["n_states"] - 1] and ours["reward.true"][-1] == 1.0


@slippery_or_not
@pytest.mark.parametrize("size, p_frozen, seed", [(2, 0.5, 0), (8, 0.8, 1), (8, 0.7, 2), (15, 0.75, 3)])
def test_random_lakes(problem, size, p_frozen, seed, slippery):
    settings = ["--size", size, "--p-frozen", p_frozen, "--seed", seed]
    ours = problem("frozenlake-random", *settings, *([] if slippery else ["--not-slippery"]))
    rows, columns = ours["layout.grid"]
    letters = np.full(rows * columns, "F")
    letters[ours["terminal"]] = "H"
    letters[np.flatnonzero(ours["reward.true"])] = "G"
    letters[ours["start.state"]] = "S"
    desc = ["".join(row) for row in letters.reshape(rows, columns)]
    assert (rows, columns) == (size, size) and desc[0][0] == "S" and desc[-1][-1] == "G"
    assert gymnasium.envs.toy_text.frozen_lake.is_valid(desc, size)
    assert_gymnasiums(ours, gymnasium.make("FrozenLake-v1", desc=desc, is_slippery=slippery))


@slippery_or_not
@every_feature_set
def test_cliff_walking(problem, features, slippery):
    ours = problem("cliffwalking", "--features", features, *(["--slippery"] if slippery else []))
    env = gymnasium.make("CliffWalking-v1", is_slippery=slippery)
    assert_gymnasiums(ours, env, rewards_of=features)
    assert ours["layout.grid"] == [4, 12]


@every_feature_set
def test_taxi(problem, features):
    ours = problem("taxi", "--features", features)
    env = gymnasium.make("Taxi-v4")
    assert_gymnasiums(ours, env, rewards_of=features)
    assert ours["terminal"] == [0, 85, 410, 475]
    # Drawn as Gymnasium decodes states: a grid for each place of the passenger and destination.
    for state in range(ours["n_states"]):
        row, column, passenger, destination = env.unwrapped.decode(state)
        assert (ours["layout.x"][state], ours["layout.y"][state]) == (6 * passenger + column, 6 * destination + row)


def test_the_discount_is_written(problem):
    assert problem("frozenlake-4x4", "--discount", "0.99")["discount"] == 0.99
