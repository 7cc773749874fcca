"""The values that a picture colours: one for each state, each choice (s, a) or each transition."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..inputs.columns import Floats, reals
from .scene import Scene

__all__ = ["Values"]


class Values(NamedTuple):
    """Values of states, of choices, or of transitions; at most one of them is present."""

    state: Floats | None = None
    choice: Floats | None = None
    transition: Floats | None = None

    @classmethod
    def read(cls, scene: Scene, values: Any) -> Values:
        """By the shape of an array."""
        if values is None:
            return cls()
        array = reals("values", values).astype(np.float64)
        if array.shape == (scene.n_states,):
            return cls(state=array)
        if array.shape == (scene.n_states, scene.n_actions):
            offered = np.zeros(array.shape, dtype=bool)
            offered[scene.transitions[0], scene.transitions[1]] = True
            return cls(choice=np.where(offered, array, np.nan))
        if array.shape == (scene.n_transitions,):
            return cls(transition=array)
        raise ValueError(
            f"values has shape {array.shape}: give one for each of the {scene.n_states} states, "
            f"a table ({scene.n_states}, {scene.n_actions}), or one for each of the {scene.n_transitions} transitions"
        )

    def by_choice(self, scene: Scene) -> Floats:
        """A table (n_states, n_actions): the mean over the transitions, NaN where an action is not offered."""
        if self.choice is not None:
            return self.choice
        source, action, _, p = scene.transitions
        shape = scene.n_states, scene.n_actions
        total, seen = np.zeros(shape), np.zeros(shape)
        np.add.at(total, (source, action), p * (0.0 if self.transition is None else self.transition))
        np.add.at(seen, (source, action), p)
        return np.where(seen > 0.0, total, np.nan)

    def by_transition(self, scene: Scene) -> Floats | None:
        """A value for each transition, where choices or transitions have values."""
        if self.choice is None:
            return self.transition
        by_transition: Floats = self.choice[scene.transitions[0], scene.transitions[1]]
        return by_transition
