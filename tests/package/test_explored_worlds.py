"""Worlds that are explored: environments that run, functions, and counts of observed steps."""

from __future__ import annotations

import pickle
import time
from typing import Any

import gymnasium
import numpy as np
import pytest
import revealed
from gymnasium import spaces
from revealed import End, MaxEntIRL, Mdp
from revealed.mdp.from_env import EnvSettings, enumerate_env

USUAL: dict[str, Any] = {"state": None, "samples": 400, "resets": None, "max_states": 10**5, "action_masks": True, "seed": 0}


def explored(env: Any, **change: Any) -> Mdp:
    """By trying out, also where there is a table."""
    chosen = EnvSettings(**{**USUAL, "reset_options": None, "progress": False, **change})
    return Mdp._found(*enumerate_env(env, chosen), {})


def as_dict(mdp: Mdp, values: Any) -> dict[Any, float]:
    label = mdp.labels.__getitem__
    source, action, target, _ = (column.tolist() for column in mdp.transitions)
    return {(label(s), a, label(to)): float(x) for s, a, to, x in zip(source, action, target, values)}


@pytest.mark.parametrize("name", ["CliffWalking-v1", "FrozenLake-v1"])
def test_what_is_tried_is_what_the_table_says(name: str) -> None:
    env = gymnasium.make(name)
    exact, tried = Mdp.from_gymnasium(env), explored(env)
    p, found = as_dict(exact, exact.transitions[3]), as_dict(tried, tried.transitions[3])
    assert set(found) <= set(p) and {tried._name(s) for s in tried.terminal} <= set(exact.terminal.tolist())
    reward, paid = as_dict(exact, exact.true_reward), as_dict(tried, tried.true_reward)
    assert all(paid[row] == pytest.approx(reward[row], abs=1e-12) for row in found)
    if name == "CliffWalking-v1":
        # Gymnasium draws a number also where there is one outcome, so these are counts, too.
        assert found == dict.fromkeys(found, 1.0) and 0.0 < tried.transition_errors.max() < 0.002
    else:
        errors = as_dict(tried, tried.transition_errors)
        away = [(found[row] - p[row]) / errors[row] for row in found]
        assert tried.transition_counts is not None and set(tried.transition_counts.tolist()) == {400.0}
        assert np.abs(away).max() < 5.0 and 0.5 < np.std(away) < 1.5


class Counter(gymnasium.Env):
    """A counter up to 3 whose observations are dressed in different ways."""

    def __init__(self, space: Any, dress: Any, offset: int = 0) -> None:
        self.observation_space, self.dress = space, dress
        self.action_space = spaces.Discrete(2, start=offset)
        self.offset, self.at = offset, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.at = 0
        return self.dress(0), {"action_mask": np.array([0, 1], dtype=np.int8)}

    def step(self, action: int) -> Any:
        self.at += action - self.offset
        mask = np.array([self.at > 0, 1], dtype=np.int8)
        return self.dress(self.at), float(self.at == 3), self.at == 3, False, {"action_mask": mask}


DRESSES = {
    "offset": (spaces.Discrete(4, start=7), lambda at: 7 + at, [7, 8, 9, 10]),
    "tuple": (spaces.Tuple([spaces.Discrete(4), spaces.Discrete(2)]), lambda at: (at, 1), [(0, 1), (1, 1), (2, 1), (3, 1)]),
    "multi": (spaces.MultiDiscrete([4, 2]), lambda at: np.array([at, 1]), [(0, 1), (1, 1), (2, 1), (3, 1)]),
    "box": (spaces.Box(0, 3, (1,), np.float32), lambda at: np.array([at], np.float32), [(0,), (1,), (2,), (3,)]),
    "dict": (spaces.Dict({"n": spaces.Discrete(4)}), lambda at: {"n": np.int64(at)}, [(("n", at),) for at in range(4)]),
    "plain": (spaces.Discrete(4), int, range(4)),
}


@pytest.mark.parametrize("name", DRESSES)
def test_observations_of_every_kind_in_three_lines(name: str) -> None:
    space, dress, labels = DRESSES[name]
    env = Counter(space, dress, offset=1)
    world = Mdp.from_env(env, discount=0.9)
    episodes = revealed.collect(env, world.plan().policy, 5, mdp=world, seed=0, max_steps=10)
    irl = revealed.MaxEntIRL(ends="terminal", l2=0.1).fit(world, episodes)
    assert world.labels == labels and world.action_labels == [1, 2] and len(world.terminal) == 1
    assert irl.converged_ and world.n_transitions == 5, "action 1 is masked in the first state"
    states = episodes[0].states
    assert world.trajectories([list(zip(states, [*episodes[0].actions.tolist(), None]))]) == world.trajectories(episodes[:1])


