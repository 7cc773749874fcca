"""Regions: a network as several worlds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Integers
from ..mdp.mdp import Mdp

__all__ = ["Regions"]


class Regions:
    """A network in regions with overlap, so that each path lies within one: a sequence of (Mdp, Trajectories).

    `MaxEntIRL.fit(list(regions))` learns one reward from all.

    Attributes
    ----------
    states : list of ndarrays
        The number of each state of a region in the whole network.
    record : dict
        The `margin` of the regions, the paths `without` a region, `states_in_several_regions`, `transitions_cut`, and the
        `manifest` if they were written.
    """

    __slots__ = ("_worlds", "record", "states")

    def __init__(self, found: list[tuple[_native.Problem, Any, Integers]], text: str) -> None:
        self._worlds = [(Mdp._of(problem), Trajectories._of(paths)) for problem, paths, _ in found]
        self.states = [states for _, _, states in found]
        self.record: dict[str, Any] = json.loads(text)

    def __len__(self) -> int:
        return len(self._worlds)

    def __getitem__(self, index: int) -> tuple[Mdp, Trajectories]:
        """One region with its paths."""
        return self._worlds[index]

    def __iter__(self) -> Iterator[tuple[Mdp, Trajectories]]:
        return iter(self._worlds)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{world.n_states} states and {len(paths)} paths" for world, paths in self._worlds[:3])
        return f"Regions({len(self)}: {sizes}{', ...' if len(self) > 3 else ''})"
