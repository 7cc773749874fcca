"""What is known of the unseen rest of demonstrations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _native
from ..demonstrations.partial import PartialTrajectories
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Floats
from ..inputs.numbers import count
from ..inputs.seeds import Seed, seed_of
from ..mdp.mdp import Mdp
from .model import FittedModel

__all__ = ["Completed", "Completions", "native_partial"]


@dataclass(frozen=True)
class Completed:
    """What is known of demonstrations that were seen in part.

    Attributes
    ----------
    paths : Trajectories
        The likeliest path for each demonstration, or `n` draws of each, one demonstration after another.
    log_probability : ndarray
        The logarithm of the probability of each likeliest path given what was seen; empty for draws.
    states, actions : list of arrays
        For each demonstration an array with a row for each step that is no gap: the probability of each state, and of each
        action that follows.
    unseen : list of arrays
        For each demonstration the expected number of unseen states in the gap before each step, and after the last.
    """

    paths: Trajectories
    log_probability: Floats
    states: list[Floats]
    actions: list[Floats]
    unseen: list[Floats]


def native_partial(mdp: Mdp, demonstrations: Any) -> _native.PartialDemonstrations:
    """Demonstrations that the engine has checked against their MDP."""
    seen = demonstrations if isinstance(demonstrations, PartialTrajectories) else PartialTrajectories(demonstrations)
    return _native.PartialDemonstrations(mdp._native, seen._text())


class Completions(FittedModel):
    """The query about what was not seen."""

    def complete(self, demonstrations: Any, *, n: int | None = None, seed: Seed = 0) -> Completed:
        """Fill in what was not seen of demonstrations.

        Parameters
        ----------
        demonstrations
            `PartialTrajectories`, or what it takes.
        n : int, optional
            Draw so many paths for each demonstration, each with 1/n of its weight, instead of the likeliest one.
        seed : int
            The same seed gives the same draws.

        Examples
        --------
        >>> import revealed
        >>> chain = revealed.worlds.linear_chain(4)
        >>> irl = revealed.MaxEntIRL.from_theta(chain, [0.0, 0.0, 0.0, 3.0], horizon=4)
        >>> found = irl.complete([[0, None, 2], [0, ..., 3]])
        >>> found.paths[1]
        [(0, 0), (1, 0), (2, 0), (3, None)]
        """
        model = self._path_model()
        native, samples = native_partial(self.mdp_, demonstrations), None if n is None else count("n", n)
        columns, log_probability = model.complete(native, samples, seed_of(seed), self._threads())
        known = model.posterior_of_steps(native, self._threads())
        sizes = self.mdp_.n_states, self.mdp_.n_actions
        states, actions = ([_dense([step[at] for step in steps], sizes[at]) for steps, _ in known] for at in (0, 1))
        unseen = [np.array([step[2] for step in steps] + [after]) for steps, after in known]
        return Completed(Trajectories._of(columns), log_probability, states, actions, unseen)


def _dense(rows: list[list[tuple[int, float]]], size: int) -> Floats:
    found = np.zeros((len(rows), size))
    for row, entries in enumerate(rows):
        for at, p in entries:
            found[row, at] = p
    return found
