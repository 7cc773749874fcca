"""The comparison of models: on the real FrozenLake, the same numbers as the command line, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import revealed
from binary import Revealed


def optimal_episodes(env: Any, policy: Any, n: int) -> revealed.Trajectories:
    """Episodes of a policy in the real environment."""
    episodes = []
    for seed in range(n):
        state, _ = env.reset(seed=seed)
        path, ended = [], False
        while not ended:
            action = int(policy[state].argmax())
            path.append((state, action))
            state, _, terminated, truncated, _ = env.step(action)
            ended = terminated or truncated
        episodes.append([*path, (state, None)])
    return revealed.Trajectories(episodes)


def test_the_default_misleads_on_a_frozen_lake_and_the_comparison_says_so() -> None:
    env = gymnasium.make("FrozenLake-v1", map_name="8x8")
    lake = revealed.Mdp.from_gymnasium(env, discount=0.99)
    truth = np.eye(64)[63]
    best = lake.plan(truth, paid="on-arrival")
    demonstrations = optimal_episodes(env, best.policy, 100)

    def loss(theta: Any) -> float:
        return lake.compare(theta, truth, paid="on-arrival").expected_value_difference

    with pytest.warns(revealed.LuckWarning, match="is luck"):
        default = revealed.MaxEntIRL(bounds=(-10, 10)).fit(lake, demonstrations)
    assert loss(default.theta_) > 0.3  # of 0.41

    found = revealed.compare(lake, demonstrations)
    assert found.best is not None
    assert found.best.inference_ == "causal" and found.best.chance_ == "fixed" and found.best.converged_
    assert loss(found.best.theta_) < 0.01
    assert found["paths"]["luck_share"] > 0.1 and found[found.chosen]["luck"] == 0.0
    assert found["paths"]["vuong"]["p_value"] < 1e-6
    # The model that is taken answers questions.
    assert found.best.policy(start=0).shape[1] == 4


def test_the_command_line_has_the_same_numbers(command: Revealed, tmp_path: Path) -> None:
    lake = revealed.worlds.frozen_lake("4x4", discount=0.99)
    paths = lake.rollouts(lake.plan().policy, 30, seed=1)
    lake.save(tmp_path / "lake.json")
    paths.save(tmp_path / "demos.jsonl")
    model = tmp_path / "model.json"
    told = command("compare", tmp_path / "lake.json", tmp_path / "demos.jsonl", "--folds", 3, "--seed", 4, "-o", model)
    found = revealed.compare(lake, paths, folds=3, seed=4)
    assert told["models"] == found.models and told["verdict"] == found.verdict
    assert found.best is not None
    assert json.loads(model.read_text())["theta"] == found.best.theta_.tolist()
    again = revealed.MaxEntIRL.load(model, lake)
    assert again.score(paths) == found.best.score(paths)


def test_the_result_can_be_shown() -> None:
    lake = revealed.worlds.frozen_lake("4x4", discount=0.99)
    found = revealed.compare(lake, lake.rollouts(lake.plan().policy, 30, seed=1), folds=3)
    assert "held out" in str(found) and found.verdict[0] in str(found)
    assert "<table" in found._repr_html_() and "paths of any length" in found._repr_html_()
    frame = found.to_frame()
    assert list(frame.index) == [model["model"] for model in found.models if model["reason"] is None]
    assert found.chosen == frame["held_out"].idxmax()
    with pytest.raises(KeyError, match="causal-any-length"):
        found["logit"]


def test_bad_arguments_are_refused() -> None:
    lake = revealed.worlds.frozen_lake("4x4", discount=0.99)
    paths = lake.rollouts(lake.plan().policy, 5, seed=1)
    with pytest.raises(ValueError, match="folds"):
        revealed.compare(lake, paths, folds=6)
    with pytest.raises(ValueError, match="ends is"):
        revealed.compare(lake, paths, ends="nowhere")  # type: ignore[arg-type]
    with pytest.raises((TypeError, ValueError), match="l2"):
        revealed.compare(lake, paths, l2=-1.0)
