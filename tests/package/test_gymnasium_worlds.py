"""Environments of the real Gymnasium, compared with the package's own tables."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import revealed
from revealed import Mdp, worlds
from walks import random_episode

gymnasium = pytest.importorskip("gymnasium")

LAKES = [
    {"map_name": "4x4", "is_slippery": True},
    {"map_name": "4x4", "is_slippery": False},
    {"map_name": "8x8", "is_slippery": True},
    {"map_name": "8x8", "is_slippery": False},
    {"map_name": "4x4", "is_slippery": True, "success_rate": 0.6},
]
TAXIS = [name for name in ("Taxi-v3", "Taxi-v4") if name in gymnasium.registry]


def assert_table(mdp: Mdp, env: Any, mask: Any = None) -> None:
    """Every probability of the world is that of the table, gone through by looking up instead of listing."""
    table, start = env.unwrapped.P, np.asarray(env.unwrapped.initial_state_distrib)
    n_states, n_actions = int(env.unwrapped.observation_space.n), int(env.unwrapped.action_space.n)
    assert (mdp.n_states, mdp.n_actions) == (n_states, n_actions)
    np.testing.assert_allclose(mdp.start, start, rtol=0, atol=1e-15)

    every = [row for s in range(n_states) for a in range(n_actions) for row in table[s][a]]
    terminal = sorted({int(to) for p, to, _, terminated in every if terminated and p > 0})
    assert mdp.terminal.tolist() == terminal

    expected = np.zeros((n_states, n_actions, n_states))
    for s in set(range(n_states)) - set(terminal):
        for a in range(n_actions):
            if mask is None or mask(s)[a]:
                for p, to, _, _ in table[s][a]:
                    expected[s, a, to] += p
    found = np.zeros_like(expected)
    source, action, target, p = mdp.transitions
    np.add.at(found, (source, action, target), p)
    assert (found > 0).tolist() == (expected > 0).tolist()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)
    assert len(p) == np.count_nonzero(expected), "each transition is listed once"


@pytest.mark.parametrize("how", LAKES, ids=lambda how: "-".join(map(str, how.values())))
def test_frozen_lake(how: dict[str, Any]) -> None:
    env = gymnasium.make("FrozenLake-v1", **how)
    mdp = Mdp.from_gymnasium(env, discount=0.9)
    assert_table(mdp, env)
    assert mdp.grid == env.unwrapped.desc.shape and mdp.discount == 0.9
    if "success_rate" not in how:
        ours = worlds.frozen_lake(how["map_name"], slippery=how["is_slippery"], discount=0.9)
        assert_same_world(mdp, ours)
        # Gymnasium's thirds differ from ours in their last bit. The features are alike too: an indicator for each state.
        assert how["is_slippery"] or mdp == ours


@pytest.mark.parametrize("slippery", [True, False])
def test_random_lake(slippery: bool) -> None:
    from gymnasium.envs.toy_text.frozen_lake import generate_random_map

    rows = generate_random_map(size=9, p=0.7, seed=3)
    env = gymnasium.make("FrozenLake-v1", desc=rows, is_slippery=slippery)
    mdp = Mdp.from_gymnasium(env)
    assert_table(mdp, env)
    assert_same_world(mdp, worlds.frozen_lake(rows, slippery=slippery))


@pytest.mark.parametrize("name", TAXIS)
@pytest.mark.parametrize("rainy", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_taxi(name: str, rainy: bool, masked: bool) -> None:
    env = gymnasium.make(name, is_rainy=rainy)
    mdp = Mdp.from_gymnasium(env, action_masks=masked)
    assert_table(mdp, env, env.unwrapped.action_mask if masked else None)
    assert mdp.terminal.tolist() == [0, 85, 410, 475]
    if not rainy and not masked:
        assert_same_world(mdp, worlds.taxi())
    if masked:
        assert mdp.n_transitions < Mdp.from_gymnasium(env).n_transitions


def test_a_fickle_passenger_is_not_in_the_table() -> None:
    with pytest.raises(ValueError, match="fickle_passenger=False"):
        Mdp.from_gymnasium(gymnasium.make("Taxi-v4", fickle_passenger=True))


@pytest.mark.parametrize("slippery", [True, False])
def test_cliff_walking(slippery: bool) -> None:
    env = gymnasium.make("CliffWalking-v1", is_slippery=slippery)
    mdp = Mdp.from_gymnasium(env)
    assert_table(mdp, env)
    assert mdp.grid == (4, 12)
    assert_same_world(mdp, worlds.cliff_walking(slippery=slippery))


def assert_same_world(ours: Mdp, theirs: Mdp) -> None:
    for mine, other in zip(ours.transitions, theirs.transitions):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-15)
    np.testing.assert_allclose(ours.start, theirs.start, rtol=0, atol=1e-15)
    assert ours.terminal.tolist() == theirs.terminal.tolist()


def test_real_episodes_are_paths_of_the_world() -> None:
    env = gymnasium.make("FrozenLake-v1")
    env.action_space.seed(0)
    mdp = Mdp.from_gymnasium(env)
    state, _ = env.reset(seed=0)
    paths = []
    for _ in range(20):
        paths.append(random_episode(env, state))
        state, _ = env.reset()
    assert np.isfinite(revealed.LogLikelihood(mdp, paths)(np.zeros(16)))


class Shouting(gymnasium.ObservationWrapper):  # type: ignore[misc, name-defined]
    """Observations that are no states any more; the world behind is the same."""

    def observation(self, observation: int) -> str:
        return f"{observation}!"


def test_wrappers_are_looked_through() -> None:
    bare = gymnasium.envs.toy_text.frozen_lake.FrozenLakeEnv()
    wrapped = Shouting(gymnasium.wrappers.TimeLimit(gymnasium.wrappers.OrderEnforcing(bare), 7))
    assert wrapped.reset(seed=0)[0] == "0!"
    assert Mdp.from_gymnasium(wrapped) == Mdp.from_gymnasium(bare) == Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1"))


class Corridor(gymnasium.Env[int, int]):  # type: ignore[misc, name-defined]
    """0 and 1 lead right or stay with even chances; 2 is the end."""

    observation_space = gymnasium.spaces.Discrete(3)
    action_space = gymnasium.spaces.Discrete(2)
    initial_state_distrib = (0.75, 0.25, 0.0)

    def __init__(self, P: Any) -> None:
        self.P = P


STAY = [[(0.5, s, 0, False), (0.5, s, 0, False)] for s in range(3)]
RIGHT = [[(0.5, s, 0, False), (0.5, s + 1, 1, s == 1)] for s in range(2)]
TABLES: dict[str, Any] = {
    "dict of dicts": {0: {0: STAY[0], 1: RIGHT[0]}, 1: {0: STAY[1], 1: RIGHT[1]}, 2: {0: STAY[2], 1: STAY[2]}},
    "lists": [[STAY[0], RIGHT[0]], [STAY[1], RIGHT[1]], [STAY[2], STAY[2]]],
    "list of dicts": [{0: STAY[0], 1: RIGHT[0]}, {0: STAY[1], 1: RIGHT[1]}, {}],
    "without the end": {0: {0: STAY[0], 1: RIGHT[0]}, 1: {0: STAY[1], 1: RIGHT[1]}},
    "with impossible outcomes": {
        0: {0: STAY[0], 1: [*RIGHT[0], (0.0, 2, 0, False)]},
        1: {0: [*STAY[1], (0.0, 0, 0, True)], 1: RIGHT[1]},
    },
    "numpy numbers": {
        np.int64(s): {
            np.int64(a): [(np.float64(p), np.int64(to), 0, np.bool_(end)) for p, to, _, end in row] for a, row in of.items()
        }
        for s, of in {0: {0: STAY[0], 1: RIGHT[0]}, 1: {0: STAY[1], 1: RIGHT[1]}}.items()
    },
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_of_your_own(table: Any) -> None:
    mdp = Mdp.from_gymnasium(Corridor(table))
    rows = [(0, 0, 0, 1.0), (0, 1, 0, 0.5), (0, 1, 1, 0.5), (1, 0, 1, 1.0), (1, 1, 1, 0.5), (1, 1, 2, 0.5)]
    assert list(zip(*(column.tolist() for column in mdp.transitions))) == rows
    assert mdp.terminal.tolist() == [2] and mdp.start.tolist() == [0.75, 0.25, 0.0] and mdp.grid is None


def test_options_go_to_the_constructor() -> None:
    env = Corridor(TABLES["lists"])
    mdp = Mdp.from_gymnasium(env, start=1, features=[[0.0], [1.0], [2.0]], points=([0, 1, 2], [0, 0, 0]), labels=["a", "b", "c"])
    assert mdp.start.tolist() == [0, 1, 0] and mdp.n_features == 1 and mdp.points is not None and mdp.index("c") == 2


@pytest.mark.parametrize("name", ["CartPole-v1", "Pendulum-v1", "Blackjack-v1"])
def test_an_environment_without_a_table(name: str) -> None:
    with pytest.raises(ValueError) as error:
        Mdp.from_gymnasium(gymnasium.make(name))
    for word in ("has no table `P`", "revealed.ModelFreeIRL", "revealed.Mdp", "Mdp.from_dense", "P[s][a] = "):
        assert word in str(error.value)


def without(**changed: Any) -> Corridor:
    env = Corridor(TABLES["lists"])
    for name, value in changed.items():
        setattr(env, name, value)
    return env


def table_with(state: int, action: int, outcomes: Any) -> Corridor:
    table = [list(row) for row in TABLES["lists"]]
    table[state][action] = outcomes
    return Corridor(table)


FAULTS: dict[str, tuple[Any, str]] = {
    "ends or not": (
        table_with(0, 1, [(0.5, 1, 0, False), (0.5, 2, 0, False)]),
        "enters state 2 both with `terminated` set and without",
    ),
    "ends where it starts": (
        table_with(1, 1, [(1.0, 0, 0, True)]),
        "episodes start in state 0, which P also enters with `terminated`",
    ),
    "three parts": (table_with(0, 0, [(1.0, 0, 0)]), r"P\[0\]\[0\] is .* \(p, next_state, reward, terminated\)"),
    "a number": (table_with(0, 0, 1.0), r"P\[0\]\[0\] is 1.0"),
    "probabilities": (Corridor(np.full((3, 2, 3), 1 / 3)), "Mdp.from_dense"),
    "rows without actions": (Corridor([1, 2, 3]), r"P\[0\] is 1: it must have a list of outcomes for each action"),
    "half a state": (table_with(0, 0, [(1.0, 0.5, 0, False)]), r"a next state of P\[0\]\[0\] is 0.5"),
    "no such state": (table_with(0, 0, [(1.0, 7, 0, False)]), r"a next state of P\[0\]\[0\] is 7: it must be at most 2"),
    "no such action": (Corridor({0: {9: STAY[0]}}), r"the action of P\[0\]\[9\] is 9: it must be at most 1"),
    "too little": (table_with(0, 0, [(0.9, 0, 0, False)]), "state 0, action 0: the transition probabilities sum to 0.9"),
    "nothing": (table_with(0, 0, [(float("nan"), 0, 0, False)]), "NaN"),
    "less than nothing": (table_with(0, 0, [(1.5, 0, 0, False), (-0.5, 1, 0, False)]), "-0.5"),
    "a silent state": (Corridor({0: {0: STAY[0], 1: RIGHT[0]}}), "P has no entry for state 1, which is not terminal"),
    "no start": (without(initial_state_distrib=None), "has no `initial_state_distrib`: give start"),
    "short start": (without(initial_state_distrib=[1.0]), "initial_state_distrib has 1 entries, expected 3"),
    "a box": (without(observation_space=gymnasium.spaces.Box(0, 1)), r"observation_space is Box\(.* must be Discrete"),
    "two numbers": (
        without(action_space=gymnasium.spaces.MultiDiscrete([2, 2])),
        "action_space is MultiDiscrete.* must be Discrete",
    ),
    "from one": (without(observation_space=gymnasium.spaces.Discrete(3, start=1)), "numbered from 0"),
}


@pytest.mark.parametrize("env, message", FAULTS.values(), ids=FAULTS)
def test_a_faulty_table(env: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        Mdp.from_gymnasium(env)


def test_other_things_than_environments() -> None:
    with pytest.raises(TypeError, match=r"gymnasium.make\('FrozenLake-v1'\)"):
        Mdp.from_gymnasium("FrozenLake-v1")
    with pytest.raises(ValueError, match="NoneType has no table"):
        Mdp.from_gymnasium(None)
    with pytest.raises(ValueError, match="FrozenLakeEnv has no `action_mask"):
        Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1"), action_masks=True)
    with pytest.raises(ValueError, match="start has state 5"):
        Mdp.from_gymnasium(Corridor(TABLES["lists"]), start={5: 1.0})


def test_where_no_episode_goes_does_not_matter() -> None:
    """Taxi's table has states with the passenger already there, which go on without ending; no episode visits them."""
    table = gymnasium.make("Taxi-v4").unwrapped.P
    enters: dict[int, set[bool]] = defaultdict(set)
    for s in range(500):
        for a in range(6):
            for _, to, _, terminated in table[s][a]:
                if to != s:
                    enters[to].add(terminated)
    assert any(len(flags) == 2 for flags in enters.values())
    Mdp.from_gymnasium(gymnasium.make("Taxi-v4"))
