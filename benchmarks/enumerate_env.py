"""How long `Mdp.from_env` takes for a grid of 317 x 317 cells: 100,489 states and 4 actions, without a table.

    python benchmarks/enumerate_env.py [side]
"""

import sys
import time

import gymnasium
import numpy as np
import revealed


class Grid(gymnasium.Env):
    """Four moves on a square; it ends in the far corner."""

    def __init__(self, side):
        self.side = side
        self.observation_space = gymnasium.spaces.MultiDiscrete([side, side])
        self.action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.y = 0
        return np.array([0, 0]), {}

    def step(self, action):
        right, down = ((0, 1), (1, 0), (0, -1), (-1, 0))[action]
        self.x = min(max(self.x + right, 0), self.side - 1)
        self.y = min(max(self.y + down, 0), self.side - 1)
        return np.array([self.x, self.y]), -1.0, self.x == self.y == self.side - 1, False, {}


side = int(sys.argv[1]) if len(sys.argv) > 1 else 317
begun = time.perf_counter()
world = revealed.Mdp.from_env(Grid(side), progress=False)
print(f"{world.n_states:,} states, {world.n_transitions:,} transitions: {time.perf_counter() - begun:.1f} s")