def test_the_environment_of_the_user_is_not_changed() -> None:
    env = gymnasium.make("Blackjack-v1")
    env.reset(seed=3)
    before = pickle.dumps((env.unwrapped.player, env.unwrapped.dealer, env.unwrapped.np_random))
    Mdp.from_env(env, samples=5)
    assert pickle.dumps((env.unwrapped.player, env.unwrapped.dealer, env.unwrapped.np_random)) == before


def test_blackjack_ends_are_told_from_hands_that_go_on() -> None:
    env = gymnasium.make("Blackjack-v1")
    world = Mdp.from_env(env, samples=100)
    assert world.labels is not None and End((20, 10, 0)) in world.labels and (20, 10, 0) in world.labels
    plan = world.plan(discount=1.0)
    assert plan.policy[world.index((20, 10, 0))].argmax() == 0 and plan.policy[world.index((11, 5, 0))].argmax() == 1
    irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.1)
    assert irl.fit(world, revealed.collect(env, plan.policy, 50, mdp=world, seed=1)).converged_


def test_taxi_in_three_lines() -> None:
    env = gymnasium.make("Taxi-v4")
    world = Mdp.from_env(env, discount=0.9)
    irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.1)
    irl.fit(world, revealed.collect(env, world.plan().policy, 50, mdp=world, seed=1))
    assert irl.converged_ and world.n_transitions == Mdp.from_gymnasium(env, action_masks=True).n_transitions


def test_door_key_in_three_lines() -> None:
    pytest.importorskip("minigrid")
    env = gymnasium.make("MiniGrid-DoorKey-5x5-v0")
    world = Mdp.from_env(env, resets=1, seed=3, discount=0.95)
    irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.1).fit(world, world.rollouts(world.plan().policy, 20))
    best = world._name(int(irl.reward_.argmax()))
    assert (best.x, best.y) == (3, 3) and world.action_labels is not None and "toggle" in world.action_labels
    played = revealed.collect(env, world.plan().policy, 3, mdp=world, reset_seed=3)
    assert all(episode.terminated for episode in played) and world.trajectories(played).lengths.max() < 30


def test_many_states_and_a_limit() -> None:
    class Grid(Counter):
        def step(self, action: int) -> Any:
            self.at = (self.at + (1 if action else 100)) % 10_000
            return self.at, 0.0, False, False, {}

    env = Grid(spaces.Discrete(10_000), int)
    assert Mdp.from_env(env, action_masks=False).n_states == 10_000
    with pytest.raises(ValueError, match="more than 500 states: give a larger max_states"):
        Mdp.from_env(env, max_states=500)


def test_ctrl_c_is_raised() -> None:
    class Slow(Counter):
        def step(self, action: int) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Mdp.from_env(Slow(spaces.Discrete(4), int))


def test_what_cannot_be_explored_is_named() -> None:
    with pytest.raises(ValueError, match="real numbers.*state=.*ModelFreeIRL"):
        Mdp.from_env(gymnasium.make("CartPole-v1"))
    with pytest.raises(ValueError, match="action_space is Box"):
        Mdp.from_env(gymnasium.make("Pendulum-v1"))
    with pytest.raises(TypeError, match="give the environment itself"):
        Mdp.from_env("Taxi-v4")
    hidden = Counter(spaces.Discrete(2), lambda at: at % 2)
    with pytest.raises(ValueError, match="not its whole state, so give state="):
        Mdp.from_env(hidden, action_masks=False)
    assert Mdp.from_env(hidden, state=lambda env: env.unwrapped.at, action_masks=False).n_states == 4


