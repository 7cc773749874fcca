"""Seeds as numpy users give them, as the whole number that the engine takes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .numbers import count

__all__ = ["Seed", "generator_of", "seed_of"]

Seed = int | np.random.SeedSequence | np.random.Generator | None


def seed_of(seed: Any, name: str = "seed") -> int:
    """A whole number: an int itself, a draw of a generator, the state of a SeedSequence, or chance for None."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1, np.uint64)[0])
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if isinstance(seed, np.random.RandomState):
        return int(seed.randint(2**63 - 1, dtype=np.int64))
    if isinstance(seed, random.Random):
        return seed.getrandbits(63)
    try:
        return count(name, seed, least=0)
    except TypeError:
        kinds = "None, a whole number, a SeedSequence or a Generator of numpy"
        raise TypeError(f"{name} is {seed!r}: it must be {kinds}") from None


def generator_of(seed: Any, name: str = "seed") -> np.random.Generator:
    """A generator of numpy: the given one, or a new one of the seed."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed_of(seed, name))
