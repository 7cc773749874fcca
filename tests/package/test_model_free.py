"""Learning from rollouts: against the exact engine, against planted weights, and what is refused."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
import revealed
from numpy.typing import NDArray
from scipy import special, stats

BOX = gymnasium.spaces.Box(-2.0, 2.0, shape=(1,))
PLANTED = np.array([-4.0, -0.4, -0.5])
NEARLY_UP = {"x_init": 0.5, "y_init": 1.0}


def cost(observation: Any, action: Any, _: Any) -> dict[str, float]:
    return {
        "angle": np.arctan2(observation[1], observation[0]) ** 2,
        "speed": observation[2] ** 2,
        "torque": action[0] ** 2,
    }


def steer(observation: Any) -> Any:
    return -4.0 * observation[1]


def pendulum() -> Any:
    return gymnasium.make("Pendulum-v1")


def swings(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pendulum's ten steps from nearly up, under a noisy controller, many at once: features and log-densities."""
    angle, speed = rng.uniform(-0.5, 0.5, n), rng.uniform(-1.0, 1.0, n)
    phi, log = np.zeros((n, 3)), np.zeros(n)
    for _ in range(10):
        mean = np.clip(-4.0 * np.sin(angle), -2.0, 2.0)
        below, above = special.ndtr(-2.0 - mean), special.ndtr(2.0 - mean)
        torque = np.clip(mean + special.ndtri(below + (above - below) * rng.random(n)), -2.0, 2.0)
        log += stats.norm.logpdf(torque - mean) - np.log(above - below)
        around = (angle + np.pi) % (2.0 * np.pi) - np.pi
        phi += np.stack([around**2, speed**2, torque**2], axis=1)
        speed = np.clip(speed + 0.05 * (15.0 * np.sin(angle) + 3.0 * torque), -8.0, 8.0)
        angle = angle + 0.05 * speed
    return phi, log


@pytest.fixture(scope="module")
def pool() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """So many swings, and their weights under the planted model, that what is drawn from them is drawn from the model."""
    phi, log = swings(300_000, np.random.default_rng(0))
    weights = np.exp(phi @ PLANTED - log - np.max(phi @ PLANTED - log))
    assert weights.sum() ** 2 / (weights @ weights) > 10_000
    return phi, weights / weights.sum()


def test_the_gaussian_is_that_of_scipy() -> None:
    rng = np.random.default_rng(1)
    policy = revealed.GaussianPolicy(lambda observation: observation, [0.5, 2.0], space=gymnasium.spaces.Box(-1.0, 1.5, (2,)))
    for mean in ([0.2, -0.9], [7.0, -3.0]):
        inside = np.clip(mean, -1.0, 1.5)
        std = np.array([0.5, 2.0])
        truth = stats.truncnorm((-1.0 - inside) / std, (1.5 - inside) / std, loc=inside, scale=std)
        drawn = np.array([policy.sample(np.array(mean), rng) for _ in range(2000)])
        for k in range(2):
            assert stats.kstest(drawn[:, k], lambda x, k=k, truth=truth: truth.cdf(np.array([x, x]).T)[:, k]).pvalue > 1e-3
        logs = [policy.log_prob(np.array(mean), action) for action in drawn[:50]]
        np.testing.assert_allclose(logs, truth.logpdf(drawn[:50]).sum(axis=1), rtol=1e-10)
    assert policy.log_prob(np.zeros(2), np.array([0.0, 1.6])) == -np.inf
    free = revealed.GaussianPolicy([1.0, 2.0], 3.0)
    action = free.sample(None, rng)
    assert np.isclose(free.log_prob(None, action), stats.norm.logpdf(action, [1.0, 2.0], 3.0).sum())


def test_uniform_policies() -> None:
    rng = np.random.default_rng(1)
    discrete = revealed.UniformPolicy(gymnasium.spaces.Discrete(3, start=5))
    assert {discrete.sample(None, rng) for _ in range(50)} == {5, 6, 7}
    assert discrete.log_prob(None, 6) == -np.log(3) and discrete.log_prob(None, 8) == -np.inf
    box = revealed.UniformPolicy(gymnasium.spaces.Box(np.array([0.0, -1.0]), np.array([2.0, 1.0]), dtype=np.float64))
    assert np.isclose(box.log_prob(None, box.sample(None, rng)), -np.log(4.0))
    assert box.log_prob(None, np.array([3.0, 0.0])) == -np.inf
    with pytest.raises(ValueError, match="has no bounds"):
        revealed.UniformPolicy(gymnasium.spaces.Box(-np.inf, np.inf, (1,)))


