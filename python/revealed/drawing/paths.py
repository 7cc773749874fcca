"""Demonstrations and single paths over a picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._columns import Floats, Integers, integers
from ..demonstrations import Trajectories
from ..labelled import in_world
from .colours import INK, PATH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..mdp import Mdp
    from .layout import Layout
    from .lines import Edges

__all__ = ["demonstrations_over_cells", "demonstrations_over_lines", "path_over", "states_of", "trajectories_in"]

# The angle at which seeds stand in a sunflower: no two lines get the same place in their cells.
_SUNFLOWER = np.pi * (3.0 - np.sqrt(5.0))


def trajectories_in(mdp: Mdp, demonstrations: Any) -> Trajectories:
    """Demonstrations whose states there are."""
    paths = in_world(mdp, demonstrations)
    _check("demonstrations", mdp, paths.states)
    return paths


def states_of(mdp: Mdp, path: Any) -> list[Integers]:
    """The states of one path or several: a `Path`, a list of them, (state, action) pairs, or states by label or number."""
    if hasattr(path, "states") and hasattr(path, "actions") and not isinstance(path, Trajectories):
        found = [integers("path", path.states)]
    elif isinstance(path, Trajectories):
        found = [integers("path", [state for state, _ in one]) for one in path]
    else:
        parts = list(path) if isinstance(path, Iterable) and not isinstance(path, (str, bytes)) else [path]
        if parts and all(hasattr(part, "states") for part in parts):
            found = [integers("path", part.states) for part in parts]
        elif parts and all(isinstance(part, tuple) and len(part) == 2 for part in parts):
            found = [integers("path", [state for state, _ in parts])]
        else:
            found = [integers("path", [_number(mdp, state) for state in parts])]
    for states in found:
        if not len(states):
            raise ValueError("path has no states: give at least one")
        _check("path", mdp, states)
    return found


def _number(mdp: Mdp, state: Any) -> int:
    """A label or, where there is no such label, a number: demonstrations have numbers even where states have labels."""
    try:
        return mdp._state("path", state)
    except ValueError:
        if mdp.labels is None or isinstance(state, bool) or not isinstance(state, (int, np.integer)):
            raise
        return int(state)


def _check(name: str, mdp: Mdp, states: Integers) -> None:
    bad = states[(states < 0) | (states >= mdp.n_states)]
    if len(bad):
        raise ValueError(f"{name} visits state {bad[0]}, but there are {mdp.n_states} states, numbered from 0")


def demonstrations_over_cells(ax: Axes, layout: Layout, paths: Trajectories, ink: list[str]) -> None:
    """A translucent line for each different path, moved aside from the others; more often walked is wider."""
    from matplotlib.collections import LineCollection

    weight: dict[bytes, float] = {}
    for at in range(len(paths)):
        states = paths.states[paths.offsets[at] : paths.offsets[at + 1]]
        weight[states.tobytes()] = weight.get(states.tobytes(), 0.0) + float(paths.weights[at])
    n, heaviest = len(weight), max(weight.values(), default=1.0)
    shapes, widths = [], []
    for at, (key, times) in enumerate(sorted(weight.items(), key=lambda item: -item[1])):
        states = np.frombuffer(key, dtype=np.int64)
        reach = 0.3 * np.sqrt(at / n)
        aside = reach * np.cos(at * _SUNFLOWER), reach * np.sin(at * _SUNFLOWER)
        shapes.append(np.stack([layout.x[states] + aside[0], layout.y[states] + aside[1]], axis=1))
        widths.append(0.9 + 4.0 * np.sqrt(times / heaviest) * (heaviest > 1.0))
    # The ink that reads on most cells where paths go.
    on_dark = np.mean([ink[state] == INK for state in paths.states]) < 0.5
    line, casing = ("white", INK) if on_dark else (INK, "white")
    alpha = float(np.clip(8.0 / max(n, 1), 0.12, 0.7))
    under = LineCollection(shapes, colors=casing, linewidths=[w + 1.2 for w in widths], alpha=0.6 * alpha, zorder=2.9)
    over = LineCollection(shapes, colors=line, linewidths=widths, alpha=alpha, zorder=3, label="demonstrations")
    for lines in (under, over):
        lines.set(capstyle="round", joinstyle="round")
        ax.add_collection(lines)


def demonstrations_over_lines(ax: Axes, edges: Edges, paths: Trajectories) -> None:
    """A translucent band along each line that was walked, wider the more often."""
    from matplotlib.collections import LineCollection

    walked = edges.walked(paths.states, paths.offsets, paths.weights)
    seen = np.flatnonzero(walked > 0.0)
    if not len(seen):
        return
    widths = 0.8 + 5.5 * np.sqrt(walked[seen] / walked.max())
    shapes = edges.lines(edges.source[seen], edges.target[seen])
    bands = LineCollection(list(shapes), colors=INK, linewidths=widths.tolist(), alpha=0.35, capstyle="round", zorder=0.9)
    bands.set_label("demonstrations")
    ax.add_collection(bands)


def path_over(ax: Axes, layout: Layout, edges: Edges | None, states: Integers, faint: float) -> None:
    """A path that stands out, from a dot to an arrow head; `faint` is 0 for the first."""
    from matplotlib.patheffects import Normal, Stroke

    course: Floats = np.stack([layout.x[states], layout.y[states]], axis=1)
    if edges is not None and len(states) > 1:
        course = np.concatenate(list(edges.lines(states[:-1], states[1:])))
    width = 2.8 - 1.2 * faint
    casing = [Stroke(linewidth=width + 1.8, foreground="white"), Normal()]
    style: dict[str, Any] = {"color": PATH, "alpha": 1.0 - 0.5 * faint, "path_effects": casing}
    ax.plot(*course.T, linewidth=width, solid_capstyle="round", solid_joinstyle="round", zorder=6 - faint, **style)
    ax.plot(*course[0], marker="o", markersize=6, zorder=6.1 - faint, **style)
    # Steps that stay where they are have no direction.
    steps = np.flatnonzero(np.hypot(*np.diff(course, axis=0).T) > 0.0)
    if len(steps):
        way = course[-1] - course[steps[-1]]
        down = -1.0 if ax.yaxis_inverted() else 1.0
        angle = np.degrees(np.arctan2(down * way[1], way[0])) - 90.0
        ax.plot(*course[-1], marker=(3, 0, angle), markersize=10 - 2 * faint, zorder=6.2 - faint, **style)
