"""Histories: the numbers of the command line, functions and tables, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import revealed
from binary import Revealed

N = 6


@pytest.fixture(scope="module")
def ring() -> revealed.Mdp:
    rows = [(s, a, (s + 1 - 2 * a) % N, 1.0) for s in range(N) for a in range(2)]
    features = revealed.Features(state=np.eye(N)[:, :1], names=["in 0"])
    return revealed.Mdp(N, 2, transitions=tuple(zip(*rows)), start=[1 / N] * N, features=features)


@pytest.fixture(scope="module")
def walks() -> list[list[tuple[int, int | None]]]:
    def walk(first: int, by: int) -> list[tuple[int, int | None]]:
        return [((first + t * by) % N, int(by < 0)) for t in range(4)] + [((first + 4 * by) % N, None)]

    around = [walk(s, by) for s in range(N) for by in (1, -1)]
    return [*around, [(2, 0), (3, 1), (2, 0), (3, 0), (4, None)]]


def test_both_fronts_learn_the_same(ring: revealed.Mdp, walks: list, command: Revealed, tmp_path: Path) -> None:
    irl = revealed.MaxEntIRL(inference="causal", history=2, l2=0.01).fit(ring, walks)
    ring.save(tmp_path / "ring.json")
    revealed.Trajectories(walks).save(tmp_path / "walks.jsonl")
    files = [tmp_path / name for name in ("ring.json", "walks.jsonl", "model.json")]
    command("learn", *files[:2], "-o", files[2], "--inference", "causal", "--history", 2, "--l2", 0.01)
    model = json.loads((tmp_path / "model.json").read_text())
    assert model["theta"] == irl.theta_.tolist()
    loaded = revealed.MaxEntIRL.load(tmp_path / "model.json", ring)
    irl.save(tmp_path / "saved.json")
    saved = json.loads((tmp_path / "saved.json").read_text())
    assert saved["history"] == model["history"] and saved["names"] == model["names"]
    prefix = [(0, 0), (1, None)]
    assert np.array_equal(loaded.policy_after(prefix), irl.policy_after(prefix))
    assert irl.policy_after(prefix)[0] > 0.8 and irl.policy_after([(2, 1), (1, None)])[1] > 0.8
    assert irl.score(walks) == pytest.approx(irl.log_likelihood_, abs=1e-9)
    found = command("marginals", files[0], files[2], "--t", 3, "--from", 0)
    assert found["state"] == irl.marginals(3, start=0).tolist()
    assert len(irl.predict_path(0).states) == 5
    assert all(0 <= state < N for path in irl.sample(20, seed=1) for state, _ in path)


def test_functions_and_tables_say_the_same(ring: revealed.Mdp, walks: list) -> None:
    def turns_back(states: tuple[int, ...], action: int) -> float:
        return float(len(states) > 1 and states[-2] == (states[-1] + 1 - 2 * action) % N)

    table = [{"states": [s, (s + by) % N], "to": s} for s in range(N) for by in (1, -1)]
    of_function = revealed.History(3, function=turns_back, names=["turns back"])
    of_table = revealed.History(2, table=table, names=["turns back"])
    fits = [revealed.MaxEntIRL(inference="causal", history=how).fit(ring, walks) for how in (of_function, of_table)]
    assert fits[0].theta_ == pytest.approx(fits[1].theta_, abs=1e-6)
    assert fits[0].theta_[-1] < -1.5


def test_a_goal_may_be_reached_with_any_history(ring: revealed.Mdp, walks: list) -> None:
    irl = revealed.MaxEntIRL(ends="goal", horizon=7, history=2, l2=0.01).fit(ring, walks)
    assert irl.horizon_ == 7
    assert irl.predict_destination([(0, 0), (1, 0), (2, None)]).sum() == pytest.approx(1.0)
    assert irl.score(walks) == pytest.approx(irl.log_likelihood_, abs=1e-9)


def test_what_takes_no_history_says_so(ring: revealed.Mdp, walks: list) -> None:
    irl = revealed.MaxEntIRL(inference="causal", history=2, l2=0.01).fit(ring, walks)
    for ask in (lambda: irl.summary(walks), lambda: irl.reward_, lambda: irl.policy(), lambda: irl.cross_validate(ring, walks)):
        with pytest.raises(ValueError, match="history"):
            ask()
    with pytest.raises(TypeError, match="history is 'two'"):
        revealed.MaxEntIRL(history="two").fit(ring, walks)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the function returned 2 values"):
        revealed.MaxEntIRL(history=revealed.History(2, function=lambda s, a: [0.0, 1.0])).fit(ring, walks)