def right_and_down(state: int, action: int, after: int) -> list[float]:
    return [float(action == 2), 0.5 * (after // 4)]


@pytest.mark.parametrize("ends", ["horizon", "anywhere"])
@pytest.mark.parametrize("slippery", [False, True])
def test_it_estimates_what_the_exact_engine_computes(ends: Any, slippery: bool) -> None:
    lake = gymnasium.make("FrozenLake-v1", is_slippery=slippery)
    mdp = revealed.Mdp.from_gymnasium(lake, discount=0.9, features=revealed.Features(transition=right_and_down))
    theta, uniform = np.array([0.5, -1.0]), revealed.UniformPolicy(lake.action_space)
    rollouts = revealed.Rollouts.sample(lake, uniform, right_and_down, 3000, horizon=8, discount=0.9, ends=ends, seed=3)
    estimate = rollouts.estimate(theta)
    partition = revealed.LogPartition(mdp, horizon=8, ends=ends, transitions=True)
    exact, _, visits = partition.value_and_grad(np.zeros(16), mdp.transition_reward(theta))
    assert abs(estimate.log_partition - exact) < 3.5 * estimate.log_partition_error < 0.5
    source, action, target, _ = mdp.transitions
    features = np.array([right_and_down(*row) for row in zip(source, action, target)])
    assert np.all(np.abs(estimate.expectation - visits @ features) < 3.5 * estimate.standard_errors)

    demonstrations = rollouts.resample(theta, 300, seed=4)
    flat = [[*zip(states.tolist(), acts.tolist()), (states[-1].item(), None)] for states, acts in demonstrations]
    learned = revealed.MaxEntIRL(ends=ends, horizon=8).fit(mdp, flat)
    settings: dict[str, Any] = {"features": right_and_down, "discount": 0.9, "ends": ends, "horizon": 8, "seed": 5}
    irl = revealed.ModelFreeIRL(n_rollouts=3000, **settings).fit(lake, demonstrations)
    # Both see the same demonstrations, so that only sampling keeps them apart.
    assert np.all(np.abs(irl.theta_ - learned.theta_) < 3.5 * irl.sampling_errors_)
    exact_errors = learned.summary(flat).robust_standard_errors
    assert exact_errors is not None
    np.testing.assert_allclose(irl.demonstration_errors_, exact_errors, rtol=0.2)


def test_prefixes_are_discounted_sums_that_share_a_number() -> None:
    env, policy = pendulum(), revealed.GaussianPolicy(steer, 1.0, space=BOX)
    whole = revealed.Rollouts.sample(env, policy, cost, 3, horizon=5, discount=0.5, seed=1)
    parts = revealed.Rollouts.from_paths(whole.paths, policy, cost, discount=0.5, ends="anywhere")
    assert len(parts) == len(whole) == 3 and len(parts.features) == 15 and parts.horizon == 5
    assert whole.paths is not None
    observations, actions = whole.paths[1]
    steps = np.array([list(cost(observations[t], actions[t], None).values()) for t in range(4)])
    np.testing.assert_allclose(parts.features[5:10], [(0.5 ** np.arange(n)) @ steps[:n] for n in range(5)])
    np.testing.assert_array_equal(parts.features[4::5], whole.features)
    np.testing.assert_allclose(parts.log_policy[4::5], whole.log_policy)
    assert parts.rollout.tolist() == [0] * 5 + [1] * 5 + [2] * 5 and parts.names == ["angle", "speed", "torque"]
    again = revealed.Rollouts.sample(env, policy, cost, 3, horizon=5, discount=0.5, seed=1)
    other = revealed.Rollouts.sample(env, policy, cost, 3, horizon=5, discount=0.5, seed=2)
    assert np.array_equal(again.features, whole.features) and not np.array_equal(other.features, whole.features)
    assert {len(taken) for _, taken in parts.resample(PLANTED, 50)} <= {0, 1, 2, 3, 4}


def test_the_environment_is_the_pendulum_of_this_file() -> None:
    policy = revealed.GaussianPolicy(steer, 1.0, space=BOX)
    found = revealed.Rollouts.sample(pendulum(), policy, cost, 1500, horizon=11, reset_options=NEARLY_UP, seed=1)
    phi, log = swings(20_000, np.random.default_rng(1))
    for k in range(3):
        assert stats.ks_2samp(found.features[:, k], phi[:, k]).pvalue > 1e-3
    assert stats.ks_2samp(found.log_policy, log).pvalue > 1e-3


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_planted_weights_are_recovered_within_their_errors(pool: Any, seed: int) -> None:
    phi, weights = pool
    demonstrations = phi[np.random.default_rng(seed).choice(len(phi), 200, p=weights)]
    policy = revealed.GaussianPolicy(steer, 1.0, space=BOX)
    irl = revealed.ModelFreeIRL(features=cost, policy=policy, n_rollouts=1000, horizon=11, reset_options=NEARLY_UP, seed=seed)
    irl.set_params(rounds=1).fit(pendulum(), demonstrations)
    assert irl.converged_ and irl.warnings_ == [] and irl.effective_sample_size_ > 50
    assert np.all(np.abs(irl.theta_ - PLANTED) < 3.0 * irl.standard_errors_)
    # The errors say something: no weight could be 0.
    assert np.all(irl.theta_ + 2.0 * irl.standard_errors_ < 0.0)


def test_intervals_cover_as_often_as_they_say(pool: Any) -> None:
    phi, weights = pool
    rng, thetas, errors, covered = np.random.default_rng(7), [], [], []
    for _ in range(100):
        demonstrations = phi[rng.choice(len(phi), 100, p=weights)]
        irl = revealed.ModelFreeIRL().fit(revealed.Rollouts(*swings(1500, rng)), demonstrations)
        low, high = irl.summary().intervals.T
        thetas.append(irl.theta_)
        errors.append(irl.standard_errors_)
        covered.append((low <= PLANTED) & (high >= PLANTED))
    assert 0.91 <= np.mean(covered) <= 0.985
    np.testing.assert_allclose(np.std(thetas, axis=0), np.mean(errors, axis=0), rtol=0.25)


def test_errors_of_a_coin() -> None:
    # Half of all rollouts have the feature, and three of four demonstrations: H = 3/16, and C = 3/16 / n.
    rollouts = revealed.Rollouts(np.tile([[0.0], [1.0]], (500, 1)), np.zeros(1000))
    demonstrations = np.tile([[1.0], [1.0], [1.0], [0.0]], (25, 1))
    irl = revealed.ModelFreeIRL().fit(rollouts, demonstrations)
    assert np.isclose(irl.theta_[0], np.log(3.0))
    assert np.isclose(irl.demonstration_errors_[0], np.sqrt(16.0 / 3.0 / 99.0))
    heavier = revealed.ModelFreeIRL().fit(rollouts, np.array([[1.0], [0.0]]), sample_weight=[3.0, 1.0])
    assert np.isclose(heavier.theta_[0], np.log(3.0))
    held = revealed.ModelFreeIRL(bounds=(-0.5, 0.5)).fit(rollouts, demonstrations)
    assert held.theta_[0] == 0.5 and held.standard_errors_[0] == 0.0
    twice = revealed.Rollouts(np.tile([[0.0, 0.0], [1.0, 2.0]], (500, 1)), np.zeros(1000))
    assert "not identified" in str(revealed.ModelFreeIRL().fit(twice, demonstrations * [[1.0, 2.0]]).summary())
    single = revealed.ModelFreeIRL(l2=0.1).fit(rollouts, np.array([[0.7]]))
    assert np.isnan(single.standard_errors_[0]) and single.sampling_errors_[0] > 0.0


@pytest.mark.filterwarnings("ignore:the")
def test_a_fit_that_has_no_optimum_says_so() -> None:
    rollouts = revealed.Rollouts(np.random.default_rng(0).random((100, 2)), np.zeros(100))
    irl = revealed.ModelFreeIRL().fit(rollouts, np.array([[2.0, 2.0], [2.5, 2.5]]))
    assert not irl.converged_ and np.isnan(irl.standard_errors_).all()
    assert irl.stopped_because_ in str(irl.summary()) and "worthless" in irl.warnings_[0]


def test_a_poor_sampler_warns_and_rounds_mend_it(pool: Any) -> None:
    phi, weights = pool
    demonstrations = phi[np.random.default_rng(1).choice(len(phi), 200, p=weights)]
    stiff = revealed.GaussianPolicy(lambda observation: -12.0 * observation[1] - 4.0 * observation[2], 0.4, space=BOX)
    irl = revealed.ModelFreeIRL(features=cost, policy=stiff, n_rollouts=600, horizon=11, reset_options=NEARLY_UP)
    with pytest.warns(UserWarning, match="the estimate is worthless"):
        irl.fit(pendulum(), demonstrations)
    poor = irl.effective_sample_size_
    assert poor < 20 and irl.warnings_[0] in str(irl.summary())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        irl.set_params(rounds=3).fit(pendulum(), demonstrations)
    assert irl.effective_sample_size_ > 3 * poor
    assert np.all(np.abs(irl.theta_ - PLANTED) < 3.0 * irl.standard_errors_)


def test_a_mountain_car_that_pumps() -> None:
    hill = gymnasium.make("MountainCarContinuous-v0")

    def pushing(observation: Any, action: Any, after: Any) -> list[float]:
        return [action[0] ** 2, 20 * observation[1] * action[0], float(after[0] >= 0.45)]

    policy = revealed.GaussianPolicy(lambda observation: 20 * observation[1], 0.5, space=hill.action_space)
    drives = revealed.Rollouts.sample(hill, policy, pushing, 100, horizon=26, seed=1)
    uniform = revealed.UniformPolicy(hill.action_space)
    names = ["force", "along", "goal"]
    irl = revealed.ModelFreeIRL(features=pushing, reference=uniform, n_rollouts=500, names=names, l2=1e-3, seed=2)
    with warnings.catch_warnings():
        # In 25 frames nobody gets to the goal.
        warnings.simplefilter("ignore")
        irl.fit(hill, drives.paths)
    assert irl.effective_sample_size_ > 100
    assert irl.theta_[0] < -3 * irl.standard_errors_[0] and irl.theta_[1] > 3 * irl.standard_errors_[1] and irl.theta_[2] == 0.0
    assert [row.split()[0] for row in str(irl.summary()).splitlines()[5:8]] == names


def test_paths_end_where_the_environment_does() -> None:
    hill = gymnasium.make("MountainCarContinuous-v0")
    hill.unwrapped.goal_position = -0.35  # type: ignore[attr-defined]
    push = revealed.GaussianPolicy([1.0], 0.1, space=hill.action_space)
    rollouts = revealed.Rollouts.sample(hill, push, lambda s, a, n: [1.0], 20, horizon=100)
    assert rollouts.length is not None and rollouts.length.max() < 100 and rollouts.paths is not None
    assert all(observations[-1][0] >= -0.35 > observations[-2][0] for observations, _ in rollouts.paths)


def fitted() -> revealed.ModelFreeIRL:
    policy = revealed.GaussianPolicy(steer, 1.0, space=BOX)
    rollouts = revealed.Rollouts.sample(pendulum(), policy, cost, 400, horizon=4, reset_options=NEARLY_UP, seed=1)
    return revealed.ModelFreeIRL(features=cost, l2=0.1).fit(rollouts, rollouts.resample([-0.1, -0.1, -0.5], 50))


@pytest.mark.filterwarnings("ignore:the estimate is worthless")
def test_it_pickles_clones_saves_and_answers(tmp_path: Path) -> None:
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    irl = fitted()
    same = pickle.loads(pickle.dumps(irl))
    assert np.array_equal(same.theta_, irl.theta_) and np.array_equal(same.standard_errors_, irl.standard_errors_)
    copy = clone(irl)
    assert copy.get_params()["l2"] == 0.1 and not hasattr(copy, "theta_")
    with pytest.raises(revealed.NotFittedError, match="not fitted yet"):
        copy.summary()
    irl.save(tmp_path / "model.json")
    loaded = revealed.ModelFreeIRL.load(tmp_path / "model.json", features=cost)
    paths = irl.sample(30, seed=2)
    assert np.array_equal(loaded.theta_, irl.theta_) and loaded.score(paths) == irl.score(paths)
    assert np.array_equal(loaded.sampling_errors_, irl.sampling_errors_) and np.isnan(loaded.standard_errors_).all()
    assert "speed" in str(loaded.summary())
    with pytest.raises(ValueError, match="does not contain rollouts"):
        loaded.sample(3)
    observations, actions = paths[0]
    rewards = [np.dot(irl.theta_, list(cost(observations[t], actions[t], None).values())) for t in range(3)]
    np.testing.assert_allclose(irl.reward(observations, actions), rewards)
    assert np.isclose(irl.weights_.sum(), 1.0) and len(irl.weights_) == 400
    frame = irl.summary(level=0.9).to_frame()
    assert list(frame.index) == ["angle", "speed", "torque"] and (frame["low"] < frame["high"]).all()
    assert "<thead>" in irl.summary()._repr_html_()
    search = GridSearchCV(revealed.ModelFreeIRL(features=cost, rollouts=irl.rollouts_), {"l2": [0.01, 100.0]}, cv=2)
    assert search.fit(paths).best_params_ == {"l2": 0.01}


def test_demonstrations_from_what_people_have() -> None:
    irl = fitted()
    paths = irl.sample(5)
    objects = [SimpleNamespace(obs=observations, acts=actions) for observations, actions in paths]
    assert irl.score(objects) == irl.score(paths) == pytest.approx(irl.score(np.array([p[-1] for p in prefixes(paths)])))
    episodes = [SimpleNamespace(id=at, observations=path[0], actions=path[1], infos={}) for at, path in enumerate(paths)]
    assert irl.score(SimpleNamespace(iterate_episodes=lambda: iter(episodes))) == irl.score(paths)


def test_a_minari_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari")
    pytest.importorskip("h5py")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = minari.DataCollector(gymnasium.make("Pendulum-v1", max_episode_steps=5))
    for seed in range(3):
        env.reset(seed=seed)
        env.action_space.seed(seed)
        while not any(env.step(env.action_space.sample())[2:4]):
            pass
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = env.create_dataset(dataset_id="pendulum/test-v0")
        learned = revealed.ModelFreeIRL(features=cost, n_rollouts=50, l2=1.0).fit(pendulum(), dataset)
    assert learned.horizon_ == 6 and len(learned.theta_) == 3


def prefixes(paths: Any) -> list[NDArray[np.float64]]:
    return [np.cumsum([list(cost(o[t], a[t], None).values()) for t in range(len(a))], axis=0) for o, a in paths]


def test_an_interrupt_leaves_the_estimator_as_it_was() -> None:
    irl = fitted()
    before, calls = irl.theta_.copy(), []

    def interrupted(observation: Any, action: Any, after: Any) -> dict[str, float]:
        calls.append(1)
        if len(calls) > 500:
            raise KeyboardInterrupt
        return cost(observation, action, after)

    irl.set_params(features=interrupted, policy=revealed.UniformPolicy(BOX), n_rollouts=1000)
    with pytest.raises(KeyboardInterrupt):
        irl.fit(pendulum(), irl.sample(10))
    assert np.array_equal(irl.theta_, before)


def test_somebody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    irl, seen = fitted(), []
    irl.set_params(policy=revealed.UniformPolicy(BOX), n_rollouts=50, progress=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        irl.fit(pendulum(), irl.sample(10), callback=lambda step: seen.append(step.iteration))
    assert seen and "rollouts" in capsys.readouterr().err


class Unsaid:
    def sample(self, observation: Any, rng: Any) -> Any:
        return np.zeros(1)


class Impossible(Unsaid):
    def log_prob(self, observation: Any, action: Any) -> float:
        return -np.inf


PATH = np.zeros((4, 3)), np.zeros((3, 1))
ONES = np.ones((4, 3)), np.ones((3, 1))


@pytest.mark.parametrize(
    ("change", "demonstrations", "error", "words"),
    [
        ({"features": None}, [PATH], TypeError, "give a function of"),
        ({"features": lambda s, a, n: 1.0}, [PATH], ValueError, "demonstration 0, step 0: features returned 1.0"),
        ({"features": lambda s, a, n: [[1.0]]}, [PATH], ValueError, "must be a vector"),
        ({"features": lambda s, a, n: ["x"]}, [PATH], ValueError, "must be a vector of numbers"),
        ({"features": lambda s, a, n: [1.0, np.nan]}, [PATH], ValueError, "feature 1 is nan: features must be finite"),
        ({"features": lambda s, a, n: [1.0] * int(1 + n[0])}, [PATH, ONES], ValueError, "demonstration 1, step 0: .* 2 numbers"),
        ({"names": ["a"]}, [PATH], ValueError, "the features are"),
        ({"names": "abc"}, [PATH], TypeError, "names is one string"),
        ({"policy": Unsaid()}, [PATH], TypeError, "without `log_prob`"),
        ({"policy": Impossible()}, [PATH], ValueError, "rollout 0, step 0: policy.log_prob is -inf"),
        ({"policy": [revealed.UniformPolicy(BOX)]}, [PATH], ValueError, "a list of 1, but paths have 3 steps"),
        ({"policy": None}, np.zeros((5, 3)), ValueError, "give horizon=|give policy="),
        ({"ends": "goal"}, [PATH], ValueError, "'horizon' or 'anywhere'"),
        ({"discount": 0.0}, [PATH], ValueError, "discount is 0.0"),
        ({"n_rollouts": 0}, [PATH], ValueError, "n is 0"),
        ({"horizon": 1}, [PATH], ValueError, "horizon is 1"),
        ({"horizon": 300}, [PATH], ValueError, "truncated after 200 steps"),
        ({"rounds": -1}, [PATH], ValueError, "rounds is -1"),
        ({"bounds": [(0, 1)]}, [PATH], ValueError, "bounds"),
        ({}, [], ValueError, "there are no demonstrations"),
        ({}, None, TypeError, "there are no demonstrations"),
        ({}, 3, TypeError, "demonstrations are a int"),
        ({}, "demos", TypeError, "demonstrations are a str"),
        ({}, [(np.zeros((3, 3)), np.zeros((3, 1)))], ValueError, "demonstration 0: 3 observations need 2 actions"),
        ({}, [PATH, (np.zeros((4, 2)), PATH[1])], ValueError, r"demonstration 1: observations of a step have shape \(2,\)"),
        ({}, [(np.zeros((4, 3)), np.zeros(3))], ValueError, "actions of a step have shape"),
        ({}, [(np.full((4, 3), np.nan), np.zeros((3, 1)))], ValueError, "demonstration 0, step 0: observations have"),
        ({}, [5], TypeError, "demonstration 0 is a int"),
        ({"horizon": 4}, np.zeros((5, 2)), ValueError, "the demonstrations have 2 features, but the rollouts 3"),
        ({"horizon": 4}, np.full((5, 3), np.inf), ValueError, "feature 0 is inf"),
        ({"horizon": 4}, np.zeros(3), ValueError, "must be a matrix"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(change: Any, demonstrations: Any, error: Any, words: str) -> None:
    settings: dict[str, Any] = {"features": cost, "policy": revealed.UniformPolicy(BOX), "n_rollouts": 5, **change}
    with pytest.raises(error, match=words):
        revealed.ModelFreeIRL(**settings).fit(pendulum(), demonstrations)


def test_worlds_and_rollouts_that_do_not_fit() -> None:
    irl = revealed.ModelFreeIRL(features=cost)
    with pytest.raises(TypeError, match="without `reset`"):
        irl.fit(object(), [PATH])
    with pytest.raises(ValueError, match="observation_space is Tuple.*must be Box or Discrete"):
        irl.fit(gymnasium.make("Blackjack-v1"), [PATH])
    with pytest.raises(TypeError, match="a vector environment"):
        irl.fit(gymnasium.make_vec("Pendulum-v1", num_envs=2), [PATH])
    with pytest.raises(ValueError, match="a single rollout"):
        revealed.Rollouts(np.zeros((1, 3)), [0.0])
    with pytest.raises(ValueError, match="parts of rollouts"):
        parts = revealed.Rollouts(np.zeros((4, 3)), np.zeros(4), rollout=[0, 0, 1, 1])
        revealed.ModelFreeIRL(ends="horizon").fit(parts, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="must be above 0"):
        revealed.GaussianPolicy([0.0], -1.0)
    with pytest.raises(ValueError, match="matrix"):
        revealed.Rollouts(np.zeros((0, 3)), [])
    with pytest.raises(ValueError, match="summed with discount 0.5"):
        revealed.ModelFreeIRL().fit(revealed.Rollouts(np.zeros((4, 3)), np.zeros(4), discount=0.5), np.zeros((2, 3)))
    rollouts = fitted().rollouts_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        irl.set_params(l2=1.0).fit(rollouts, [PATH, (PATH[0][:3], PATH[1][:2])])
        assert "1 demonstrations are shorter than the horizon of 4 states" in irl.warnings_[-1]
        irl.fit(rollouts, [PATH, (np.zeros((6, 3)), np.zeros((5, 1)))])
        assert "a demonstration has 6 states and no rollout more than 4" in irl.warnings_[-1]
