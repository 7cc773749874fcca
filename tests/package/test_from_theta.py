"""Models whose weights are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import revealed

LAKE = revealed.worlds.frozen_lake("4x4", discount=0.99)


def test_it_answers_as_the_fit_with_the_same_weights() -> None:
    paths = LAKE.rollouts(LAKE.plan().policy, 20, seed=1)
    fitted = revealed.MaxEntIRL(bounds=(-10, 10)).fit(LAKE, paths)
    known = revealed.MaxEntIRL.from_theta(LAKE, fitted.theta_, horizon=fitted.horizon_)
    assert known.score(paths) == fitted.score(paths)
    assert np.array_equal(known.marginals(), fitted.marginals())
    assert known.sample(5, seed=2) == fitted.sample(5, seed=2)
    assert known.log_likelihood_ is None and known.converged_ is None


def test_a_fit_to_its_samples_finds_the_weights_again() -> None:
    chain = revealed.worlds.linear_chain(4)
    theta = np.array([0.0, -1.0, 0.5, 1.0])
    drawn = revealed.MaxEntIRL.from_theta(chain, theta, horizon=4).sample(20_000, seed=3)
    found = revealed.MaxEntIRL().fit(chain, drawn)
    # Weights of the first state change nothing: it is on every path.
    assert np.allclose(found.theta_[1:], theta[1:], atol=0.1)


def test_it_is_saved_and_loaded(tmp_path: Path) -> None:
    known = revealed.MaxEntIRL.from_theta(LAKE, np.linspace(-1, 1, 16), horizon=9, ends="terminal")
    known.save(tmp_path / "model.json")
    again = revealed.MaxEntIRL.load(tmp_path / "model.json", LAKE)
    assert (again.horizon_, again.ends_) == (9, "terminal")
    assert np.array_equal(again.theta_, known.theta_)
    assert again.sample(5, seed=1) == known.sample(5, seed=1)


@pytest.mark.parametrize(
    ("kind", "message", "arguments"),
    [
        (ValueError, "theta has 3 entries, expected 16", {"theta": np.zeros(3), "horizon": 5}),
        (ValueError, r"theta\[0\] is NaN", {"theta": np.full(16, np.nan), "horizon": 5}),
        (ValueError, "horizon is 0", {"theta": np.zeros(16), "horizon": 0}),
        (TypeError, "horizon is 2.5", {"theta": np.zeros(16), "horizon": 2.5}),
        (ValueError, 'ends is "nowhere"', {"theta": np.zeros(16), "horizon": 5, "ends": "nowhere"}),
        (TypeError, "ends is 3", {"theta": np.zeros(16), "horizon": 5, "ends": 3}),
    ],
)
def test_what_does_not_fit_is_refused(kind: type[Exception], message: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(kind, match=message):
        revealed.MaxEntIRL.from_theta(LAKE, **arguments)
