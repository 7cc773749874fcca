"""`revealed env nchain` is the NChain-v0 of gym 0.17.3, the last to have it."""

import gym
import numpy as np
import pytest

import tables


class Fixed:
    """A random number generator that always draws the same."""

    def __init__(self, number):
        self.number = number

    def rand(self):
        return self.number


def outcome(env, state, action, drawn):
    """Gym has no table for NChain: what its step does if this number is drawn."""
    env.state, env.np_random = state, Fixed(drawn)
    to, reward, done, _ = env.step(action)
    return to, reward, done


def law(env):
    """The table of a chain. rand() is uniform on [0, 1), and all that matters is whether it is below the slip: each
    side of it is one outcome, whose probability is its width."""
    table = {}
    for state in range(env.n):
        table[state] = {}
        for action in range(2):
            sides = []
            for low, high in ((0.0, env.slip), (env.slip, 1.0)):
                if high > low:
                    last = np.nextafter(high, low)
                    drawn = [low, *np.linspace(low, last, 20), last]
                    same = {outcome(env, state, action, number) for number in drawn}
                    assert len(same) == 1, (state, action, low, high)
                    sides.append((high - low, *same.pop()))
            table[state][action] = sides
    return table


CHAINS = [{}, {"n": 10}, {"n": 1}, {"n": 2, "slip": 0.0}, {"n": 3, "slip": 1.0}, {"n": 7, "slip": 0.35, "small": -1.5, "large": 3.25}]


@pytest.mark.parametrize("features", ["kinds", "state-actions", "transitions"])
@pytest.mark.parametrize("settings", CHAINS, ids=str)
def test_n_chain(revealed, tmp_path, settings, features):
    env = gym.make("NChain-v0", **settings).unwrapped
    options = [part for name, value in settings.items() for part in (f"--{name}", value)]
    revealed("env", "nchain", "-o", tmp_path / "chain.json", "--features", features, *options)
    ours = tables.read(tmp_path / "chain.json")
    start = np.zeros(env.n)
    start[env.reset()] = 1.0
    tables.assert_same(ours, law(env), start, rewards_of=features)
    assert ours["terminal"] == []
    assert ours["layout.grid"] == [1, env.n]


def test_the_law_is_what_gym_draws():
    """The table above against gym's own generator."""
    env = gym.make("NChain-v0", n=4, slip=0.3).unwrapped
    env.seed(5)
    generator, draws = env.np_random, 4000
    for state, actions in law(env).items():
        for action, sides in actions.items():
            env.np_random, count = generator, 0
            for _ in range(draws):
                env.state = state
                count += env.step(action)[0] == sides[0][1]
            # Five standard deviations.
            assert abs(count / draws - sides[0][0]) < 5 * np.sqrt(0.3 * 0.7 / draws), (state, action)
