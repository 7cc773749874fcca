"""Causal models: every question against the soft Bellman recursion, and one value however it is asked for."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import revealed
from binary import Revealed

WORLDS = 25
Horizon = Any


def world(seed: int, discount: float = 1.0) -> tuple[revealed.Mdp, Any]:
    """A random world with chance and a terminal state that every action may lead to, and a reward of its states."""
    random = np.random.default_rng(seed)
    n, actions = int(random.integers(2, 6)), int(random.integers(1, 4))
    rows = []
    for state in range(n - 1):
        for action in range(actions):
            targets = np.union1d(random.choice(n, size=int(random.integers(1, min(n, 3) + 1)), replace=False), [n - 1])
            for target, p in zip(targets, random.dirichlet(np.ones(len(targets)))):
                rows.append((state, action, int(target), p))
    columns = tuple(list(column) for column in zip(*rows))
    start = random.dirichlet(np.ones(n))
    mdp = revealed.Mdp(n, actions, transitions=columns, start=start, terminal=[n - 1], discount=discount)
    return mdp.with_features(None), random.normal(size=n) - 1.0


class Recursion:
    """The model by definition. Without a horizon it is the recursion of 3000 steps."""

    def __init__(self, mdp: revealed.Mdp, reward: Any, horizon: Horizon) -> None:
        n, self.steps = mdp.n_states, 3000 if horizon == "any" else horizon
        self.mdp, self.stationary = mdp, horizon == "any"
        self.chance = np.zeros((n, mdp.n_actions, n))
        for source, action, target, p in zip(*mdp.transitions):
            self.chance[source, action, target] = p
        offered = self.chance.sum(axis=2) > 0
        self.terminal = ~offered.any(axis=1)
        self.values, self.policies = [np.array(reward, dtype=float)], []
        for _ in range(1, self.steps):
            q = np.where(offered, mdp.discount * self.chance @ self.values[0], -np.inf)
            w = np.zeros(n)
            w[~self.terminal] = np.logaddexp.reduce(q[~self.terminal], axis=1)
            self.values.insert(0, reward + w)
            self.policies.insert(0, np.where(offered, np.exp(q - w[:, None]), 0.0))

    def policy(self, t: int) -> Any:
        return self.policies[0 if self.stationary else t - 1]

    def visits(self, start: Any, t: int = 1) -> list[Any]:
        """p_t, p_(t+1), ... of an episode that begins at t."""
        visits = [np.asarray(start, dtype=float)]
        for at in range(t, self.steps):
            visits.append(np.einsum("s,sa,sax->x", visits[-1], self.policy(at), self.chance))
        return visits

    def endings(self, start: Any, t: int = 1) -> Any:
        visits = self.visits(start, t)
        return np.where(self.terminal, sum(visits), visits[-1])

    def log_probability(self, path: Any) -> float:
        states, actions = [s for s, _ in path], [a for _, a in path[:-1]]
        log_p = np.log(self.mdp.start[states[0]])
        for t, (source, action, target) in enumerate(zip(states, actions, states[1:]), start=1):
            log_p += np.log(self.policy(t)[source, action]) + np.log(self.chance[source, action, target])
        return float(log_p)


@pytest.mark.parametrize(("horizon", "discount"), [(4, 1.0), (7, 0.9), ("any", 1.0), ("any", 0.9)])
def test_every_question_equals_the_recursion(horizon: Horizon, discount: float) -> None:
    for seed in range(WORLDS):
        mdp, reward = world(seed, discount)
        exact = Recursion(mdp, reward, horizon)
        model = revealed.MaxEntIRL.from_theta(mdp, reward, horizon=horizon, chance="fixed")
        close = {"rtol": 1e-8, "atol": 1e-10}
        np.testing.assert_allclose(model.value(), exact.values[0], **close)
        visits = exact.visits(mdp.start)
        reached = [visits[t] > 0 for t in range(3)]
        for t in (1, 2, 3):
            np.testing.assert_allclose(model.marginals(t), visits[t - 1], **close)
            rows = reached[t - 1]
            np.testing.assert_allclose(model.policy(t)[rows], exact.policy(t)[rows], **close)
        discounted = sum(discount**k * at for k, at in enumerate(visits))
        np.testing.assert_allclose(model.marginals(), discounted, **close)
        np.testing.assert_allclose(model.mean_length()[0], sum(at.sum() for at in visits), **close)
        lengths = model.lengths()
        assert abs(lengths.sum() - 1) < 1e-10
        np.testing.assert_allclose(lengths[2], exact_length(exact, visits, 2), **close)
        first = int(np.flatnonzero(~exact.terminal)[0])
        one_hot = np.eye(mdp.n_states)[first]
        np.testing.assert_allclose(model.predict_destination([(first, None)]), exact.endings(one_hot), **close)
        np.testing.assert_allclose(model.marginals(2, start=first), exact.visits(one_hot)[1], **close)
        end = int(np.flatnonzero(exact.terminal)[0])
        # Bayes: the second state of an episode that ends there.
        then = np.array([exact.endings(row, 2)[end] for row in np.eye(mdp.n_states)])
        given = exact.visits(one_hot)[1] * then / exact.endings(one_hot)[end]
        np.testing.assert_allclose(model.marginals(2, start=first, to=end), given, **close)


def exact_length(exact: Recursion, visits: list[Any], length: int) -> float:
    """The probability of so many states."""
    ends = visits[length - 1] if length == exact.steps else np.where(exact.terminal, visits[length - 1], 0.0)
    return float(ends.sum())


@pytest.mark.parametrize(("horizon", "discount"), [(4, 1.0), ("any", 1.0), ("any", 0.9)])
def test_one_probability_has_one_value(horizon: Horizon, discount: float, command: Revealed, tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    for seed in range(6):
        mdp, reward = world(seed, discount)
        exact = Recursion(mdp, reward, horizon)
        model = revealed.MaxEntIRL.from_theta(mdp, reward, horizon=horizon, chance="fixed")
        drawn = model.sample(2000, seed=seed)
        one = drawn[:1]
        log_p = exact.log_probability(one[0])
        files = tmp_path / f"{seed}.json", tmp_path / f"{seed}-model.json", tmp_path / f"{seed}.jsonl"
        for part, file in zip((mdp, model, one), files):
            part.save(file)
        problem, saved, demos = files
        settings: dict[str, Any] = {"inference": "causal", "horizon": horizon}
        # Only here: other tests of this process compute in single precision.
        with jax.enable_x64(True):
            of_jax = -float(revealed.jax.maxent_loss(mdp, one, **settings)(jax.numpy.asarray(reward)))
        found = [
            of_jax,
            model.score_samples(one)[0],
            model.score(one),
            revealed.LogLikelihood(mdp, one, **settings)(reward),
            -revealed.RewardLikelihood(mdp, one, **settings).value_and_grad(reward)[0],
            command("score", problem, saved, demos)["log_likelihood"],
            command("likelihood", problem, demos, "--model", saved)["log_likelihood"],
        ]
        np.testing.assert_allclose(found, log_p, rtol=1e-9, atol=1e-9)
        parts = model.score_parts(one)
        assert parts["luck"][0] == pytest.approx(0.0, abs=1e-9)
        best = model.predict_path(one[0][0][0], k=3)
        for path in best:
            given = exact.log_probability(path.pairs()) - np.log(mdp.start[path.states[0]])
            assert path.log_weight == pytest.approx(given, abs=1e-9)
        with pytest.raises(ValueError, match="ask predict_path for one pair"):
            model.predict_paths([0], [0])
        p, same = np.exp(log_p), [path == one[0] for path in drawn]
        # The first draw is that path by choice.
        assert abs(np.mean(same[1:]) - p) < 6 * np.sqrt(p * (1 - p) / 1999) + 1e-9
        mean, deviation = model.mean_length()
        assert abs(np.mean([len(path) for path in drawn]) - mean) < 6 * deviation / np.sqrt(2000) + 1e-9


@pytest.mark.parametrize("inference", ["causal", "causal-dual"])
@pytest.mark.parametrize(("horizon", "discount"), [(5, 1.0), ("any", 0.95)])
def test_a_fit_is_an_optimum_and_finds_the_reward(inference: Any, horizon: Horizon, discount: float) -> None:
    # Two states with three actions each, and the end.
    rows = [(0, 0, 1, 0.8), (0, 0, 2, 0.2), (0, 1, 2, 1.0), (0, 2, 0, 0.6), (0, 2, 1, 0.4), (1, 0, 0, 1.0), (1, 1, 2, 1.0)]
    columns = tuple(list(column) for column in zip(*rows))
    mdp = revealed.Mdp(3, 3, transitions=columns, start=0, terminal=[2], discount=discount)
    features = np.linspace(0.0, 1.0, mdp.n_states)[:, None] ** [1, 2]
    mdp = mdp.with_features(features)
    theta = np.array([-1.5, 0.8])
    paths = revealed.MaxEntIRL.from_theta(mdp, theta, horizon=horizon, chance="fixed").sample(4000, seed=1)
    fit = revealed.MaxEntIRL(inference=inference, horizon=horizon, l2=1e-9).fit(mdp, paths)
    assert (fit.converged_, fit.chance_, fit.horizon_) == (True, "fixed", horizon)
    likelihood = revealed.LogLikelihood(mdp, paths, inference=inference, horizon=horizon)
    np.testing.assert_allclose(likelihood.gradient(fit.theta_), 0.0, atol=1e-5)
    assert fit.log_likelihood_ == pytest.approx(likelihood(fit.theta_), abs=1e-10)
    if inference == "causal":
        assert fit.log_likelihood_ >= likelihood(theta)
        assert fit.score(paths) == pytest.approx(fit.log_likelihood_, abs=1e-9)


def test_gradients_are_those_of_the_objective() -> None:
    for seed in range(10):
        mdp, reward = world(seed, 0.9)
        paths = revealed.MaxEntIRL.from_theta(mdp, reward, horizon="any", chance="fixed").sample(20, seed=1)
        for inference in ("causal", "causal-dual"):
            for horizon in ("any", max(map(len, paths)) + 2):
                likelihood = revealed.RewardLikelihood(mdp, paths, inference=inference, horizon=horizon, transitions=True)
                along = np.random.default_rng(seed).normal(size=mdp.n_transitions)
                _, *gradients = likelihood.value_and_grad(reward, along)
                both = np.concatenate([reward, along])

                def of(rewards: Any, likelihood: Any = likelihood, n: int = len(reward)) -> float:
                    return float(likelihood.value_and_grad(rewards[:n], rewards[n:])[0])

                slopes = [(of(both + step) - of(both - step)) / 2e-5 for step in 1e-5 * np.eye(len(both))]
                np.testing.assert_allclose(np.concatenate(gradients), slopes, rtol=1e-5, atol=1e-7)


def test_the_recursive_logit_is_the_exact_model_of_paths_to_a_goal() -> None:
    mdp, reward = world(5)
    reward = reward - 4.0
    paths = revealed.MaxEntIRL.from_theta(mdp, reward, horizon="any", ends="terminal").sample(20, seed=1)
    logit = revealed.RewardLikelihood(mdp, paths, inference="recursive-logit")
    exact = revealed.RewardLikelihood(mdp, paths, ends="goal", horizon="any")
    assert (logit.ends, logit.horizon) == ("goal", "any")
    for mine, theirs in zip(logit.value_and_grad(reward), exact.value_and_grad(reward)):
        np.testing.assert_array_equal(mine, theirs)
    with pytest.raises(ValueError, match="its paths have any length"):
        revealed.RewardLikelihood(mdp, paths, inference="recursive-logit", horizon=5)
    with pytest.raises(ValueError, match='inference is "ziebart2008": it must be one of exact, causal, causal-dual'):
        revealed.RewardLikelihood(mdp, paths, inference="ziebart2008")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="inference is 3"):
        revealed.LogLikelihood(mdp, paths, inference=3)  # type: ignore[arg-type]


def test_episodes_that_never_end() -> None:
    ring = ([0, 0, 1, 1, 2, 2], [0, 1] * 3, [0, 1, 1, 2, 2, 0], [1.0] * 6)
    mdp = revealed.Mdp(3, 2, transitions=ring, start=0, discount=0.9).with_features(np.array([[0.0], [0.0], [1.0]]))
    model = revealed.MaxEntIRL.from_theta(mdp, [1.0], horizon="any", chance="fixed")
    with pytest.raises(ValueError, match="go on for ever"):
        model.sample(1)
    with pytest.raises(ValueError, match="states is 0"):
        model.sample(1, states=0)
    parts = model.sample(300, seed=1, states=40)
    assert {len(path) for path in parts} == {40}
    fit = revealed.MaxEntIRL(inference="causal", horizon="any").fit(mdp, parts)
    assert abs(fit.theta_[0] - 1.0) < 0.1
    assert fit.marginals().sum() == pytest.approx(10.0)
    # Without a horizon, the policy is the same at every time.
    np.testing.assert_array_equal(fit.policy(1), fit.policy(50))


def test_other_paths_of_the_same_reward(tmp_path: Path) -> None:
    mdp, reward = world(2)
    model = revealed.MaxEntIRL.from_theta(mdp, reward, horizon=4, chance="fixed")
    assert (model.ends_, model.inference_, model.chance_) == ("horizon", "causal", "fixed")
    longer = model.with_paths(horizon="any", ends="terminal")
    exact = Recursion(mdp, reward, "any")
    np.testing.assert_allclose(longer.value(), exact.values[0], rtol=1e-9)
    longer.save(tmp_path / "model.json")
    record = json.loads((tmp_path / "model.json").read_text())
    assert (record["chance"], record["horizon"], record["ends"]) == ("fixed", "any", "terminal")
    again = revealed.MaxEntIRL.load(tmp_path / "model.json", mdp)
    np.testing.assert_array_equal(again.value(), longer.value())
    # The last version did not say, and learned by the dual.
    del record["chance"]
    (tmp_path / "old.json").write_text(json.dumps(record))
    old = revealed.MaxEntIRL.load(tmp_path / "old.json", mdp)
    assert (old.chance_, old.inference_) == ("fixed", "causal-dual")
    np.testing.assert_array_equal(old.value(), longer.value())
    with pytest.raises(ValueError, match="chance is 'luck': it must be 'tilted' or 'fixed'"):
        revealed.MaxEntIRL.from_theta(mdp, reward, horizon=4, chance="luck")  # type: ignore[arg-type]


def test_a_model_of_paths_warns_of_luck() -> None:
    lake = revealed.worlds.frozen_lake("4x4", discount=0.99)
    paths = lake.rollouts(lake.plan().policy, 50, seed=1)
    with pytest.warns(revealed.LuckWarning, match=r"of the \d+\.\d+ by which .* is luck") as caught:
        irl = revealed.MaxEntIRL(bounds=(-10, 10)).fit(lake, paths)
    assert issubclass(revealed.LuckWarning, UserWarning) and "inference causal" in str(caught[0].message)
    luck = irl._record["luck"]
    assert f"{luck['luck']:.4f} is luck" in str(caught[0].message)
    # How much likelier the outcomes became by learning.
    nothing = revealed.MaxEntIRL.from_theta(lake, np.zeros(16), horizon=irl.horizon_)
    before, after = (np.mean(model.score_parts(paths)["outcomes"]) for model in (nothing, irl))
    assert luck["luck"] == pytest.approx(after - before, abs=1e-9)
    explained = irl.score(paths) - nothing.score(paths)
    assert luck["explained"] == pytest.approx(explained, abs=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error", revealed.LuckWarning)
        revealed.MaxEntIRL(inference="causal", bounds=(-10, 10)).fit(lake, paths)
        # A reward that is held near 0 makes hardly any outcome likelier.
        revealed.MaxEntIRL(bounds=(-1e-5, 1e-5)).fit(lake, paths)
        firm = revealed.worlds.frozen_lake("4x4", slippery=False, discount=0.99)
        revealed.MaxEntIRL(bounds=(-10, 10)).fit(firm, firm.rollouts(firm.plan().policy, 5, seed=1))


def test_standard_errors_of_a_fit(tmp_path: Path) -> None:
    mdp = revealed.Mdp(3, 2, transitions=([0, 0], [0, 1], [1, 2], [1.0, 1.0]), start=0, terminal=[1, 2])
    mdp = mdp.with_features(np.array([[0.0], [1.0], [0.0]]))
    paths = [[(0, 0), (1, None)]] * 3 + [[(0, 1), (2, None)]]
    irl = revealed.MaxEntIRL(ends="terminal", standard_errors=True).fit(mdp, paths)
    # A coin of 3 to 1, thrown four times.
    assert irl.summary_.standard_errors[0] == pytest.approx(1 / np.sqrt(4 * 3 / 16), rel=1e-6)
    np.testing.assert_array_equal(irl.summary_.standard_errors, irl.summary(paths).standard_errors)
    irl.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["summary"]["standard_errors"] == list(irl.summary_.standard_errors)
    assert not hasattr(irl.set_params(standard_errors=False).fit(mdp, paths), "summary_")