def test_functions() -> None:
    step = {("a", "go"): [(0.5, "b", 1.0), (0.25, "c", 2.0, True), (0.25, "b", 3.0)], ("b", "go"): {"a": 1.0}, ("b", "stay"): "b"}
    world = Mdp.from_function("a", lambda s, a: step[s, a], lambda s: [a for state, a in step if state == s], discount=0.5)
    assert world.labels == ["a", "b", "c"] and world.action_labels == ["go", "stay"] and world.terminal.tolist() == [2]
    found = world.to_frame(world.true_reward, name="reward")
    assert found.values.tolist() == [
        ["a", "go", "b", 0.75, pytest.approx(5 / 3)],
        ["a", "go", "c", 0.25, 2.0],
        ["b", "go", "a", 1.0, 0.0],
        ["b", "stay", "b", 1.0, 0.0],
    ]
    assert pickle.loads(pickle.dumps(world)).action_labels == world.action_labels
    assert np.array_equal(pickle.loads(pickle.dumps(world)).true_reward, world.true_reward)
    with pytest.raises(ValueError, match=r"step\('a', 'go'\): the probabilities sum to 0.5"):
        Mdp.from_function("a", lambda s, a: [(0.5, "b")], ["go"])
    with pytest.raises(ValueError, match="more than 10 states"):
        Mdp.from_function(0, lambda s, a: s + 1, [0], max_states=10)


def test_counts_and_how_sure_they_are() -> None:
    lake = revealed.worlds.frozen_lake("4x4")
    anything = np.full((16, 4), 0.25)
    anything[lake.terminal] = 0.0
    paths = lake.rollouts(anything, 3000, seed=2)
    world = Mdp.from_counts(paths)
    truth = as_dict(lake, lake.transitions[3])
    p, errors, n = (as_dict(world, column) for column in (world.transitions[3], world.transition_errors, world.transition_counts))
    assert set(p) <= set(truth) and world.terminal.tolist() == lake.terminal.tolist()
    away = np.array([(p[row] - truth[row]) / errors[row] for row in p if n[row] >= 100])
    assert len(away) > 80 and 0.7 < away.std() < 1.3 and np.abs(away).max() < 5.0
    assert np.allclose(world.start, lake.start)
    shrunk = Mdp.from_counts(paths[:50], prior=5.0)
    assert shrunk.transition_errors is not None and shrunk.n_transitions > Mdp.from_counts(paths[:50]).n_transitions
    with pytest.raises(ValueError, match="prior is -1"):
        Mdp.from_counts(paths, prior=-1)


def test_the_reward_of_the_environment_needs_nothing_by_hand() -> None:
    lake, ours = Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1"), discount=0.99), revealed.worlds.frozen_lake(discount=0.99)
    assert np.allclose(lake.true_reward, ours.true_reward)
    assert np.allclose(lake.plan().value, ours.plan(paid="on-arrival").value, atol=1e-8)
    assert lake.compare(ours.true_theta).expected_value_difference == pytest.approx(0.0, abs=1e-9)
    assert np.array_equal(lake.with_discount(0.5).true_reward, lake.true_reward)
    assert np.array_equal(lake.with_features(np.ones((16, 1))).true_reward, lake.true_reward)
    by_hand = Mdp(
        2, 2, transitions=([0, 0, 0], [1, 0, 0], [1, 1, 0], [1.0, 0.0, 1.0]), start=0, terminal=[1], true_reward=[1, 2, 3]
    )
    assert by_hand.true_reward is not None and by_hand.true_reward.tolist() == [3.0, 1.0]


class Cranes(gymnasium.Env[Any, Any]):
    """Two hooks at once: an action is a pair."""

    observation_space, action_space = spaces.MultiDiscrete([4, 3]), spaces.MultiDiscrete([2, 2])

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.at = np.zeros(2, dtype=np.int64)
        return self.at.copy(), {}

    def step(self, action: Any) -> Any:
        assert np.shape(action) == (2,), action
        self.at = np.minimum(self.at + action, [3, 2])
        done = bool((self.at == [3, 2]).all())
        return self.at.copy(), -1.0, done, False, {}


def test_a_table_acts_in_pairs() -> None:
    world = Mdp.from_env(Cranes())
    assert world.action_labels == [(0, 0), (0, 1), (1, 0), (1, 1)]
    episodes = revealed.collect(Cranes(), world.plan().policy, 5, mdp=world, seed=1)
    assert [one.rewards.sum() for one in episodes] == [-3.0] * 5, "as fast as both hooks can"
    assert MaxEntIRL(ends="terminal", l2=0.1).fit(world, episodes).converged_
    with pytest.raises(ValueError, match="policy has 3 columns, but Cranes has 4 actions"):
        revealed.collect(Cranes(), np.ones((12, 3)), 1)


