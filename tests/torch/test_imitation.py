"""Demonstrations that are objects of `imitation` itself. `tests/torch/run` runs it, because `imitation` needs torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import revealed
from imitation.data import rollout, types

STATES, ACTIONS = np.array([0, 4, 8, 9, 13, 14, 15]), np.array([1, 1, 2, 1, 2, 2])
PATH = [*zip(STATES.tolist(), [*ACTIONS.tolist(), None])]
SHORT = [(0, 1), (4, 1), (8, None)]


def trajectories() -> list[types.TrajectoryWithRew]:
    """One that ends, and one that is cut off."""
    whole = types.TrajectoryWithRew(obs=STATES, acts=ACTIONS, infos=None, terminal=True, rews=np.zeros(6))
    cut = types.TrajectoryWithRew(obs=STATES[:3], acts=ACTIONS[:2], infos=None, terminal=False, rews=np.zeros(2))
    return [whole, cut]


def flat() -> list[types.TrajectoryWithRew]:
    """Only the end of a trajectory is marked in Transitions, so each has to end."""
    return [trajectories()[0]] * 2


@pytest.mark.parametrize("form", ["with rewards", "without rewards"])
def test_trajectories(form: str) -> None:
    data: list[Any] = trajectories()
    if form == "without rewards":
        data = [types.Trajectory(one.obs, one.acts, one.infos, one.terminal) for one in data]
    assert list(revealed.Trajectories(data)) == [PATH, SHORT]


@pytest.mark.parametrize("flatten", [rollout.flatten_trajectories, rollout.flatten_trajectories_with_rew])
def test_transitions(flatten: Any) -> None:
    assert list(revealed.Trajectories(flatten(flat()))) == [PATH, PATH]


def test_a_reward_is_learned_from_them() -> None:
    lake = revealed.worlds.frozen_lake("4x4", slippery=False, discount=0.99)
    theirs = revealed.MaxEntIRL(l2=0.1).fit(lake, rollout.flatten_trajectories(flat()))
    ours = revealed.MaxEntIRL(l2=0.1).fit(lake, [PATH, PATH])
    assert theirs.converged_ and np.array_equal(theirs.theta_, ours.theta_)
