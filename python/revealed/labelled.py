"""Paths in worlds whose states have labels: what people write is read by label, and `Trajectories` hold numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._columns import frame_column, frame_columns, is_frame, listed
from .demonstrations import Steps, Trajectories, check_world

if TYPE_CHECKING:
    from .world import World

__all__: list[str] = []


def in_world(mdp: World, demonstrations: Any, weights: Any = None) -> Trajectories:
    """Demonstrations by number; lists and frames are by label where the world has some."""
    check_world(mdp)
    if mdp.labels is None or isinstance(demonstrations, Trajectories) or hasattr(demonstrations, "iterate_episodes"):
        return Trajectories(demonstrations, weights=weights)
    if is_frame(demonstrations):
        return Trajectories(_frame(mdp, demonstrations), weights=weights)
    if not isinstance(demonstrations, (list, tuple, np.ndarray)):
        return Trajectories(demonstrations, weights=weights)
    paths = [_path(mdp, f"demonstration {at}", path) for at, path in enumerate(demonstrations)]
    return Trajectories(paths, weights=weights)


def _path(mdp: World, place: str, path: Any) -> Any:
    """A path with its states by number. What is no list of pairs and no pair of lists is left to be refused, or has numbers."""
    if isinstance(path, Steps):
        return path
    if isinstance(path, tuple) and len(path) == 2 and all(isinstance(part, (list, np.ndarray)) for part in path):
        return [mdp._state(f"{place}: step {step}: the state", label) for step, label in enumerate(path[0])], path[1]
    if not isinstance(path, (list, tuple)) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in path):
        return path
    return [(mdp._state(f"{place}: step {step}: the state", label), action) for step, (label, action) in enumerate(path)]


def _frame(mdp: World, frame: Any) -> Any:
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


def paths(mdp: World, sequences: Any, weights: Any) -> Trajectories:
    """Paths from sequences of states, with the only action that leads from each to the next."""
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


def _numbers(mdp: World, place: str, sequence: Any) -> list[int]:
    if isinstance(sequence, (str, bytes)) or not isinstance(sequence, (Sequence, np.ndarray)):
        raise TypeError(f"{place} is {sequence!r}: give a list of states")
    labels = sequence.tolist() if isinstance(sequence, np.ndarray) else sequence
    return [mdp._state(f"{place}: step {step}: the state", label) for step, label in enumerate(labels)]


def _action(mdp: World, place: str, actions: set[int] | None, step: tuple[int, int]) -> int:
    labels = mdp.labels
    a, b = step if labels is None else (labels[step[0]], labels[step[1]])
    if actions is None:
        raise ValueError(f"{place}: no action leads from {a!r} to {b!r}")
    if len(actions) > 1:
        several = ", ".join(map(str, sorted(actions)))
        raise ValueError(f"{place}: the actions {several} all lead from {a!r} to {b!r}: give (state, action) pairs")
    return next(iter(actions))
