"""Demonstrations that are seen in part, against the enumeration of all paths."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
import revealed


def world() -> revealed.Mdp:
    """From 0 by 1 or 2 to 3, and from 2 also to 2."""
    rows = [0, 0, 1, 2, 2], [0, 1, 0, 0, 1], [1, 2, 3, 3, 2]
    features = revealed.Features(state=np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.0], [0.0, 0.0]]))
    return revealed.Mdp(4, 2, transitions=rows, start=0, terminal=[3], features=features)


def paths(horizon: int) -> list[tuple[list[int], list[int]]]:
    steps = {(0, 0): 1, (0, 1): 2, (1, 0): 3, (2, 0): 3, (2, 1): 2}
    found, open_ = [], [([0], [])]
    while open_:
        states, actions = open_.pop()
        found.append((states, actions))
        if len(states) < horizon:
            for action in (0, 1):
                if (states[-1], action) in steps:
                    open_.append((states + [steps[states[-1], action]], actions + [action]))
    return found


THETA = np.array([0.3, -0.2])


def weight(states: list[int]) -> float:
    reward = np.array([-0.2, 0.3, 0.15, 0.0])
    return float(np.exp(reward[states].sum()))


def model(horizon: int = 4) -> revealed.MaxEntIRL:
    return revealed.MaxEntIRL.from_theta(world(), THETA, horizon=horizon)


@pytest.mark.parametrize(
    "seen",
    [
        [0, None, 3],
        [0, float("nan"), 3],
        np.array([0.0, np.nan, 3.0]),
        np.ma.masked_invalid([0.0, np.nan, 3.0]),
        ([0, None, 3], [None, None]),
        [(0, None), (None, None), (3, None)],
        [0, np.full(4, np.nan), 3],
        np.ma.array([[1.0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1.0]], mask=[[False] * 4, [True] * 4, [False] * 4]),
    ],
)
def test_unseen_states_are_said_in_many_ways(seen: object) -> None:
    found = model().complete([seen])
    agree = [(s, a) for s, a in paths(4) if len(s) == 3 and s[-1] == 3]
    total = sum(weight(s) for s, _ in agree)
    expected = [sum(weight(s) for s, _ in agree if s[1] == at) / total for at in range(4)]
    np.testing.assert_allclose(found.states[0][1], expected, atol=1e-12)
    best = max(agree, key=lambda path: weight(path[0]))
    assert found.paths[0] == list(zip(best[0], [*best[1], None]))
    np.testing.assert_allclose(found.log_probability, np.log(weight(best[0]) / total), atol=1e-12)


def test_noise_and_gaps() -> None:
    noisy = [0, np.array([0.0, 0.2, 0.8, 0.0]), [(3, 1.0), (2, 0.5)]]
    found = model().complete([noisy, [0, ..., 3], ([0, "...", 3], None)])
    e = lambda s: [0.0, 0.2, 0.8, 0.0][s[1]] * {3: 1.0, 2: 0.5}.get(s[2], 0.0)  # noqa: E731
    three = [s for s, _ in paths(4) if len(s) == 3]
    total = sum(weight(s) * e(s) for s in three)
    expected = [sum(weight(s) * e(s) for s in three if s[1] == at) / total for at in range(4)]
    np.testing.assert_allclose(found.states[0][1], expected, atol=1e-12)
    open_ = [s for s, _ in paths(4) if s[-1] == 3]
    between = sum(weight(s) * (len(s) - 2) for s in open_) / sum(map(weight, open_))
    for at in (1, 2):
        np.testing.assert_allclose(found.unseen[at], [0.0, between, 0.0], atol=1e-12)


def test_draws_agree_and_repeat() -> None:
    seen = revealed.PartialTrajectories([[0, None, None], [0, ..., 3]], weights=[2.0, 1.0], ids=["a", "b"])
    found = model().complete(seen, n=20, seed=3)
    assert len(found.paths) == 40 and found.log_probability.size == 0
    assert all(len(path) == 3 for path in itertools.islice(found.paths, 20))
    np.testing.assert_allclose(found.paths.weights.sum(), 3.0)
    assert [list(path) for path in model().complete(seen, n=20, seed=3).paths] == [list(path) for path in found.paths]


def test_learning_from_what_was_seen(tmp_path: Path) -> None:
    truth = model()
    whole = truth.sample(400, seed=1)
    rng = np.random.default_rng(2)
    hide = lambda numbers: [number if rng.random() < 0.5 else None for number in numbers]  # noqa: E731
    seen = revealed.PartialTrajectories([(hide([s for s, _ in path]), hide([a for _, a in path[:-1]])) for path in whole])
    irl = revealed.MaxEntIRL(horizon=4, standard_errors=True).fit(world(), seen, restarts=2, seed=1)
    assert irl.converged_ and "of 3 searches" in " ".join(irl.notes_)
    errors = irl.summary_.standard_errors
    assert (np.abs(irl.theta_ - THETA) < 4 * np.asarray(errors)).all()
    again = irl.summary(seen)
    np.testing.assert_allclose(again.standard_errors, errors)
    seen.save(tmp_path / "seen.jsonl")
    read = revealed.PartialTrajectories.load(tmp_path / "seen.jsonl")
    assert list(read) == list(seen) and len(read) == 400 and repr(read) == "PartialTrajectories(400 paths)"
    same = revealed.MaxEntIRL(horizon=4).fit(world(), read)
    np.testing.assert_allclose(same.theta_, irl.theta_, rtol=1e-5, atol=1e-7)


def test_whole_paths_give_the_usual_fit() -> None:
    whole = model().sample(50, seed=4)
    seen = revealed.PartialTrajectories([([s for s, _ in path], [a for _, a in path[:-1]]) for path in whole])
    usual = revealed.MaxEntIRL(l2=0.01).fit(world(), whole)
    assert (revealed.MaxEntIRL(l2=0.01).fit(world(), seen).theta_ == usual.theta_).all()


@pytest.mark.parametrize(
    ("seen", "message"),
    [
        ([[0, [(1, -1.0)]]], "demonstration 0: step 1: the weight of state 1 is -1"),
        ([[0, np.zeros(4)]], "demonstration 0: step 1: the weight of every state is 0"),
        ([[0], [3, None]], "demonstration 1: it starts in state 3"),
        ([[0, 3]], "demonstration 0: step 1: what was seen here does not agree"),
        ([([0, None], [1, 1])], "demonstration 0: actions has 2 entries"),
        ([[0, np.array([0.0, np.nan, 1.0, 0.0])]], "path 0: state 1: some weights are NaN"),
        ([[0, 1.5]], "path 0: state 1 is 1.5: it must be a whole number"),
    ],
)
def test_bad_evidence_is_named(seen: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model().complete(seen)


def test_what_needs_whole_demonstrations_says_so() -> None:
    seen = revealed.PartialTrajectories([[0, None]])
    with pytest.raises(ValueError, match="seen whole"):
        revealed.MaxEntIRL(inference="causal-dual").fit(world(), seen)
    with pytest.raises(ValueError, match="weights of their own"):
        revealed.MaxEntIRL().fit(world(), seen, sample_weight=[1.0])
    with pytest.raises(ValueError, match="gaps of unknown length"):
        revealed.MaxEntIRL().fit(world(), revealed.PartialTrajectories([[0, ...]]))
    with pytest.raises(ValueError, match="restarts are for"):
        revealed.MaxEntIRL().fit(world(), [[(0, 0), (1, None)]], restarts=1)