def test_resets_show_rare_first_states() -> None:
    """Blackjack deals two pairs of twos in one of two thousand games."""
    world = Mdp.from_env(gymnasium.make("Blackjack-v1"), samples=100)
    fresh = Mdp.from_env(gymnasium.make("Blackjack-v1"), samples=1, resets=20_000, seed=7)
    known = {world.labels[at] for at in np.flatnonzero(world.start)}
    unknown = sum(p for label, p in zip(fresh.labels, fresh.start) if p and label not in known)
    assert unknown < 1e-3


def test_resets_that_make_other_worlds_are_refused_at_once() -> None:
    env = gymnasium.make("MiniGrid-FourRooms-v0")
    begun = time.process_time()
    with pytest.raises(ValueError, match=r"FourRoomsEnv: each reset makes another world: \d+ of 500 resets .* resets=1"):
        Mdp.from_env(env)
    assert time.process_time() - begun < 60.0, "and not after 200,000 states"
    world = Mdp.from_env(env, resets=1, seed=3, discount=0.95)
    episodes = revealed.collect(env, world.plan().policy, 5, mdp=world, reset_seed=3, seed=1)
    assert all(one.terminated for one in episodes)
    assert MaxEntIRL(inference="causal", horizon="any", l2=0.1).fit(world, episodes).converged_


@pytest.mark.parametrize("seed", range(3))
def test_blackjack_is_tried_often_enough_for_every_outcome(seed: int) -> None:
    """Three lines with the samples that nobody chose. An outcome of the world that was not seen would refuse its episodes."""
    env = gymnasium.make("Blackjack-v1")
    world = Mdp.from_env(env, seed=seed)
    episodes = revealed.collect(env, None, 1000, mdp=world, seed=seed)
    irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.1).fit(world, episodes)
    assert irl.converged_ and world.n_states > 600


@pytest.mark.parametrize(
    ("action", "problem"),
    [(7, "KeyError: 7"), ("left", "KeyError: 'left'"), (None, "KeyError: None"), (np.array([1]), "TypeError: unhashable")],
)
def test_an_action_that_the_environment_does_not_have(action: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=r"the policy chose the action .* not in the action space Discrete\(4\).*" + problem):
        revealed.collect(gymnasium.make("CliffWalking-v1"), lambda observation: action, 1, seed=0)


def test_a_failure_of_the_environment_itself_is_its_own() -> None:
    class Broken(gymnasium.Env[int, int]):
        observation_space, action_space = gymnasium.spaces.Discrete(3), gymnasium.spaces.Discrete(2)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return 0, {}

        def step(self, action: int) -> Any:
            raise KeyError("its own")

    with pytest.raises(KeyError, match="its own"):
        revealed.collect(Broken(), None, 1, seed=0)


class OldGym(gymnasium.Env[int, int]):
    """A counter with the interface before Gym 0.26."""

    observation_space, action_space = gymnasium.spaces.Discrete(3), gymnasium.spaces.Discrete(2)

    def reset(self) -> Any:  # type: ignore[override]
        self.at = 0
        return self.at

    def step(self, action: int) -> Any:
        self.at += int(action)
        return self.at, 1.0, self.at >= 2, {}


class OldReset(OldGym):
    def reset(self, seed: Any = None, options: Any = None) -> Any:  # type: ignore[override]
        return super().reset()


class OldStep(OldGym):
    def reset(self, seed: Any = None, options: Any = None) -> Any:  # type: ignore[override]
        return super().reset(), {}


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (OldGym, r"OldGym\.reset\(\) does not take seed= and options="),
        (OldReset, r"OldReset\.reset\(\) returned 0 and not \(observation, info\)"),
        (OldStep, r"OldStep\.step\(\) returned \(.*\) and not \(observation, reward, terminated, truncated, info\)"),
    ],
)
def test_old_gym_is_named_with_what_helps(kind: type[OldGym], problem: str, wrapped: bool) -> None:
    env: Any = gymnasium.Wrapper(kind()) if wrapped else kind()
    policy = revealed.SoftmaxPolicy([[0.0, 0.0]], lambda observation: [1.0])
    for use in (
        lambda: Mdp.from_env(env),
        lambda: revealed.collect(env, None, 1, seed=0),
        lambda: revealed.Rollouts.sample(env, policy, lambda s, a: [1.0], n=2, horizon=3),
    ):
        with pytest.raises(TypeError, match=problem + ".*before 0.26.*shimmy"):
            use()
