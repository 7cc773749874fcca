"""Demonstrations and single paths over a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Floats, Integers
from .colours import INK, PATH
from .layout import Layout
from .lines import Edges

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["demonstrations_over_cells", "demonstrations_over_lines", "path_over"]

# With more different paths than this, lines of their own would hide the cells.
_MOST_LINES = 40
# The angle at which seeds stand in a sunflower: no two lines get the same place in their cells.
_SUNFLOWER = np.pi * (3.0 - np.sqrt(5.0))


def demonstrations_over_cells(ax: Axes, layout: Layout, paths: Trajectories, ink: list[str]) -> None:
    """A translucent line for each different path, offset from the others; wider for paths of more weight."""
    from matplotlib.collections import LineCollection

    weight: dict[bytes, float] = {}
    for at in range(len(paths)):
        states = paths.states[paths.offsets[at] : paths.offsets[at + 1]]
        weight[states.tobytes()] = weight.get(states.tobytes(), 0.0) + float(paths.weights[at])
    n, heaviest = len(weight), max(weight.values(), default=1.0)
    if n > _MOST_LINES:
        _bands_over_cells(ax, layout, paths, ink)
        return
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


def _bands_over_cells(ax: Axes, layout: Layout, paths: Trajectories, ink: list[str]) -> None:
    """A thin band for each pair of cells that paths connect, wider for more weight, so that the cells stay visible."""
    from matplotlib.collections import LineCollection

    goes_on = np.ones(len(paths.states), dtype=bool)
    goes_on[paths.offsets[1:] - 1] = False
    at = np.flatnonzero(goes_on)
    steps = np.sort(np.stack([paths.states[at], paths.states[at + 1]]), axis=0)
    moves = steps[0] != steps[1]
    pairs, where = np.unique(steps[:, moves], axis=1, return_inverse=True)
    walked = np.bincount(np.reshape(where, -1), np.repeat(paths.weights, paths.lengths)[at][moves], pairs.shape[1])
    shapes = np.moveaxis(np.stack([layout.x[pairs], layout.y[pairs]], axis=2), 0, 1)
    widths = 0.4 + 4.0 * np.sqrt(walked / walked.max(initial=1.0))
    dark = np.array([ink[state] == INK for state in pairs[0]], dtype=bool)
    colours = np.where(dark, INK, "white").tolist()
    bands = LineCollection(list(shapes), colors=colours, linewidths=widths.tolist(), alpha=0.55, capstyle="round", zorder=3)
    bands.set_label("demonstrations")
    ax.add_collection(bands)


def demonstrations_over_lines(ax: Axes, edges: Edges, paths: Trajectories) -> None:
    """A translucent band along each line that a path takes, wider for more weight."""
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
    # Steps that stay in place have no direction.
    steps = np.flatnonzero(np.hypot(*np.diff(course, axis=0).T) > 0.0)
    if len(steps):
        last = course[-1] - course[steps[-1]]
        down = -1.0 if ax.yaxis_inverted() else 1.0
        angle = np.degrees(np.arctan2(down * last[1], last[0])) - 90.0
        ax.plot(*course[-1], marker=(3, 0, angle), markersize=10 - 2 * faint, zorder=6.2 - faint, **style)
