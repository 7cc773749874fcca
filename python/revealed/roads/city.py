"""City: a small city that does not exist, with drivers whose preferences are known."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Floats
from ..inputs.numbers import count
from ..inputs.seeds import Seed, seed_of
from ..learning.maxent import MaxEntIRL
from .network import Network

__all__ = ["City", "city"]


class City:
    """A city that does not exist, with drivers whose preferences are known. `city` makes one."""

    def __init__(self, native: _native.City, seed: int) -> None:
        self._native = native
        self._seed = seed

    @cached_property
    def network(self) -> Network:
        """The network that the drivers know."""
        return Network(self._native.roads())

    @property
    def theta(self) -> Floats:
        """What the drivers prefer: the reward for a unit of each feature of `network`."""
        return self._native.theta

    @property
    def horizon(self) -> int:
        """The largest number of states of a trip."""
        return self._native.horizon

    @cached_property
    def model(self) -> MaxEntIRL:
        """The drivers as a model, to ask it anything without learning."""
        return MaxEntIRL.from_theta(self.network.mdp, self.theta, horizon=self.horizon)

    def paths(self, n: int = 1000, *, seed: Seed | None = None) -> Trajectories:
        """The paths of some trips; with the same seed those of `write_trips`. By default the seed is that of the city."""
        return Trajectories._of(self._native.trips(count("n", n), self._seed_of(seed)))

    def write_trips(self, path: str | os.PathLike[str], n: int = 1000, *, seed: Seed | None = None) -> None:
        """Write GPS trips of the drivers (.csv), in the format of the Porto taxis."""
        self._native.write_trips(os.fspath(path), count("n", n), self._seed_of(seed))

    def write_osm(self, path: str | os.PathLike[str]) -> None:
        """Write the map (.osm)."""
        Path(path).write_text(self._native.osm_xml(), encoding="utf-8")

    def _seed_of(self, seed: Seed | None) -> int:
        return self._seed if seed is None else seed_of(seed)

    def __repr__(self) -> str:
        return f"City({self.network.n_segments} segments, {self.network.n_turns} turns)"


def city(size: int = 22, *, seed: Seed = 1) -> City:
    """Make up a city, as `revealed roads city` does. `size` is its width in blocks of about 110 m, from 12 to 400.

    >>> import revealed
    >>> revealed.roads.city(size=12)
    City(783 segments, 1239 turns)
    """
    number = seed_of(seed)
    return City(_native.City(count("size", size), number), number)
