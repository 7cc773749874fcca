"""The command line beside the package, and a lake that was learned, as fixtures."""

from __future__ import annotations

import pytest
import revealed
from binary import Revealed


@pytest.fixture(scope="session")
def command() -> Revealed:
    return Revealed()


@pytest.fixture(scope="session")
def lake() -> revealed.Mdp:
    return revealed.worlds.frozen_lake("4x4", discount=0.99)


@pytest.fixture(scope="session")
def paths(lake: revealed.Mdp) -> revealed.Trajectories:
    return lake.rollouts(lake.plan().policy, 50, seed=1)


@pytest.fixture(scope="session")
def irl(lake: revealed.Mdp, paths: revealed.Trajectories) -> revealed.MaxEntIRL:
    return revealed.MaxEntIRL(bounds=(-10, 10)).fit(lake, paths)
