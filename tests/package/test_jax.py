"""revealed.jax against finite differences and against the engine's other ways in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import revealed
from jax.test_util import check_grads
from revealed.jax import maxent_loss

ENDS = ["anywhere", "horizon", "terminal", "goal"]
PATHS = [[(0, 0), (1, 0), (3, None)], [(0, 1), (2, 0), (4, None)], [(1, 0), (0, 1), (2, 0), (4, None)]]
SAME_LENGTH = PATHS[:2]


def world(discount: float, features: Any = None) -> revealed.Mdp:
    """Chance, a choice that one state lacks, two first states, two terminal ones."""
    rows = [(0, 0, 1, 0.7), (0, 0, 2, 0.3), (0, 1, 2, 1.0), (1, 0, 0, 0.5), (1, 0, 3, 0.5)]
    rows += [(1, 1, 4, 1.0), (2, 0, 4, 0.9), (2, 0, 0, 0.1)]
    columns = tuple(np.array(column) for column in zip(*rows))
    return revealed.Mdp(5, 2, transitions=columns, start={0: 0.8, 1: 0.2}, terminal=[3, 4], discount=discount, features=features)


def looping_world() -> revealed.Mdp:
    """Chance and loops. From every state some action leads to the goal for certain."""
    rows = [(0, 0, 1, 0.7), (0, 0, 2, 0.3), (0, 1, 2, 1.0), (1, 0, 0, 0.5), (1, 0, 4, 0.5), (1, 1, 4, 1.0), (2, 0, 4, 1.0)]
    columns = tuple(np.array(column) for column in zip(*rows))
    return revealed.Mdp(5, 2, transitions=columns, start={0: 0.8, 1: 0.2}, terminal=[3, 4])


EPISODES = [[(0, 0), (1, 1), (4, None)], [(0, 1), (2, 0), (4, None)], [(1, 0), (0, 1), (2, 0), (4, None)]]


def loss_of(ends: str, discount: float = 1.0, *, transitions: bool = False) -> Callable[..., jax.Array]:
    return maxent_loss(world(discount), SAME_LENGTH if ends == "horizon" else PATHS, ends=ends, transitions=transitions)


def rewards(n: int, seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=n)


@pytest.fixture
def double() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize("ends", ENDS)
def test_check_grads_of_states(ends: str, discount: float, double: None) -> None:
    loss = loss_of(ends, discount)
    check_grads(loss, (rewards(5, 1),), order=1, modes=["rev"])
    check_grads(jax.jit(loss), (rewards(5, 2),), order=1, modes=["rev"])


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize("ends", ENDS)
def test_check_grads_of_states_and_transitions(ends: str, discount: float, double: None) -> None:
    loss = loss_of(ends, discount, transitions=True)
    check_grads(loss, (rewards(5, 1), rewards(8, 2)), order=1, modes=["rev"])
    check_grads(jax.jit(loss), (rewards(5, 3), rewards(8, 4)), order=1, modes=["rev"])


# Paths within a horizon and of any length, causal models within a horizon and without one, and the recursive logit.
MODELS: list[dict[str, Any]] = [
    {"horizon": 6},
    {"horizon": "any", "ends": "terminal"},
    {"inference": "recursive-logit"},
    {"inference": "causal", "horizon": 4},
    {"inference": "causal", "horizon": 7, "ends": "anywhere"},
    {"inference": "causal", "horizon": "any"},
    {"inference": "causal", "horizon": "any", "ends": "goal"},
    {"inference": "causal-dual", "horizon": 4},
    {"inference": "causal-dual", "horizon": "any"},
]


@pytest.mark.parametrize("settings", MODELS, ids=lambda settings: "-".join(map(str, settings.values())))
def test_check_grads_of_every_model(settings: dict[str, Any], double: None) -> None:
    mdp, demonstrations = looping_world(), EPISODES
    loss = maxent_loss(mdp, demonstrations, transitions=True, **settings)
    # Loops cost enough that sums over paths of any length exist.
    check_grads(loss, (rewards(5, 1) - 4.0, 0.3 * rewards(7, 2)), order=1, modes=["rev"])
    check_grads(jax.jit(loss), (rewards(5, 3) - 4.0, 0.3 * rewards(7, 4)), order=1, modes=["rev"])
    by_hand = revealed.RewardLikelihood(mdp, demonstrations, transitions=True, **settings)
    state, along = rewards(5, 1) - 4.0, 0.3 * rewards(7, 2)
    # A fixed point is searched for from the last one, so that the last digits depend on what was asked before.
    assert float(loss(state, along)) == pytest.approx(by_hand.value_and_grad(state, along)[0], rel=1e-13)


@pytest.mark.parametrize("ends", ENDS)
def test_the_value_and_the_chain_rule_are_those_of_log_likelihood(ends: str, double: None) -> None:
    phi, theta = np.random.default_rng(3).normal(size=(5, 2)), np.array([0.4, -0.7])
    likelihood = revealed.LogLikelihood(world(0.9, phi), SAME_LENGTH if ends == "horizon" else PATHS, ends=ends)
    loss = loss_of(ends, 0.9)
    value, gradient = jax.value_and_grad(lambda weights: loss(jnp.asarray(phi) @ weights))(theta)
    assert value.dtype == jnp.float64
    assert np.isclose(value, -likelihood(theta), rtol=1e-13, atol=0.0)
    assert np.allclose(gradient, -likelihood.gradient(theta), rtol=1e-12, atol=1e-14)


def test_it_is_minus_the_log_likelihood_of_a_fit(double: None) -> None:
    irl = revealed.MaxEntIRL(ends="terminal", l2=0.1).fit(world(1.0), PATHS)
    assert np.isclose(-loss_of("terminal")(irl.reward_), irl.log_likelihood_, rtol=1e-13, atol=0.0)


def test_transitions_without_rewards_are_worth_nothing(double: None) -> None:
    loss, state = loss_of("anywhere", transitions=True), rewards(5, 1)
    assert loss(state) == loss(state, np.zeros(8))
    assert np.isclose(loss(state), loss_of("anywhere")(state), rtol=1e-14)


def test_jit_gives_the_same_bits(double: None) -> None:
    loss, state = loss_of("anywhere"), rewards(5, 1)
    value, gradient = jax.value_and_grad(loss)(state)
    jitted, of_jitted = jax.jit(jax.value_and_grad(loss))(state)
    assert value == jitted == loss(state) == jax.jit(loss)(state)
    assert np.array_equal(gradient, of_jitted)


@pytest.mark.parametrize("jit", [False, True])
def test_vmap_over_rewards(jit: bool, double: None) -> None:
    loss = loss_of("anywhere", transitions=True)
    states, along = rewards(15, 1).reshape(3, 5), rewards(8, 2)
    batched = jax.vmap(jax.value_and_grad(loss, argnums=(0, 1)), in_axes=(0, None))
    values, (of_states, of_transitions) = (jax.jit(batched) if jit else batched)(states, along)
    for at, state in enumerate(states):
        value, (of_state, of_transition) = jax.value_and_grad(loss, argnums=(0, 1))(state, along)
        assert values[at] == value
        assert np.array_equal(of_states[at], of_state) and np.array_equal(of_transitions[at], of_transition)


def test_a_scan_may_hold_the_whole_search(double: None) -> None:
    loss = loss_of("terminal")

    def step(reward: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        value, gradient = jax.value_and_grad(lambda r: loss(r) + 0.05 * jnp.sum(r**2))(reward)
        return reward - gradient, value

    reward, values = jax.lax.scan(step, jnp.zeros(5), length=300)
    irl = revealed.MaxEntIRL(ends="terminal", l2=0.1).fit(world(1.0), PATHS)
    assert np.all(np.diff(values) < 1e-12)
    assert np.allclose(reward, irl.theta_, atol=1e-6)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float16, jnp.bfloat16])
def test_the_loss_is_of_the_dtype_of_the_rewards_and_the_engine_is_not(dtype: Any) -> None:
    loss, few = loss_of("anywhere"), jnp.asarray(rewards(5, 1), dtype)
    value, gradient = jax.jit(jax.value_and_grad(loss))(few)
    assert value.dtype == gradient.dtype == dtype
    expected, of_state, _ = revealed.RewardLikelihood(world(1.0), PATHS).value_and_grad(np.asarray(few, np.float64))
    assert value == jnp.asarray(np.asarray(expected).astype(few.dtype))
    assert np.array_equal(gradient, of_state.astype(few.dtype))


def test_rewards_may_differ_in_dtype(double: None) -> None:
    loss = loss_of("anywhere", transitions=True)
    of_state, of_transition = jax.grad(loss, argnums=(0, 1))(jnp.zeros(5, jnp.float32), jnp.zeros(8, jnp.float64))
    assert of_state.dtype == jnp.float32 and of_transition.dtype == jnp.float64


def test_a_large_world_under_jit() -> None:
    roads = revealed.worlds.road_like(20_000, 40_664, seed=1)
    start = int(roads.start.argmax())
    loss = jax.jit(jax.value_and_grad(maxent_loss(roads, [[(start, None)]], horizon=10)))
    for _ in range(3):
        value, gradient = loss(jnp.full(20_000, -1.0))
    assert np.isfinite(value) and np.isfinite(gradient).all()


def test_it_can_be_differentiated_once_and_says_so() -> None:
    loss = loss_of("anywhere")
    for twice in (jax.hessian(loss), jax.grad(lambda reward: jnp.sum(jax.grad(loss)(reward) ** 2)), jax.jit(jax.hessian(loss))):
        with pytest.raises(TypeError, match="differentiated once"):
            twice(jnp.zeros(5))
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(loss, (jnp.zeros(5),), (jnp.ones(5),))


def test_what_does_not_fit_is_refused() -> None:
    loss = loss_of("anywhere")
    cases: list[tuple[type[Exception], str, tuple[Any, ...]]] = [
        (ValueError, r"shape \(5, 1\), expected \(5,\): take its only column", (np.zeros((5, 1)),)),
        (ValueError, r"the reward of the states has shape \(4,\), expected \(5,\)", (np.zeros(4),)),
        (ValueError, r"shape \(\)", (0.0,)),
        (ValueError, "make the loss with transitions=True", (np.zeros(5), np.zeros(8))),
        (ValueError, "the reward of state 2 is nan", (np.array([0.0, 0.0, np.nan, 0.0, 0.0]),)),
        (ValueError, "the reward of state 0 is -inf", (np.array([-np.inf, 0.0, 0.0, 0.0, 0.0]),)),
        (TypeError, "dtype int32: it must be floating", (np.zeros(5, np.int32),)),
        (TypeError, "dtype complex64", (np.zeros(5, np.complex64),)),
    ]
    for kind, message, arguments in cases:
        for function in (loss, jax.value_and_grad(loss)):
            # JAX itself refuses to differentiate by integers.
            with pytest.raises(kind, match=f"{message}|requires real"):
                function(*arguments)
    along = loss_of("anywhere", transitions=True)
    with pytest.raises(ValueError, match=r"the reward of the transitions has shape \(7,\), expected \(8,\)"):
        along(np.zeros(5), np.zeros(7))
    with pytest.raises(ValueError, match="the reward of transition 7 is inf"):
        along(np.zeros(5), np.array([0.0] * 7 + [np.inf]))
    with pytest.raises(ValueError, match="ends"):
        maxent_loss(world(1.0), PATHS, ends="nowhere")


def test_a_jitted_loss_says_it_too() -> None:
    loss = jax.jit(loss_of("anywhere"))
    with pytest.raises(RuntimeError, match="the reward of state 2 is nan"):
        loss(np.array([0.0, 0.0, np.nan, 0.0, 0.0])).block_until_ready()
    with pytest.raises(ValueError, match=r"shape \(4,\), expected \(5,\)"):
        loss(np.zeros(4))
    assert np.isfinite(loss(np.zeros(5)))
