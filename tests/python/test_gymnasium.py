"""`revealed env frozenlake-*` is Gymnasium's FrozenLake-v1, transition by transition."""

import json
from collections import defaultdict

import gymnasium
import numpy as np
import pytest

import problems


@pytest.fixture(params=["json", "npz"])
def lake(request, revealed, tmp_path):
    """The fields of the problem file that `revealed env` writes, by dotted name."""

    def write(size, *options):
        file = tmp_path / f"lake.{request.param}"
        revealed("env", f"frozenlake-{size}", "-o", file, *options)
        if request.param == "json":
            return problems.flat(json.loads(file.read_text(encoding="utf-8")))
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name].tolist() for name in archive.files}

    return write


@pytest.mark.parametrize("slippery", [True, False], ids=["slippery", "not_slippery"])
@pytest.mark.parametrize("size", ["4x4", "8x8"])
def test_frozen_lake_is_gymnasiums(lake, size, slippery):
    ours = lake(size, *([] if slippery else ["--not-slippery"]))
    env = gymnasium.make("FrozenLake-v1", map_name=size, is_slippery=slippery).unwrapped
    n_states, n_actions = int(env.observation_space.n), int(env.action_space.n)
    theirs = {(s, a): env.P[s][a] for s in range(n_states) for a in range(n_actions)}

    assert (ours["n_states"], ours["n_actions"], ours["discount"]) == (n_states, n_actions, 1.0)

    start = np.zeros(n_states)
    start[ours["start.state"]] = ours["start.p"]
    np.testing.assert_allclose(start, env.initial_state_distrib, rtol=0, atol=1e-15)

    leaves = {s for (s, _), outcomes in theirs.items() for _, to, _, done in outcomes if to != s or not done}
    terminal = set(range(n_states)) - leaves
    assert ours["terminal"] == sorted(terminal)

    expected = defaultdict(float)
    for (s, a), outcomes in theirs.items():
        for p, to, _, _ in outcomes:
            if s not in terminal and p > 0.0:
                expected[s, a, to] += p
    found = list(zip(ours["transitions.from"], ours["transitions.action"], ours["transitions.to"]))
    assert sorted(found) == sorted(expected)
    np.testing.assert_allclose(ours["transitions.p"], [expected[row] for row in found], rtol=0, atol=1e-15)

    # Gymnasium pays on entering a state; with one indicator per state, reward.true is that payment.
    indicators = zip(ours["features.state.state"], ours["features.state.feature"], ours["features.state.value"])
    assert sorted(indicators) == [(s, s, 1.0) for s in range(n_states)]
    reward = ours["reward.true"]
    assert np.flatnonzero(reward).tolist() == [n_states - 1] and reward[-1] == 1.0
    for (s, a), outcomes in theirs.items():
        for _, to, paid, done in outcomes:
            assert s in terminal or (paid == reward[to] and done == (to in terminal)), (s, a, to)

    assert ours["layout.grid"] == list(env.desc.shape)


def test_the_discount_is_written(lake):
    assert lake("4x4", "--discount", "0.99")["discount"] == 0.99
