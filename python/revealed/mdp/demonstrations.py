"""Demonstrations in an MDP: states by label if it has labels, sequences of states, and the check by the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _native
from ..demonstrations.trajectories import Steps, Trajectories
from ..inputs.columns import listed
from ..inputs.frames import frame_column, frame_columns, is_frame
from .parts import MdpParts

__all__ = ["check_mdp", "native_demonstrations", "trajectories_in", "trajectories_of_sequences"]


def check_mdp(mdp: Any) -> None:
    """Rejects anything that is not an Mdp."""
    if not isinstance(getattr(mdp, "_native", None), _native.Problem):
        raise TypeError(f"mdp is a {type(mdp).__name__}: make one with Mdp, Mdp.from_gymnasium or Mdp.from_dense")


def native_demonstrations(mdp: MdpParts, demonstrations: Any, weights: Any = None) -> _native.Demonstrations:
    """Demonstrations that the engine has checked against their MDP."""
    paths = trajectories_in(mdp, demonstrations, weights)
    return _native.Demonstrations(mdp._native, *paths._columns)


def trajectories_in(mdp: MdpParts, demonstrations: Any, weights: Any = None) -> Trajectories:
    """Demonstrations by number; lists and frames are by label if the MDP has labels."""
    check_mdp(mdp)
    if mdp.labels is None or isinstance(demonstrations, Trajectories) or hasattr(demonstrations, "iterate_episodes"):
        return Trajectories(demonstrations, weights=weights)
    if is_frame(demonstrations):
        return Trajectories(_frame(mdp, demonstrations), weights=weights)
    if not isinstance(demonstrations, (list, tuple, np.ndarray)):
        return Trajectories(demonstrations, weights=weights)
    paths = [_path(mdp, f"demonstration {at}", path) for at, path in enumerate(demonstrations)]
    return Trajectories(paths, weights=weights)


def _path(mdp: MdpParts, place: str, path: Any) -> Any:
    """A path with its states by number. Anything but a list of pairs or a pair of lists is returned unchanged."""
    if isinstance(path, Steps):
        return path
    if isinstance(path, tuple) and len(path) == 2 and all(isinstance(part, (list, np.ndarray)) for part in path):
        return [mdp._state(f"{place}: step {step}: the state", label) for step, label in enumerate(path[0])], path[1]
    if not isinstance(path, (list, tuple)) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in path):
        return path
    return [(mdp._state(f"{place}: step {step}: the state", label), action) for step, (label, action) in enumerate(path)]


def _frame(mdp: MdpParts, frame: Any) -> Any:
    if "state" not in frame_columns("the frame", frame):
        return frame
    labels = frame_column(frame, "state").tolist()
    states = np.array(
        [mdp._state(f"row {row} of the frame: the state", label) for row, label in enumerate(labels)], dtype=np.int64
    )
    if hasattr(frame, "with_columns"):
        import polars

        return frame.with_columns(polars.Series("state", states))
    return frame.assign(state=states)


def trajectories_of_sequences(mdp: MdpParts, sequences: Any, weights: Any) -> Trajectories:
    """Paths from sequences of states. The action of a step is the only one that leads to the next state."""
    source, action, target, _ = mdp.transitions
    steps: dict[tuple[int, int], set[int]] = {}
    for s, a, to in zip(source.tolist(), action.tolist(), target.tolist()):
        steps.setdefault((s, to), set()).add(a)
    found = []
    for at, sequence in enumerate(listed("sequences", sequences)):
        states = _numbers(mdp, f"sequence {at}", sequence)
        walked = enumerate(zip(states, states[1:]))
        found.append((states, [_action(mdp, f"sequence {at}: step {place}", steps.get(step), step) for place, step in walked]))
    return Trajectories(found, weights=weights)


def _numbers(mdp: MdpParts, place: str, sequence: Any) -> list[int]:
    if isinstance(sequence, (str, bytes)) or not isinstance(sequence, (Sequence, np.ndarray)):
        raise TypeError(f"{place} is {sequence!r}: give a list of states")
    labels = sequence.tolist() if isinstance(sequence, np.ndarray) else sequence
    return [mdp._state(f"{place}: step {step}: the state", label) for step, label in enumerate(labels)]


def _action(mdp: MdpParts, place: str, actions: set[int] | None, step: tuple[int, int]) -> int:
    labels = mdp.labels
    a, b = step if labels is None else (labels[step[0]], labels[step[1]])
    if actions is None:
        raise ValueError(f"{place}: no action leads from {a!r} to {b!r}")
    if len(actions) > 1:
        several = ", ".join(map(str, sorted(actions)))
        raise ValueError(f"{place}: the actions {several} all lead from {a!r} to {b!r}: give (state, action) pairs")
    return next(iter(actions))
