"""The function itself: against every path, differences, and SciPy's optimiser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import revealed
from scipy.optimize import check_grad, minimize


def slippery(discount: float = 1.0) -> revealed.Mdp:
    """Five states, two actions, chance, a terminal state, and features of all three kinds."""
    rows = [
        (0, 0, 1, 0.8), (0, 0, 2, 0.2), (0, 1, 2, 1.0), (1, 0, 3, 0.5), (1, 0, 0, 0.5), (1, 1, 4, 1.0),
        (2, 0, 3, 1.0), (2, 1, 0, 0.4), (2, 1, 4, 0.6), (3, 0, 4, 0.7), (3, 0, 1, 0.3),
    ]  # fmt: skip
    source, action, target, p = (list(column) for column in zip(*rows))
    random = np.random.default_rng(5)
    features = revealed.Features(
        state=random.normal(size=(5, 3)), state_action=random.normal(size=(5, 2, 3)), transition=random.normal(size=(11, 3))
    )
    return revealed.Mdp(
        5,
        2,
        transitions=(source, action, target, p),
        start={0: 0.75, 1: 0.25},
        terminal=[4],
        discount=discount,
        features=features,
    )


PATHS = [
    [(0, 0), (1, 0), (3, 0), (4, None)],
    [(0, 1), (2, 1), (4, None)],
    [(1, 1), (4, None)],
    [(0, 0), (2, 0), (3, 0), (4, None)],
]


def every_path(mdp: revealed.Mdp, horizon: int, starts: dict[int, float]) -> list[tuple[list[int], list[int], float]]:
    """States, rows of the transitions, and p0 times the probabilities, of every path of at most so many states."""
    source, _, target, p = mdp.transitions
    found = [([state], list[int](), p0) for state, p0 in starts.items()]
    grown = found
    for _ in range(horizon - 1):
        grown = [
            ([*states, int(target[row])], [*steps, int(row)], weight * p[row])
            for states, steps, weight in grown
            for row in np.flatnonzero(source == states[-1])
        ]
        found = found + grown
    return found


def log_partition(mdp: revealed.Mdp, state: Any, along: Any, horizon: int, ends: str, to: int | None = None) -> float:
    terminal = set(mdp.terminal.tolist())
    total = 0.0
    for states, steps, weight in every_path(mdp, horizon, {0: 0.75, 1: 0.25}):
        last = states[-1]
        allowed = {
            "anywhere": True,
            "terminal": last in terminal,
            "horizon": last in terminal or len(states) == horizon,
        }[ends]
        if allowed and (to is None or last == to):
            power = mdp.discount ** np.arange(len(states))
            reward = (power * state[states]).sum() + (power[:-1] * along[steps]).sum()
            total += weight * np.exp(reward)
    return float(np.log(total))


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize(("ends", "to"), [("anywhere", None), ("terminal", None), ("horizon", None), ("anywhere", 3)])
def test_log_partition_is_the_sum_over_every_path(discount: float, ends: str, to: int | None) -> None:
    mdp = slippery(discount)
    random = np.random.default_rng(1)
    state, along = random.normal(size=5), random.normal(size=11)
    function = revealed.LogPartition(mdp, horizon=6, ends=ends, to=to, transitions=True)
    value, of_state, of_transition = function.value_and_grad(state, along)
    assert value == function(state, along)
    assert value == pytest.approx(log_partition(mdp, state, along, 6, ends, to), abs=1e-12)
    for gradient, which in ((of_state, 0), (of_transition, 1)):
        for k in range(len(gradient)):
            moved = []
            for step in (1e-5, -1e-5):
                rewards = [state.copy(), along.copy()]
                rewards[which][k] += step
                moved.append(log_partition(mdp, *rewards, 6, ends, to))
            assert gradient[k] == pytest.approx((moved[0] - moved[1]) / 2e-5, abs=1e-8)
    # Without rewards of transitions.
    alone = revealed.LogPartition(mdp, horizon=6, ends=ends, to=to)
    assert alone(state) == pytest.approx(log_partition(mdp, state, np.zeros(11), 6, ends, to), abs=1e-12)
    with pytest.raises(ValueError, match="transitions=True"):
        alone(state, along)


def test_likelihood_is_made_of_the_partition() -> None:
    mdp = slippery(0.9)
    theta = np.array([0.3, -0.2, 0.5])
    likelihood = revealed.LogLikelihood(mdp, PATHS, ends="terminal", horizon=6)
    value, gradient = likelihood.value_and_grad(theta)
    assert value == -likelihood(theta) and np.array_equal(gradient, -likelihood.gradient(theta))
    rewards = mdp.reward(theta), mdp.transition_reward(theta)
    partition = revealed.LogPartition(mdp, horizon=6, ends="terminal", transitions=True)
    assert likelihood.log_partition(theta) == pytest.approx(partition(*rewards), abs=1e-12)
    raw = revealed.RewardLikelihood(mdp, PATHS, ends="terminal", horizon=6, transitions=True)
    negative, of_state, of_transition = raw.value_and_grad(*rewards)
    assert negative == pytest.approx(value, abs=1e-12)
    # The chain rule: R = phi theta.
    phi = [
        np.column_stack([mdp.reward(unit) for unit in np.eye(3)]),
        np.column_stack([mdp.transition_reward(unit) for unit in np.eye(3)]),
    ]
    assert of_state @ phi[0] + of_transition @ phi[1] == pytest.approx(gradient, abs=1e-12)


@pytest.mark.parametrize("ends", ["anywhere", "terminal", "goal"])
def test_gradients_are_those_of_the_values(ends: str) -> None:
    likelihood = revealed.LogLikelihood(slippery(0.9), PATHS, ends=ends, horizon=7)
    for seed in range(5):
        theta = np.random.default_rng(seed).normal(size=3)
        off = check_grad(lambda x: likelihood.value_and_grad(x)[0], lambda x: likelihood.value_and_grad(x)[1], theta)
        assert off < 1e-6


def test_scipy_reaches_the_same_optimum() -> None:
    mdp = slippery(0.9)
    irl = revealed.MaxEntIRL(ends="terminal", horizon=6, l2=0.1).fit(mdp, PATHS)
    likelihood = revealed.LogLikelihood(mdp, PATHS, ends="terminal", horizon=6)

    def objective(theta: Any) -> tuple[float, Any]:
        value, gradient = likelihood.value_and_grad(theta)
        return value + 0.05 * float(theta @ theta), gradient + 0.1 * theta

    found = minimize(objective, np.zeros(3), jac=True, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-9})
    assert irl.converged_ and np.abs(found.x - irl.theta_).max() < 1e-5
    assert -found.fun == pytest.approx(irl.log_likelihood_ - 0.05 * irl.theta_ @ irl.theta_, abs=1e-9)


def test_values_are_the_weights_of_what_follows() -> None:
    mdp = slippery(0.9)
    irl = revealed.MaxEntIRL(ends="terminal", horizon=6, l2=0.1).fit(mdp, PATHS)
    for state in range(5):
        alone = revealed.LogPartition(mdp, horizon=6, ends="terminal", start=state, transitions=True)
        rewards = mdp.reward(irl.theta_), mdp.transition_reward(irl.theta_)
        assert irl.value()[state] == pytest.approx(alone(*rewards), abs=1e-12)
    assert irl.value(to=4) == pytest.approx(irl.value(), abs=1e-12)
    path = irl.predict_path(0, 4)
    # The probability of the best path, given its ends, by its definition.
    every = irl.predict_path(0, 4, k=1000)
    total = np.exp([one.log_weight for one in every]).sum()
    assert np.exp(path.log_weight - irl.value(to=4)[0]) == pytest.approx(np.exp(path.log_weight) / total, abs=1e-12)
