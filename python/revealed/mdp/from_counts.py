"""Worlds whose transition probabilities are estimated from paths, and how sure they are."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ..demonstrations.lists import given_path, given_paths
from ..demonstrations.steps import is_absent, name_of
from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Floats
from ..inputs.frames import frame_column, frame_columns, is_frame
from ..inputs.labels import End, in_order, label_of
from ..inputs.numbers import number
from .extras import Extras
from .naming import numbered

__all__ = ["counted"]


def counted(trajectories: Any, prior: float, terminal: Any) -> tuple[dict[str, Any], Extras]:
    """The parts of the MDP that paths show: its states, actions, transitions, first states and ends."""
    strength = number("prior", prior)
    if not 0.0 <= strength < np.inf:
        raise ValueError(f"prior is {prior}: it must be a number of observations, 0 or more")
    paths, labels, acts = _numbered(trajectories)
    n_states, n_actions = _size(paths.states, labels), _size(paths.actions, acts)
    weights = np.repeat(paths.weights, paths.lengths)
    on = np.flatnonzero(paths.actions >= 0)
    steps = np.stack([paths.states[on], paths.actions[on], paths.states[on + 1]])
    rows, where = np.unique(steps, axis=1, return_inverse=True)
    times = np.bincount(np.reshape(where, -1), weights[on], rows.shape[1]).astype(np.float64)
    rows, times = rows[:, times > 0.0], times[times > 0.0]
    ends = np.setdiff1d(np.arange(n_states), rows[0])
    if terminal is not None:
        index = None if labels is None else {label: at for at, label in enumerate(labels)}
        ends = np.union1d(ends, numbered("terminal", list(terminal), index, "state")).astype(np.int64)
        keep = ~np.isin(rows[0], ends)
        rows, times = rows[:, keep], times[keep]
    rows, p, n, errors = _posterior(rows, times, strength)
    first = paths.offsets[:-1][paths.lengths > 0]
    start = np.bincount(paths.states[first], paths.weights[paths.lengths > 0], n_states)
    parts = {
        "n_states": n_states,
        "n_actions": n_actions,
        "transitions": (rows[0], rows[1], rows[2], p),
        "start": start / start.sum(),
        "terminal": ends,
        "labels": labels,
        "action_labels": acts,
    }
    return parts, Extras(counts=n, errors=errors)


def _posterior(rows: Any, times: Floats, prior: float) -> tuple[Any, Floats, Floats, Floats]:
    """Means and standard deviations of Dirichlet posteriors.

    The prior of an action has `prior` observations of each state that some action led to from there.
    """
    if prior > 0.0:
        rows, times = _completed(rows, times)
    _, choice = np.unique(rows[:2], axis=1, return_inverse=True)
    choice = np.reshape(choice, -1)
    n: Floats = np.bincount(choice, times)[choice].astype(np.float64)
    mass = times + prior
    total = np.bincount(choice, mass)[choice]
    p = mass / total
    # Without a prior, that of Jeffreys, so that an outcome that was seen once and nothing else is not certain.
    half = (times + max(prior, 0.5)) / (n + 2.0 * max(prior, 0.5)) if prior == 0.0 else p
    spread = n + 2.0 if prior == 0.0 else total + 1.0
    errors: Floats = np.sqrt(half * (1.0 - half) / spread)
    return rows, p, n, errors


def _completed(rows: Any, times: Floats) -> tuple[Any, Floats]:
    """Every next state of a state for each action that was taken there."""
    pairs = np.unique(rows[:2], axis=1)
    leads = np.unique(rows[[0, 2]], axis=1)
    first, last = np.searchsorted(leads[0], pairs[0]), np.searchsorted(leads[0], pairs[0], side="right")
    reach = last - first
    at = np.repeat(first - np.cumsum(reach) + reach, reach) + np.arange(reach.sum())
    every = np.stack([np.repeat(pairs[0], reach), np.repeat(pairs[1], reach), leads[1][at]])
    seen = {tuple(row): count for row, count in zip(rows.T.tolist(), times.tolist())}
    return every, np.array([seen.get(tuple(row), 0.0) for row in every.T.tolist()])


def _size(numbers: Any, labels: list[Hashable] | None) -> int:
    return int(numbers.max(initial=0)) + 1 if labels is None else len(labels)


def _numbered(trajectories: Any) -> tuple[Trajectories, list[Hashable] | None, list[Hashable] | None]:
    """Paths by number, and the labels of their states and actions; None where these are numbers."""
    if isinstance(trajectories, Trajectories):
        return trajectories, None, None
    if is_frame(trajectories):
        return _numbered_frame(trajectories)
    found = []
    for at, path in enumerate(given_paths(trajectories)):
        raw = given_path(name_of(at), path)
        if raw is None:
            return Trajectories(trajectories), None, None  # which says what is wrong
        states = [label_of(state) for state in raw[0]]
        if getattr(path, "terminated", False) and states:
            states[-1] = End(states[-1])
        found.append((states, [label_of(action) for action in raw[1]]))
    known = {state for states, _ in found for state in states if not isinstance(state, End)}
    for states, _ in found:
        if isinstance(states[-1], End) and states[-1][0] not in known:
            states[-1] = states[-1][0]
    labels, acts = _index([s for states, _ in found for s in states]), _index([a for _, actions in found for a in actions])
    paths = [([_at(labels, s) for s in states], [_at(acts, a) for a in actions]) for states, actions in found]
    return Trajectories(paths), None if labels is None else list(labels), None if acts is None else list(acts)


def _numbered_frame(frame: Any) -> tuple[Trajectories, list[Hashable] | None, list[Hashable] | None]:
    columns, found = {}, {}
    for name in ("state", "action"):
        if name not in frame_columns("the frame", frame):
            return Trajectories(frame), None, None  # which says what is missing
        values = [None if is_absent(value) else label_of(value) for value in frame_column(frame, name).tolist()]
        found[name] = _index([value for value in values if value is not None and value != -1])
        columns[name] = np.array([-1 if v is None or v == -1 else _at(found[name], v) for v in values], dtype=np.int64)
    if hasattr(frame, "with_columns"):
        import polars

        numbers = frame.with_columns([polars.Series(name, column) for name, column in columns.items()])
    else:
        numbers = frame.assign(**columns)
    states, acts = found["state"], found["action"]
    return Trajectories(numbers), None if states is None else list(states), None if acts is None else list(acts)


def _index(labels: list[Hashable]) -> dict[Hashable, int] | None:
    """Labels in their order with their numbers; None if they are whole numbers from 0 without a gap."""
    distinct = list(dict.fromkeys(labels))
    distinct = [distinct[at] for at in in_order(distinct)]
    if all(isinstance(label, (int, float)) and label == at for at, label in enumerate(distinct)):
        return None
    return {label: at for at, label in enumerate(distinct)}


def _at(index: dict[Hashable, int] | None, label: Any) -> int:
    return int(label) if index is None else index[label]
