"""What the commands say about paths, destinations, lengths and scores, against sums over every path at 50 digits.

The paths come from enumeration.py, which knows nothing of the engine."""

import itertools

import numpy as np
import pytest
from mpmath import mp, mpf

import enumeration
import problems

CASES = list(itertools.product(problems.ENDS, (0.0, 0.5, 0.9, 1.0)))


class Case:
    """A random problem, a model of it on disk, and every path that begins anywhere, with its weight without p0."""

    def __init__(self, folder, seed, ends, discount):
        self.rng = np.random.default_rng(1000 + seed)
        self.ends, self.horizon = ends, int(self.rng.integers(2, 5))
        while True:
            with_terminal = ends == "terminal" or self.rng.random() < 0.5
            kinds = problems.KINDS[: int(self.rng.integers(1, 4))]
            self.problem = problems.random_problem(self.rng, discount, kinds, self.rng.random() < 0.3, with_terminal)
            self.demonstrations = problems.random_demonstrations(self.rng, self.problem, ends, self.horizon)
            if self.demonstrations:
                break
        theta = self.rng.normal(size=self.problem["n_features"]).tolist()
        self.files = (
            problems.save_json(folder / "problem.json", self.problem),
            problems.save_json(
                folder / "model.json",
                {"format": "revealed-model/1", "theta": theta, "horizon": self.horizon, "ends": ends, "discount": discount},
            ),
        )
        self.paths = enumeration.Paths(self.problem, theta, self.horizon)
        self.every = [
            (states, actions, log_q + self.paths.reward(phi))
            for first in range(self.problem["n_states"])
            for states, actions, log_q, phi in self.paths.starting_in(first)
        ]

    def between(self, first, last):
        """Paths of the model with these ends; with ends = goal, the goal is the last state."""
        return [
            path
            for path in self.every
            if path[0][0] == first and path[0][-1] == last and self.paths.ends_well(path[0], self.ends, last)
        ]

    def beginning_with(self, states, actions):
        n = len(states)
        return [
            path
            for path in self.every
            if path[0][:n] == states
            and path[1][: n - 1] == actions
            and self.paths.ends_well(path[0], self.ends, path[0][-1])
        ]


def total(paths):
    return mp.fsum(mp.exp(log_weight) for _, _, log_weight in paths)


def close(found, expected, tolerance=1e-10):
    return abs(found - expected) <= tolerance * max(1, abs(float(expected)))


@pytest.mark.parametrize("ends, discount", CASES)
def test_most_likely_paths(revealed, tmp_path, ends, discount):
    for seed in range(4):
        case = Case(tmp_path, seed, ends, discount)
        n_states = case.problem["n_states"]
        for first, last in case.rng.integers(n_states, size=(4, 2)).tolist():
            paths = sorted(case.between(first, last), key=lambda path: path[2], reverse=True)
            question = ("path", *case.files, "--from", first, "--to", last)
            if not paths:
                assert revealed.refuses(*question)
                continue
            answer = revealed(*question)
            assert close(answer["log_weight"], paths[0][2])
            own = [path for path in paths if path[0] == answer["states"] and path[1] == answer["actions"]]
            assert len(own) == 1 and close(answer["log_weight"], own[0][2])
            assert close(answer["probability"], mp.exp(own[0][2]) / total(paths))
            several = revealed(*question, "--k", 5)["paths"]
            assert len(several) == min(5, len(paths))
            assert len({(*one["states"], None, *one["actions"]) for one in several}) == len(several)
            for one, path in zip(several, paths):
                assert close(one["log_weight"], path[2])


def prefixes(case):
    """A beginning of a demonstration, of every length."""
    demo = case.demonstrations[0]
    for t in range(1, len(demo["states"]) + 1):
        yield demo["states"][:t], demo["actions"][: t - 1]


def as_text(states, actions):
    return ",".join(str(number) for pair in itertools.zip_longest(states, actions) for number in pair if number is not None)


@pytest.mark.parametrize("prior", ["model", "uniform", "given"])
@pytest.mark.parametrize("ends, discount", CASES)
def test_destinations(revealed, tmp_path, ends, discount, prior):
    for seed in range(3):
        case = Case(tmp_path, seed, ends, discount)
        if ends == "goal" and prior == "model":
            # A goal model has no distribution of its own over destinations.
            question = ("destinations", *case.files, "--prefix", case.demonstrations[0]["states"][0], "--prior", prior)
            assert "uniform" in revealed.refuses(*question)
            continue
        n_states = case.problem["n_states"]
        weights = case.rng.uniform(0.1, 1.0, n_states).tolist() if prior == "given" else [1.0] * n_states
        option = problems.save_json(tmp_path / "prior.json", weights) if prior == "given" else prior
        for states, actions in prefixes(case):
            rest = case.beginning_with(states, actions)
            # The weight of the prefix is the same for every destination, so whole paths serve as well as their rests.
            to = [total([path for path in rest if path[0][-1] == goal]) for goal in range(n_states)]
            if prior != "model":
                whole = [total(case.between(states[0], goal)) for goal in range(n_states)]
                to = [mpf(w) * s / z if z else mpf(0) for s, z, w in zip(to, whole, weights)]
            answer = revealed("destinations", *case.files, "--prefix", as_text(states, actions), "--prior", option)
            posterior = answer["posterior"]
            assert [p for _, p in posterior] == sorted((p for _, p in posterior), reverse=True)
            found = dict(map(tuple, posterior))
            assert len(found) == len(posterior)
            for goal in range(n_states):
                assert close(found.get(goal, 0.0), to[goal] / mp.fsum(to))


@pytest.mark.parametrize("ends, discount", CASES)
def test_lengths(revealed, tmp_path, ends, discount):
    for seed in range(3):
        case = Case(tmp_path, seed, ends, discount)
        for states, actions in prefixes(case):
            goal = case.demonstrations[0]["states"][-1]
            for to in [goal] if ends == "goal" else [None, goal]:
                rest = case.beginning_with(states, actions)
                rest = [path for path in rest if to is None or path[0][-1] == to]
                option = () if to is None else ("--to", to)
                answer = revealed("lengths", *case.files, "--prefix", as_text(states, actions), *option)
                found = dict(map(tuple, answer["length"]))
                z = total(rest)
                for length in range(1, case.horizon + 1):
                    expected = total([path for path in rest if len(path[0]) == length]) / z
                    assert close(found.get(length, 0.0), expected)
                mean = mp.fsum(len(path[0]) * mp.exp(path[2]) for path in rest) / z
                assert close(answer["mean"], mean) and close(answer["expected_remaining"], mean - len(states))


@pytest.mark.parametrize("ends, discount", CASES)
def test_scores(revealed, tmp_path, ends, discount):
    for seed in range(3):
        case = Case(tmp_path, seed, ends, discount)
        file = problems.save_lines(tmp_path / "demonstrations.jsonl", case.demonstrations)
        answer = revealed("score", *case.files, file)
        for demo, found in zip(case.demonstrations, answer["demonstrations"], strict=True):
            own = [path for path in case.every if path[0] == demo["states"] and path[1] == demo["actions"]]
            log_weight = own[0][2]
            if ends == "goal":
                log_p = log_weight - mp.log(total(case.between(demo["states"][0], demo["states"][-1])))
            else:
                every = [path for path in case.every if case.paths.ends_well(path[0], ends, None)]
                z = mp.fsum(case.paths.p0.get(path[0][0], 0) * mp.exp(path[2]) for path in every)
                log_p = mp.log(case.paths.p0[demo["states"][0]]) + log_weight - mp.log(z)
            assert close(found["log_likelihood"], log_p)
