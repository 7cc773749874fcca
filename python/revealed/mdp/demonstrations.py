"""Demonstrations in an MDP: states by label if it has labels, sequences of states, and the check by the engine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _native
from ..demonstrations.lists import given_path, given_paths
from ..demonstrations.steps import is_absent
from ..demonstrations.trajectories import Steps, Trajectories
from ..inputs.columns import floats, listed
from ..inputs.frames import frame_column, frame_columns, is_frame
from ..inputs.labels import End, label_of, not_among
from .parts import MdpParts

__all__ = ["check_mdp", "checked", "native_demonstrations", "trajectories_in", "trajectories_of_sequences"]

# What the engine says of a path that begins where none does, and what to do about it.
_UNSEEN = "which has start probability 0"
_REMEDY = "give the MDP a start that has it; a world that was explored needs more resets"
# The same of a step that never happens, where probabilities were counted.
_NEVER = "never leads to"
_COUNTED = "these probabilities were counted: give from_env more samples, or from_counts a prior"


def check_mdp(mdp: Any) -> None:
    """Rejects anything that is not an Mdp."""
    if not isinstance(getattr(mdp, "_native", None), _native.Problem):
        raise TypeError(f"mdp is a {type(mdp).__name__}: make one with Mdp, Mdp.from_gymnasium or Mdp.from_dense")


def native_demonstrations(mdp: MdpParts, demonstrations: Any, weights: Any = None) -> _native.Demonstrations:
    """Demonstrations that the engine has checked against their MDP."""
    return checked(mdp, trajectories_in(mdp, demonstrations, weights))


def checked(mdp: MdpParts, paths: Trajectories) -> _native.Demonstrations:
    """Paths that the engine has checked. It counts states and actions: its errors get their labels here."""
    try:
        return _native.Demonstrations(mdp._native, *paths._columns)
    except ValueError as error:
        more = _legend(mdp, str(error)) + ([_REMEDY] if _UNSEEN in str(error) else [])
        more += [_COUNTED] if _NEVER in str(error) and mdp.transition_counts is not None else []
        raise ValueError(": ".join([str(error), *(["; ".join(more)] if more else [])])) from None


def _legend(mdp: MdpParts, text: str) -> list[str]:
    """The labels of the states and actions that a text has by number."""
    found = []
    for noun, labels in (("state", mdp._labels), ("action", mdp._action_labels)):
        numbers = dict.fromkeys(int(number) for number in re.findall(rf"\b{noun} (\d+)", text))
        found += [f"{noun} {at} is {labels[at]!r}" for at in numbers if labels is not None and at < len(labels)]
    return found


def trajectories_in(mdp: MdpParts, demonstrations: Any, weights: Any = None, *, name: str = "sample_weight") -> Trajectories:
    """Demonstrations by number; lists and frames are by label if the MDP has labels.

    Weights that the demonstrations have of their own are not replaced in silence.
    """
    check_mdp(mdp)
    paths = _read(mdp, demonstrations)
    if weights is None:
        return paths
    if (paths.weights != 1.0).any():
        raise ValueError(
            "the demonstrations have weights of their own, and weights are given besides: give one of them; "
            "Trajectories(paths, weights=...) replaces those of paths"
        )
    return Trajectories(paths, weights=floats(name, weights, len(paths)))


def _read(mdp: MdpParts, demonstrations: Any) -> Trajectories:
    if isinstance(demonstrations, Trajectories) or (mdp._labels is None and mdp._action_labels is None):
        return Trajectories(demonstrations)
    if is_frame(demonstrations):
        return Trajectories(_frame(mdp, demonstrations))
    if isinstance(demonstrations, (str, bytes, Mapping)) or getattr(demonstrations, "shape", (1,)) == ():
        return Trajectories(demonstrations)
    try:
        listed_paths = given_paths(demonstrations)
    except TypeError:
        return Trajectories(demonstrations)
    return Trajectories([_path(mdp, f"demonstration {at}", path) for at, path in enumerate(listed_paths)])


def _path(mdp: MdpParts, place: str, path: Any) -> Any:
    """A path with its states and actions by number. What is no path is returned unchanged."""
    if isinstance(path, Steps):
        return path
    found = given_path(place, path)
    if found is None:
        return path
    states, actions = found
    # Arrays of datasets may have numbers although states have labels.
    if mdp._labels is None or (_is_object(path) and len(states) and not _is_known(mdp, states[0])):
        numbers: Any = states
    else:
        numbers = [mdp._state(f"{place}: step {step}: the state", label) for step, label in enumerate(states[:-1])]
        step = f"{place}: step {len(numbers)}"
        numbers += [_last(mdp, step, label, getattr(path, "terminated", None)) for label in states[-1:]]
        labels: Any = states
        if len(numbers) > 1 and len(actions) == len(numbers) - 1:
            numbers[-1] = _which_end(
                mdp,
                numbers,
                labels,
                mdp._action(f"{place}: step {len(numbers) - 2}: the action", actions[-1]),
                getattr(path, "terminated", None),
            )
    if mdp._action_labels is not None:
        actions = [mdp._action(f"{place}: step {step}: the action", action) for step, action in enumerate(actions)]
    return numbers, actions


def _is_object(path: Any) -> bool:
    return not isinstance(path, (list, tuple, np.ndarray))


def _is_known(mdp: MdpParts, label: Any) -> bool:
    try:
        return label_of(label) in (mdp._index or {})
    except TypeError:
        return False


def _last(mdp: MdpParts, place: str, label: Any, terminated: bool | None) -> int:
    """The last state: the terminal one of two that show the same, if the episode ended there."""
    index = mdp._index or {}
    end = index.get(End(label_of(label)))
    return end if end is not None and terminated else mdp._state(f"{place}: the state", label)


def _which_end(mdp: MdpParts, numbers: list[int], labels: Any, action: Any, terminated: bool | None) -> int:
    """Where nobody says whether the episode ended, the one of the two states that the last action can lead to."""
    end = (mdp._index or {}).get(End(label_of(labels[-1])))
    if end is None or terminated is not None or not isinstance(action, (int, np.integer)):
        return numbers[-1]
    source, taken, target, _ = mdp.transitions
    first, last = np.searchsorted(source, [numbers[-2], numbers[-2] + 1])
    led = set(target[first:last][taken[first:last] == action].tolist())
    return end if end in led and numbers[-1] not in led else numbers[-1]


def _frame(mdp: MdpParts, frame: Any) -> Any:
    names = frame_columns("the frame", frame)
    columns: dict[str, Any] = {}
    if "state" in names and mdp._labels is not None:
        labels = frame_column(frame, "state").tolist()
        states = [mdp._state(f"row {row} of the frame: the state", label) for row, label in enumerate(labels)]
        columns["state"] = np.array(states, dtype=np.int64)
    if "action" in names and mdp._action_labels is not None:
        given = enumerate(frame_column(frame, "action").tolist())
        actions = [None if is_absent(a) else mdp._action(f"row {row} of the frame: the action", a) for row, a in given]
        if all(action is None or isinstance(action, (int, float)) for action in actions):
            columns["action"] = np.array([-1 if action is None else action for action in actions], dtype=np.int64)
        else:
            bad = next(row for row, action in enumerate(actions) if not (action is None or isinstance(action, (int, float))))
            why = not_among(actions[bad], mdp._action_labels, "action")
            raise ValueError(f"row {bad} of the frame: the action is {actions[bad]!r}: {why}")
    if hasattr(frame, "with_columns"):
        import polars

        return frame.with_columns([polars.Series(name, column) for name, column in columns.items()])
    return frame.assign(**columns)


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
    labels = mdp._labels
    a, b = step if labels is None else (labels[step[0]], labels[step[1]])
    if actions is None:
        raise ValueError(f"{place}: no action leads from {a!r} to {b!r}")
    if len(actions) > 1:
        several = ", ".join(map(str, sorted(actions)))
        raise ValueError(f"{place}: the actions {several} all lead from {a!r} to {b!r}: give (state, action) pairs")
    return next(iter(actions))
