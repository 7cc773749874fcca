"""Small worlds with the same features, for tests of one reward in many worlds."""

from __future__ import annotations

import numpy as np
import revealed

NAMES = ["length", "slope", "shop"]
THETA = np.array([-1.0, 0.5, 0.4])


def town(n: int, seed: int, names: list[str] = NAMES) -> revealed.Mdp:
    """A street with short cuts. Every state but the last has two ways on."""
    rng = np.random.default_rng(seed)
    rows = [(s, 0, s + 1, 1.0) for s in range(n - 1)] + [(s, 1, min(s + 2 + s % 3, n - 1), 1.0) for s in range(n - 2)]
    values = np.column_stack([1 + rng.random(n), rng.uniform(-1, 1, n), np.arange(n) % 4 == 1])
    features = revealed.Features(state=values[:, : len(names)], names=names)
    start = np.append(np.full(n - 1, 1 / (n - 1)), 0.0)
    return revealed.Mdp(n, 2, transitions=tuple(zip(*rows)), start=start, terminal=[n - 1], features=features)


def trips(world: revealed.Mdp, n: int, seed: int) -> revealed.Trajectories:
    """Paths of drivers with known preferences, to several destinations."""
    model = revealed.MaxEntIRL.from_theta(world, THETA[: world.n_features], horizon=world.n_states)
    paths = model.sample(n, seed=seed)
    return paths[paths.lengths > 1]


def towns(n: int = 4, size: int = 12, each: int = 60) -> list[tuple[revealed.Mdp, revealed.Trajectories]]:
    """Towns of several sizes with their trips."""
    worlds = [town(size + 3 * number, number) for number in range(n)]
    return [(world, trips(world, each, number)) for number, world in enumerate(worlds)]
