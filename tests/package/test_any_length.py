"""Paths of any length: every question against a dense inverse in 50 digits, and one value however it is asked for."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import revealed

DIGITS = 50
PROBLEMS = 120


def world(seed: int) -> tuple[revealed.Mdp, Any]:
    """A random world with chance, whose loops cost enough, and the reward of its states."""
    random = np.random.default_rng(seed)
    n, actions = int(random.integers(2, 6)), int(random.integers(1, 4))
    rows = []
    for state in range(n - 1):
        for action in range(actions):
            targets = random.choice(n, size=int(random.integers(1, min(n, 3) + 1)), replace=False)
            for target, p in zip(targets, random.dirichlet(np.ones(len(targets)))):
                rows.append((state, action, int(target), p))
    source, action, target, p = (list(column) for column in zip(*rows))
    start = random.dirichlet(np.ones(n))
    mdp = revealed.Mdp(n, actions, transitions=(source, action, target, p), start=start, terminal=[n - 1])
    # The steps out of a state weigh at most 0.9 together.
    return mdp, random.normal(size=n) - 4.5


class Dense:
    """The sums over all paths, by definition: G = (I - W)^-1."""

    def __init__(self, mdp: revealed.Mdp, reward: Any, ends: str, to: int | None) -> None:
        n = mdp.n_states
        self.reward = [mpmath.mpf(float(r)) for r in reward]
        self.w = mpmath.matrix(n, n)
        for source, _, target, p in zip(*mdp.transitions):
            self.w[int(source), int(target)] += mpmath.mpf(float(p)) * mpmath.exp(self.reward[int(target)])
        self.g = (mpmath.eye(n) - self.w) ** -1
        terminal = set(mdp.terminal.tolist())
        allowed = [to in (None, s) and (ends in ("anywhere", "goal") or s in terminal) for s in range(n)]
        self.stop = mpmath.matrix([mpmath.mpf(int(ok)) for ok in allowed])
        self.b = self.g * self.stop
        # Given the first state if paths go to a goal; otherwise from the start of the world.
        self.first = [mpmath.mpf(float(p)) * mpmath.exp(r) for p, r in zip(mdp.start, self.reward)]
        if ends == "goal":
            able = [p if self.b[s] > 0 else mpmath.mpf(0) for s, p in enumerate(map(mpmath.mpf, map(float, mdp.start)))]
            self.first = [p / sum(able) / self.b[s] if self.b[s] > 0 else p for s, p in enumerate(able)]
        self.z = sum(self.first[s] * self.b[s] for s in range(n))
        self.n = n

    def visits(self) -> list[float]:
        arriving = mpmath.matrix([self.first]) * self.g
        return [float(arriving[s] * self.b[s] / self.z) for s in range(self.n)]

    def mean_length(self) -> float:
        return sum(self.visits())

    def values(self) -> list[float]:
        return [float(self.reward[s] + mpmath.log(self.b[s])) if self.b[s] > 0 else -np.inf for s in range(self.n)]


@pytest.mark.parametrize("ends", ["anywhere", "terminal", "goal"])
def test_every_question_equals_a_dense_inverse(ends: str) -> None:
    mpmath.mp.dps = DIGITS
    for seed in range(PROBLEMS):
        mdp, reward = world(seed)
        to = int(mdp.terminal[0]) if ends == "goal" else None
        exact = Dense(mdp, reward, ends, to)
        if exact.z == 0:
            continue
        model = revealed.MaxEntIRL.from_theta(mdp.with_features(None), reward, horizon="any", ends=ends)
        close = {"rtol": 1e-10, "atol": 1e-12}
        np.testing.assert_allclose(model.marginals(to=to), exact.visits(), **close)
        np.testing.assert_allclose(model.value(to=to), exact.values(), **close)
        mean, deviation = model.mean_length(to=to)
        np.testing.assert_allclose(mean, exact.mean_length(), **close)
        listed = model.lengths(to=to)
        lengths = np.arange(len(listed))
        assert abs(listed.sum() - 1) < 2e-12 and abs(lengths @ listed - mean) < 1e-8
        np.testing.assert_allclose(np.sqrt(((lengths - mean) ** 2) @ listed), deviation, rtol=1e-6, atol=1e-6)
        if ends != "goal":
            partition = revealed.LogPartition(mdp, horizon="any", ends=ends)
            value, by_state, _ = partition.value_and_grad(reward)
            np.testing.assert_allclose(value, float(mpmath.log(exact.z)), **close)
            np.testing.assert_allclose(by_state, exact.visits(), **close)


@pytest.mark.parametrize("ends", ["anywhere", "terminal", "goal"])
def test_one_probability_has_one_value(ends: str) -> None:
    for seed in range(25):
        mdp, reward = world(seed)
        to = int(mdp.terminal[0]) if ends == "goal" else None
        model = revealed.MaxEntIRL.from_theta(mdp.with_features(None), reward, horizon="any", ends=ends)
        try:
            drawn = model.sample(400, seed=seed, to=to)
        except ValueError:
            continue
        one = drawn[:1]
        log_p = model.score_samples(one)[0]
        loss = revealed.RewardLikelihood(mdp, one, ends=ends, horizon="any").value_and_grad(reward)[0]
        likelihood = revealed.LogLikelihood(mdp.with_features(None), one, ends=ends, horizon="any")(reward)
        np.testing.assert_allclose([-loss, likelihood], log_p, rtol=1e-10, atol=1e-12)
        same = [path == one[0] for path in drawn]
        p = float(np.exp(log_p))
        if ends != "goal":
            # The first draw is that path by choice.
            assert abs(np.mean(same[1:]) - p) < 6 * np.sqrt(p * (1 - p) / 399) + 1e-9
        mean, deviation = model.mean_length(to=to)
        assert abs(np.mean([len(path) for path in drawn]) - mean) < 6 * deviation / np.sqrt(400) + 1e-9


def test_a_fit_finds_the_reward_that_made_the_paths() -> None:
    mdp, _ = world(3)
    reward = np.linspace(-4.0, -5.0, mdp.n_states)
    model = revealed.MaxEntIRL.from_theta(mdp.with_features(None), reward, horizon="any", ends="terminal")
    paths = model.sample(4000, seed=1)
    fit = revealed.MaxEntIRL(horizon="any", ends="terminal", l2=1e-9).fit(mdp.with_features(None), paths)
    assert fit.horizon_ == "any" and fit.converged_
    assert fit.log_likelihood_ >= np.mean(model.score_samples(paths)) - 1e-9
    assert abs(fit.mean_length()[0] - np.mean([len(path) for path in paths])) < 1e-4


def test_files_keep_any(tmp_path: Any) -> None:
    mdp, reward = world(5)
    model = revealed.MaxEntIRL.from_theta(mdp.with_features(None), reward, horizon="any", ends="terminal")
    model.save(tmp_path / "model.json")
    again = revealed.MaxEntIRL.load(tmp_path / "model.json", mdp.with_features(None))
    assert again.horizon_ == "any"
    np.testing.assert_array_equal(again.value(), model.value())


def test_what_cannot_be_is_named() -> None:
    mdp, reward = world(7)
    with pytest.raises(ValueError, match="pays for itself"):
        revealed.MaxEntIRL.from_theta(mdp.with_features(None), reward + 50, horizon="any").sample(1)
    with pytest.raises(ValueError, match="horizon is 'some': it must be a whole number or 'any'"):
        revealed.MaxEntIRL.from_theta(mdp.with_features(None), reward, horizon="some")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="discount"):
        revealed.MaxEntIRL.from_theta(mdp.with_discount(0.9).with_features(None), reward, horizon="any")
    with pytest.raises(ValueError, match="ends = horizon"):
        revealed.MaxEntIRL.from_theta(mdp.with_features(None), reward, horizon="any", ends="horizon")
    with pytest.raises(ValueError, match="inference ziebart2008: its recursion needs a number of states"):
        paths = revealed.MaxEntIRL.from_theta(mdp.with_features(None), reward, horizon="any", ends="terminal").sample(5)
        revealed.MaxEntIRL(inference="ziebart2008", horizon="any").fit(mdp.with_features(None), paths)
