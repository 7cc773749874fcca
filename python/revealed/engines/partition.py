"""How evidence is divided into parts: by worlds, and in one world by the last states of demonstrations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Integers
from ..mdp.mdp import Mdp

__all__ = ["PartOfWorld", "WorldSource", "assigned", "divided", "loaded"]


@dataclass(frozen=True, eq=False)
class WorldSource:
    """A world and its demonstrations, or the files that have them."""

    mdp: Mdp | str
    """The world, or a problem file."""
    demonstrations: Trajectories | str
    """What was observed in it, or a file of demonstrations."""

    def load(self) -> tuple[Mdp, Trajectories]:
        """Both of them, read from their files if need be."""
        mdp = Mdp.load(self.mdp) if isinstance(self.mdp, str) else self.mdp
        paths = self.demonstrations
        return mdp, Trajectories.load(paths) if isinstance(paths, str) else paths

    @property
    def size(self) -> int:
        """About how much work it is."""
        return os.path.getsize(self.mdp) if isinstance(self.mdp, str) else self.mdp.n_transitions


@dataclass(frozen=True)
class PartOfWorld:
    """Group `group` of `groups` of the demonstrations of a world, and the settings of the likelihood."""

    world: int
    group: int
    groups: int
    settings: dict[str, Any]

    def load(self, mdp: Mdp, paths: Trajectories, threads: int, pool: int | None = None) -> _native.Part:
        """The part as the engine has it: of the world `mdp` and its `paths`, to be evaluated on `threads` threads.

        All parts share the threads of a pool. With `pool` threads and one for each part, so many answer at a time.
        By default the pool has `threads` threads, and one part answers after the other.
        """
        if self.groups > 1:
            paths = paths[by_goal(paths, self.groups)[self.group]]
        native = _native.Demonstrations(mdp._native, *paths._columns)
        settings = self.settings | {"options": self.settings["options"] | {"threads": threads}}
        return _native.Part(mdp._native, native, self.world, settings, pool or threads)


def divided(worlds: Sequence[WorldSource], settings: dict[str, Any], groups: int = 1) -> list[PartOfWorld]:
    """The parts of these worlds, in order. `settings` are those of the likelihood.

    With ends = "goal", the demonstrations of a world may be divided into groups: every likelihood is given the last
    state. Other models have sums that all demonstrations of a world share. So only the data and `groups` decide what
    the parts are.
    """
    if groups > 1 and settings["options"]["ends"] != "goal":
        ends = settings["options"]["ends"]
        raise ValueError(f"groups is {groups}, and ends is {ends!r}: only with ends = 'goal' is a world divided into groups")
    found = []
    for world, source in enumerate(worlds):
        n = groups
        if groups > 1:
            n = min(groups, len(np.unique(_goals(source.load()[1]))))
        found += [PartOfWorld(world, group, n, settings) for group in range(n)]
    return found


def _goals(paths: Trajectories) -> Integers:
    """The last state of each path."""
    last: Integers = paths.states[paths.offsets[1:] - 1]
    return last


def by_goal(paths: Trajectories, groups: int) -> list[Integers]:
    """The demonstrations of each group: those to one goal stay together, and groups have about equally many goals."""
    known, number_of = np.unique(_goals(paths), return_inverse=True)
    group_of = np.empty(len(known), dtype=np.int64)
    for group, goals in enumerate(np.array_split(np.arange(len(known)), groups)):
        group_of[goals] = group
    return [np.flatnonzero(group_of[number_of] == group) for group in range(groups)]


def assigned(worlds: Sequence[WorldSource], parts: Sequence[PartOfWorld], workers: int) -> list[list[int]]:
    """The parts of each worker. The parts of a world stay together unless there are more workers than worlds."""
    bundles: dict[tuple[int, int], list[int]] = {}
    together = len(worlds) >= workers
    for number, part in enumerate(parts):
        bundles.setdefault((part.world, 0 if together else part.group), []).append(number)
    cost = {key: worlds[key[0]].size * len(numbers) for key, numbers in bundles.items()}
    loads, found = [0] * workers, [[] for _ in range(workers)]  # type: tuple[list[int], list[list[int]]]
    for key in sorted(bundles, key=lambda key: (-cost[key], key)):
        least = loads.index(min(loads))
        loads[least] += cost[key]
        found[least] += bundles[key]
    return [sorted(numbers) for numbers in found if numbers]


def loaded(
    worlds: Sequence[WorldSource], parts: Sequence[PartOfWorld], numbers: Sequence[int], threads: int
) -> dict[int, _native.Part]:
    """These parts. A world that several of them need is loaded once."""
    each = 1 if len(numbers) >= threads else threads
    found: dict[int, _native.Part] = {}
    for world in sorted({parts[number].world for number in numbers}):
        mdp, paths = worlds[world].load()
        for number in numbers:
            if parts[number].world == world:
                found[number] = parts[number].load(mdp, paths, each, threads)
    return found
