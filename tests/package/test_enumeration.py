"""Every answer beside a sum over every path: small random worlds, whose paths can be written down one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import revealed
from numpy.typing import NDArray

Floats = NDArray[np.float64]

N_STATES, N_ACTIONS, N_FEATURES, HORIZON = 4, 2, 3, 4
STATES = range(N_STATES)
# 60 worlds, and all ends that they have; those without a terminal state have no path that ends in one.
CASES = [
    (seed, ends) for seed in range(60) for ends in ("anywhere", "horizon", "terminal", "goal") if seed % 3 or ends != "terminal"
]
cases = pytest.mark.parametrize(("seed", "ends"), CASES)


@dataclass(frozen=True, eq=False)
class Way:
    """A path, the logarithm of its probability given its first state, and its discounted features."""

    states: tuple[int, ...]
    actions: tuple[int, ...]
    log_q: float
    phi: Floats

    @property
    def first(self) -> int:
        return self.states[0]

    @property
    def last(self) -> int:
        return self.states[-1]

    @property
    def is_loopless(self) -> bool:
        return len(set(self.states)) == len(self.states)

    def pairs(self, n: int | None = None) -> tuple[list[int], list[int]]:
        """The first n states (all unless given) and the actions between them."""
        n = len(self.states) if n is None else n
        return list(self.states[:n]), list(self.actions[: n - 1])


class World:
    """Random columns, kept beside the `Mdp` that is made of them."""

    def __init__(self, random: np.random.Generator, n_terminal: int, discount: float, everywhere: bool, reference: bool) -> None:
        self.discount = discount
        self.terminal = set(range(N_STATES - n_terminal, N_STATES))
        self.rows: list[tuple[int, int, int, float]] = []
        for state in range(N_STATES - n_terminal):
            for action in [action for action in range(N_ACTIONS) if random.random() < 0.8] or [0]:
                to = random.choice(N_STATES, random.integers(1, 3), replace=False).tolist()
                self.rows += [(state, action, *step) for step in zip(to, random.dirichlet(np.ones(len(to))).tolist())]
        self.rows = [self.rows[row] for row in random.permutation(len(self.rows))]
        self.start = random.dirichlet(np.ones(N_STATES))
        if random.random() < 0.5:
            self.start[0] = 0.0
            self.start /= self.start.sum()
        # Of states; of choices and transitions, too, where there are some `everywhere`.
        self.state = random.normal(size=(N_STATES, N_FEATURES))
        self.choice = random.normal(size=(N_STATES, N_ACTIONS, N_FEATURES)) * everywhere
        self.along = random.normal(size=(len(self.rows), N_FEATURES)) * everywhere
        self.reference = self._reference(random) if reference else np.ones((N_STATES, N_ACTIONS))
        self.mdp = revealed.Mdp(
            N_STATES,
            N_ACTIONS,
            transitions=tuple(zip(*self.rows)),
            start=self.start,
            terminal=self.terminal,
            discount=discount,
            features=revealed.Features(
                state=self.state,
                state_action=self.choice if everywhere else None,
                transition=self.along if everywhere else None,
            ),
            reference=self.reference if reference else None,
        )

    def _reference(self, random: np.random.Generator) -> Floats:
        policy = np.zeros((N_STATES, N_ACTIONS))
        for state in {row[0] for row in self.rows}:
            offered = sorted({row[1] for row in self.rows if row[0] == state})
            policy[state, offered] = random.dirichlet(np.ones(len(offered)))
        return policy

    def or_habit(self, choices: Floats) -> Floats:
        """What is chosen in each state; where nothing is, what the reference policy does, or anything alike."""
        habit = np.zeros((N_STATES, N_ACTIONS))
        for source, action, *_ in self.rows:
            habit[source, action] = self.reference[source, action]
        policy = np.where(choices.sum(axis=1, keepdims=True) > 0.0, choices, habit)
        total = policy.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(policy, total, out=np.zeros_like(policy), where=total > 0.0)
        return shares

    def every_path(self) -> list[Way]:
        """From any state, of at most HORIZON states."""
        found = [Way((state,), (), 0.0, self.state[state]) for state in STATES]
        for way in found:  # which grows while it is read
            t = len(way.states)
            for row, (source, action, to, p) in enumerate(self.rows):
                if source == way.last and t < HORIZON:
                    step = self.discount ** (t - 1) * (self.choice[source, action] + self.along[row])
                    log_q = way.log_q + np.log(p) + np.log(self.reference[source, action])
                    phi = way.phi + step + self.discount**t * self.state[to]
                    found.append(Way((*way.states, to), (*way.actions, action), log_q, phi))
        return found


class Case:
    """A world, its paths, demonstrations that are some of them, and a fit."""

    def __init__(self, seed: int, ends: str) -> None:
        self.random = random = np.random.default_rng([seed, len(ends)])
        self.ends = ends
        self.world = World(random, seed % 3, (1.0, 0.9, 0.0)[seed // 3 % 3], seed % 2 == 1, seed // 2 % 2 == 1)
        self.mdp = self.world.mdp
        may_end: dict[str, Callable[[Way], bool]] = {
            "anywhere": lambda way: True,
            "horizon": lambda way: len(way.states) == HORIZON or way.last in self.world.terminal,
            "terminal": lambda way: way.last in self.world.terminal,
            "goal": lambda way: True,
        }
        self.ways = [way for way in self.world.every_path() if may_end[ends](way)]
        self.firsts, self.lasts = np.array([(way.first, way.last) for way in self.ways]).T
        self.log_q, self.phi = np.array([way.log_q for way in self.ways]), np.array([way.phi for way in self.ways])
        begun = [number for number, first in enumerate(self.firsts) if self.world.start[first] > 0.0]
        self.numbers = random.choice(begun, size=6)
        self.shown = [self.ways[number] for number in self.numbers]
        self.weights = random.uniform(0.1, 1.1, size=6)
        self.demonstrations = revealed.Trajectories([way.pairs() for way in self.shown], weights=self.weights)
        self.irl = revealed.MaxEntIRL(ends=ends, horizon=HORIZON, l2=0.1, progress=False).fit(  # type: ignore[arg-type]
            self.mdp, self.demonstrations
        )

    def log_weight(self, way: Way) -> float:
        return float(way.log_q + way.phi @ self.irl.theta_)

    def where(self, first: int | None = None, last: int | None = None) -> list[Way]:
        """The paths from one state to another."""
        return [way for way in self.ways if first in (None, way.first) and last in (None, way.last)]

    def log_likelihoods(self, theta: Any) -> Any:
        """Of each demonstration. With ends "goal", given where it begins and ends."""
        log_weights = self.log_q + self.phi @ theta
        if self.ends == "goal":
            alike = [(self.firsts == way.first) & (self.lasts == way.last) for way in self.shown]
            return log_weights[self.numbers] - [np.logaddexp.reduce(log_weights[those]) for those in alike]
        with np.errstate(divide="ignore"):
            log_p = np.log(self.world.start)[self.firsts] + log_weights
        return log_p[self.numbers] - np.logaddexp.reduce(log_p)

    def mean_log_likelihood(self, theta: Any) -> float:
        return float(np.average(self.log_likelihoods(theta), weights=self.weights))

    def distribution(self, start: Any, to: int | None) -> list[tuple[Way, float]]:
        """The paths from a start (to a state) with their probabilities. With ends "goal", first states are as the start says."""
        ways = [way for way in self.where(last=to) if start[way.first] > 0.0]
        p = np.array([start[way.first] * np.exp(self.log_weight(way)) for way in ways])
        if self.ends == "goal":
            firsts = np.array([way.first for way in ways])
            for first in set(firsts.tolist()):
                p[firsts == first] *= start[first] / p[firsts == first].sum()
        return list(zip(ways, (p / p.sum()).tolist()))


@cache
def case(seed: int, ends: str) -> Case:
    return Case(seed, ends)


def slopes(function: Callable[[Any], float], at: Any, step: float = 1e-5) -> Floats:
    """The gradient, by differences."""
    return np.array([(function(at + h) - function(at - h)) / (2.0 * step) for h in step * np.eye(len(at))])


def log_total(values: Iterable[float]) -> float:
    return float(np.logaddexp.reduce(list(values)))  # minus infinity of nothing


@cases
def test_the_likelihood_and_its_gradient(seed: int, ends: str) -> None:
    one = case(seed, ends)
    theta = np.random.default_rng(seed).normal(size=N_FEATURES)
    likelihood = revealed.LogLikelihood(one.mdp, one.demonstrations, ends=ends, horizon=HORIZON)
    assert likelihood(theta) == pytest.approx(one.mean_log_likelihood(theta), abs=1e-10)
    assert likelihood.gradient(theta) == pytest.approx(slopes(one.mean_log_likelihood, theta), abs=1e-6)
    # The same of rewards; the enumeration has them by the chain rule.
    raw = revealed.RewardLikelihood(one.mdp, one.demonstrations, ends=ends, horizon=HORIZON, transitions=True)
    rewards = one.mdp.reward(theta), one.mdp.transition_reward(theta)
    value, of_state, of_transition = raw.value_and_grad(*rewards)
    assert value == pytest.approx(-one.mean_log_likelihood(theta), abs=1e-10)
    assert of_state == pytest.approx(slopes(lambda state: raw.value_and_grad(state, rewards[1])[0], rewards[0]), abs=1e-6)
    assert of_transition == pytest.approx(slopes(lambda along: raw.value_and_grad(rewards[0], along)[0], rewards[1]), abs=1e-6)


@cases
def test_a_fit_is_the_optimum(seed: int, ends: str) -> None:
    one = case(seed, ends)
    penalised = slopes(lambda theta: one.mean_log_likelihood(theta) - 0.05 * theta @ theta, one.irl.theta_, 1e-4)
    assert one.irl.converged_ and np.abs(penalised).max() < 1e-5
    assert one.irl.score_samples(one.demonstrations) == pytest.approx(one.log_likelihoods(one.irl.theta_), abs=1e-9)
    mean = one.mean_log_likelihood(one.irl.theta_)
    assert one.irl.log_likelihood_ == pytest.approx(mean, abs=1e-9) and one.irl.score(one.demonstrations) == pytest.approx(
        mean, abs=1e-9
    )


@cases
def test_values(seed: int, ends: str) -> None:
    one = case(seed, ends)
    for to in (None, *STATES) if ends != "goal" else STATES:
        expected = [log_total(one.log_weight(way) for way in one.where(state, to)) for state in STATES]
        if np.isneginf(expected).all():
            with pytest.raises(ValueError, match="no path|not terminal"):
                one.irl.value(to)
        else:
            assert one.irl.value(to) == pytest.approx(expected, abs=1e-9), to


@cases
def test_visits_policies_and_lengths(seed: int, ends: str) -> None:
    one = case(seed, ends)
    goal = one.shown[0].last
    for start, p0 in ((None, one.world.start), ({1: 2.0, 2: 1.0}, np.array([0.0, 2.0, 1.0, 0.0]) / 3.0)):
        for to in (None, goal) if ends != "goal" else (goal,):
            if not any(p0[way.first] > 0.0 for way in one.where(last=to)):
                continue
            lengths, visits = np.zeros(HORIZON + 1), np.zeros((HORIZON, N_STATES))
            choices = np.zeros((HORIZON, N_STATES, N_ACTIONS))
            steps = np.zeros((HORIZON, N_STATES, N_ACTIONS, N_STATES))
            for way, p in one.distribution(p0, to):
                lengths[len(way.states)] += p
                visits[range(len(way.states)), way.states] += p
                choices[range(len(way.actions)), way.states[:-1], way.actions] += p
                steps[range(len(way.actions)), way.states[:-1], way.actions, way.states[1:]] += p
            found = one.irl.lengths(start=start, to=to)
            assert found == pytest.approx(lengths[: len(found)], abs=1e-9) and found.sum() == pytest.approx(1.0)
            power = one.world.discount ** np.arange(HORIZON)
            assert one.irl.marginals(start=start, to=to) == pytest.approx(power @ visits, abs=1e-9)
            source, action, target, _ = one.mdp.transitions
            kinds = (("state-action", choices), ("transition", steps[:, source, action, target]))
            for of, expected in kinds:
                visits_of = one.irl.marginals(of=of, start=start, to=to)
                assert visits_of == pytest.approx(np.tensordot(power, expected, 1), abs=1e-9)
            # Every step counts alike, whatever the discount.
            assert one.irl.policy(start=start, to=to) == pytest.approx(one.world.or_habit(choices.sum(axis=0)), abs=1e-9)
            for t in range(1, HORIZON + 1):
                assert one.irl.marginals(t, start=start, to=to) == pytest.approx(visits[t - 1], abs=1e-9)
                for of, expected in kinds:
                    assert one.irl.marginals(t, of=of, start=start, to=to) == pytest.approx(expected[t - 1], abs=1e-9)
                policy, acts = one.irl.policy(t, start=start, to=to), choices[t - 1].sum(axis=1) > 0.0
                assert policy[acts] == pytest.approx(one.world.or_habit(choices[t - 1])[acts], abs=1e-9)


@cases
def test_likeliest_paths(seed: int, ends: str) -> None:
    one = case(seed, ends)
    for loopless in (False, True):
        for first in STATES:
            for last in (None, 0, 3) if ends != "goal" else (0, 3):
                ways = {
                    (way.states, way.actions): one.log_weight(way)
                    for way in one.where(first, last)
                    if way.is_loopless or not loopless
                }
                if not ways:
                    with pytest.raises(ValueError, match="no path|terminal"):
                        one.irl.predict_path(first, last, k=5, loopless=loopless)
                    continue
                found = one.irl.predict_path(first, last, k=5, loopless=loopless)
                own = [path.log_weight for path in found]
                assert own == pytest.approx(sorted(ways.values(), reverse=True)[:5], abs=1e-9)
                # Each is a path, with its own weight, and none comes twice.
                names = [(tuple(path.states.tolist()), tuple(path.actions.tolist())) for path in found]
                assert len(set(names)) == len(names) and [ways[name] for name in names] == pytest.approx(own, abs=1e-9)
                assert one.irl.predict_path(first, last, loopless=loopless).log_weight == own[0]


@cases
def test_likeliest_paths_of_many_pairs_and_between_weighted_ends(seed: int, ends: str) -> None:
    one = case(seed, ends)
    firsts, lasts = np.repeat(STATES, N_STATES), np.tile(STATES, N_STATES)
    if ends == "terminal":
        keep = np.isin(lasts, list(one.world.terminal))
        firsts, lasts = firsts[keep], lasts[keep]
    for first, last, path in zip(firsts, lasts, one.irl.predict_paths(firsts, lasts), strict=True):
        best = max((one.log_weight(way) for way in one.where(first, last)), default=None)
        assert (path.log_weight if path is not None else None) == pytest.approx(best, abs=1e-9)
    start, to = {0: 1.0, 1: 3.0}, {3: 1.0, 2: 2.0} if ends != "terminal" else dict.fromkeys(one.world.terminal, 2.0)
    ways = [way for way in one.ways if way.first in start and way.last in to]
    if ways:
        best_way = max(ways, key=lambda way: one.log_weight(way) + np.log(start[way.first] * to[way.last]))
        found = one.irl.predict_path(start, to)
        assert (tuple(found.states), tuple(found.actions)) == (best_way.states, best_way.actions)
        assert found.log_weight == pytest.approx(one.log_weight(best_way), abs=1e-9)


@cases
def test_destinations(seed: int, ends: str) -> None:
    one = case(seed, ends)
    own = np.array([0.1, 0.2, 0.3, 0.4])
    priors: tuple[Any, ...] = (None, "uniform", own) if ends == "goal" else (None, "model", "uniform", own)
    whole = max(one.shown, key=lambda way: len(way.states))
    from_first = np.array([np.exp(log_total(one.log_weight(way) for way in one.where(whole.first, last))) for last in STATES])
    for prior in priors:
        rows = []
        for n in range(1, len(whole.states) + 1):
            so_far = [way for way in one.ways if way.pairs(n) == whole.pairs(n)]
            mass = np.array([np.exp(log_total(one.log_weight(way) for way in so_far if way.last == last)) for last in STATES])
            if prior is None and ends != "goal" or isinstance(prior, str) and prior == "model":
                rows.append(mass / mass.sum())
            else:
                given = own if prior is own else np.ones(N_STATES)
                posterior = given * np.divide(mass, from_first, out=np.zeros(N_STATES), where=from_first > 0.0)
                rows.append(posterior / posterior.sum())
            assert one.irl.predict_destination(whole.pairs(n), prior=prior) == pytest.approx(rows[-1], abs=1e-9)
        assert one.irl.predict_destination(whole.pairs(), prior=prior, follow=True) == pytest.approx(np.array(rows), abs=1e-9)


@cases
def test_lengths_and_samples_after_a_prefix(seed: int, ends: str) -> None:
    one = case(seed, ends)
    whole = one.shown[1]
    to = whole.last if ends == "goal" else None
    for n in range(1, len(whole.states) + 1):
        ways = [way for way in one.where(last=to) if way.pairs(n) == whole.pairs(n)]
        p = np.exp([one.log_weight(way) for way in ways])
        expected = np.bincount([len(way.states) for way in ways], p / p.sum(), minlength=HORIZON + 1)
        found = one.irl.lengths(prefix=whole.pairs(n), to=to)
        assert found == pytest.approx(expected[: len(found)], abs=1e-9) and found.sum() == pytest.approx(1.0)
        if seed < 6:
            samples = one.irl.sample(5000, seed=seed, prefix=whole.pairs(n), to=to)
            assert_drawn(samples, list(zip(ways, (p / p.sum()).tolist())))


@pytest.mark.parametrize(("seed", "ends"), [one for one in CASES if one[0] < 12])
def test_samples(seed: int, ends: str) -> None:
    one = case(seed, ends)
    to = one.shown[0].last if ends == "goal" else None
    assert_drawn(one.irl.sample(20_000, seed=seed, to=to), one.distribution(one.world.start, to))


def assert_drawn(samples: revealed.Trajectories, expected: list[tuple[Way, float]]) -> None:
    """Each path comes as often as its probability says, within five standard deviations, and no other comes at all."""
    n = len(samples)
    drawn = Counter((tuple(state for state, _ in path), tuple(action for _, action in path[:-1])) for path in samples)
    for way, p in expected:
        assert abs(drawn.pop((way.states, way.actions), 0) - n * p) < 5.0 * np.sqrt(n * p * (1.0 - p) + 1.0)
    assert not drawn
