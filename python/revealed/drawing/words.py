"""What is written into states: letters for starts and ends, names or values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs.columns import Floats
from .scene import Scene

__all__ = ["marks", "texts"]


def marks(scene: Scene) -> dict[int, str]:
    """S for a start (where there are few), G for goals, H for ends with a lower reward, T for an unknown reward."""
    begins = np.flatnonzero(scene.start > 0.0)
    found = {int(state): "S" for state in begins} if len(begins) <= 3 else {}
    ends = scene.terminal
    if len(ends):
        truth = scene.true_theta
        paid = scene.true_reward
        if paid is None:
            found.update({int(state): "G" if len(ends) == 1 else "T" for state in ends})
        else:
            # What arriving pays at most, where the reward is that of steps.
            arriving = np.full(scene.n_states, -np.inf)
            np.maximum.at(arriving, scene.transitions[2], paid)
            rewards = (arriving if truth is None else scene.reward(truth))[ends]
            found.update({int(state): "G" if best else "H" for state, best in zip(ends, rewards == rewards.max())})
    return found


def texts(scene: Scene, labels: Any, values: Floats | None) -> dict[int, str]:
    """The text of each state that has one."""
    if labels is False:
        return {}
    if labels is True:
        names = scene._labels
        return {state: str(state if names is None else names[state]) for state in range(scene.n_states)}
    if isinstance(labels, str):
        if labels != "values" or values is None:
            remedy = "give True, 'values' (with a value for each state), or a text for each state"
            raise ValueError(f"labels is {labels!r}: {remedy}")
        return _numbers(values)
    listed = [str(text) for text in labels]
    if len(listed) != scene.n_states:
        raise ValueError(f"labels has {len(listed)} entries, but there are {scene.n_states} states")
    return dict(enumerate(listed))


def _numbers(values: Floats) -> dict[int, str]:
    finite = np.isfinite(values)
    # A value that is 0 but for rounding is written as 0.
    shown = np.where(np.abs(values) < 1e-9 * np.abs(values[finite]).max(initial=0.0), 0.0, values)
    return {int(s): f"{shown[s]:.2g}" if abs(shown[s]) < 100 else f"{shown[s]:.0f}" for s in np.flatnonzero(finite)}
