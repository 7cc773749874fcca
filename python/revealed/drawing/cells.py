"""States drawn as cells: a heat map, letters, and arrows for a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..inputs.columns import Floats, Integers
from .colours import BLANK, INK, Shades, ink_on
from .layout import Layout
from .scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

__all__ = ["arrows", "directions", "frame", "heat_map", "triangles", "words"]

# A choice with a smaller probability gets no arrow.
_LEAST = 0.02


def frame(ax: Axes, layout: Layout) -> None:
    """Square cells with white lines between them, row 0 at the top."""
    ax.set_aspect("equal")
    ax.set_xlim(layout.x.min() - 0.5, layout.x.max() + 0.5)
    ax.set_ylim(layout.y.max() + 0.5, layout.y.min() - 0.5)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)


def _squares(ax: Axes, layout: Layout, states: Integers, colour: str) -> None:
    from matplotlib.collections import PolyCollection

    corner = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    shapes = np.stack([layout.x[states], layout.y[states]], axis=1)[:, None, :] + corner
    ax.add_collection(PolyCollection(list(shapes), facecolors=colour, edgecolors="none", zorder=0.5))


def _lines_between(ax: Axes, layout: Layout) -> None:
    if max(layout.box) > 60:
        return
    style: dict[str, Any] = {"color": "white", "linewidth": 1.0, "zorder": 1.5}
    ax.vlines(np.arange(layout.x.min(), layout.x.max()) + 0.5, layout.y.min() - 0.5, layout.y.max() + 0.5, **style)
    ax.hlines(np.arange(layout.y.min(), layout.y.max()) + 0.5, layout.x.min() - 0.5, layout.x.max() + 0.5, **style)


def heat_map(ax: Axes, layout: Layout, values: Floats | None, shades: Shades) -> tuple[ScalarMappable | None, list[str]]:
    """Cells in the colour of their value, grey if they have none; and the text colour that is legible on each."""
    known = np.zeros(len(layout.x), dtype=bool) if values is None else np.isfinite(values)
    _squares(ax, layout, np.flatnonzero(~known), BLANK)
    image: ScalarMappable | None = None
    ink = [INK] * len(layout.x)
    if values is not None:
        norm, colours = shades.of(values)
        column, row = (layout.x - layout.x.min()).astype(int), (layout.y - layout.y.min()).astype(int)
        table = np.full((row.max() + 1, column.max() + 1), np.nan)
        table[row[known], column[known]] = values[known]
        extent = (layout.x.min() - 0.5, layout.x.max() + 0.5, layout.y.max() + 0.5, layout.y.min() - 0.5)
        image = ax.imshow(table, norm=norm, cmap=colours, extent=extent, interpolation="nearest", zorder=1)
        drawn = np.asarray(colours(norm(np.where(known, values, 0.0))))
        ink = [mark if seen else INK for mark, seen in zip(ink_on(drawn), known)]
    _lines_between(ax, layout)
    return image, ink


def triangles(ax: Axes, scene: Scene, layout: Layout, table: Floats, shades: Shades) -> tuple[ScalarMappable | None, list[str]]:
    """Cells in parts, one for each action, on the side that it leads to.

    An action that leads nowhere gets a part of a square in the middle.
    """
    from matplotlib.collections import PolyCollection

    _squares(ax, layout, np.arange(len(layout.x)), BLANK)
    compass = directions(scene, layout)
    taken: list[bool] = []
    shapes, values = [], []
    for action, towards in enumerate(compass):
        still = not towards.any()
        across = np.array([-towards[1], towards[0]])
        part = np.array([[0.0, 0.0], 0.5 * (towards + across), 0.5 * (towards - across)])
        if still:
            # Several such actions share the square from left to right.
            rank, n_still = sum(taken), int((~compass.any(axis=1)).sum())
            left = -0.18 + 0.36 * rank / n_still
            right = left + 0.36 / n_still
            part = np.array([[left, -0.18], [right, -0.18], [right, 0.18], [left, 0.18]])
        taken.append(still)
        states = np.flatnonzero(np.isfinite(table[:, action]))
        shapes += list(np.stack([layout.x[states], layout.y[states]], axis=1)[:, None, :] + part)
        values += table[states, action].tolist()
    norm, colours = shades.of(np.array(values))
    parts = PolyCollection(shapes, array=np.array(values), norm=norm, cmap=colours, edgecolors="white", linewidths=0.4, zorder=1)
    ax.add_collection(parts)
    return parts, [INK] * len(layout.x)


def directions(scene: Scene, layout: Layout) -> Floats:
    """The mean direction of each action as a unit vector (x, y); 0 for actions that lead nowhere.

    Only steps to neighbouring cells count: a fall that ends at the start has no direction.
    """
    source, action, target, p = scene.transitions
    step = np.stack([layout.x[target] - layout.x[source], layout.y[target] - layout.y[source]], axis=1)
    near = np.abs(step).max(axis=1) <= 1.0
    total = np.zeros((scene.n_actions, 2))
    np.add.at(total, action[near], p[near, None] * step[near])
    moved = np.zeros(scene.n_actions)
    np.add.at(moved, action, p)
    length = np.hypot(*total.T)
    compass = np.zeros_like(total)
    for at in np.flatnonzero(length > 0.1 * moved):
        unit = total[at] / length[at]
        # Walls and holes bend the mean a little; a diagonal is bent by 45 degrees.
        compass[at] = np.round(unit) if np.abs(unit).min() < 0.3 else unit
    return compass


def arrows(ax: Axes, scene: Scene, layout: Layout, policy: Floats, ink: list[str]) -> None:
    """An arrow in the direction of each action, longer the likelier it is; a dot for actions that lead nowhere."""
    compass = directions(scene, layout)
    states, actions = np.nonzero(policy > _LEAST)
    if not len(states):
        return
    p, towards = policy[states, actions], compass[actions]
    moves = towards.any(axis=1)
    # A certain action is drawn through the middle of its cell; several actions are drawn from the middle outwards.
    certain = p > 0.98
    length = np.where(certain, 0.62, 0.47 * np.sqrt(p))[:, None]
    centre = np.stack([layout.x[states], layout.y[states]], axis=1)
    tail = centre - np.where(certain[:, None], 0.5, 0.0) * length * towards
    colour = np.array(ink)[states]
    if moves.any():
        ax.quiver(
            *tail[moves].T,
            *(length * towards)[moves].T,
            angles="xy",
            scale_units="xy",
            scale=1.0,
            units="xy",
            width=0.045,
            headwidth=3.6,
            headlength=3.4,
            headaxislength=3.1,
            minlength=0.0,
            minshaft=1.0,
            color=colour[moves],
            zorder=4,
        )
    if (~moves).any():
        size = (0.5 * _points_per_cell(ax, layout)) ** 2 * p[~moves]
        x, y = centre[~moves].T
        ax.scatter(x, y, s=0.35 * size, color=colour[~moves], zorder=4, linewidths=0)


def words(ax: Axes, layout: Layout, marks: dict[int, str], texts: dict[int, str], ink: list[str], low: bool) -> None:
    """Letters in the corners of cells, and texts in their middle (or below it, where arrows are)."""
    cell = _points_per_cell(ax, layout)
    if cell < 11.0:
        return
    from matplotlib.patheffects import withStroke

    size = float(np.clip(0.24 * cell, 5.0, 13.0))
    halo = {INK: [withStroke(linewidth=2, foreground="white", alpha=0.6)]}
    for state, mark in marks.items():
        place = layout.x[state] - 0.42, layout.y[state] - 0.40
        style: dict[str, Any] = {"color": ink[state], "fontsize": size, "fontweight": "bold"}
        ax.text(*place, mark, ha="left", va="top", zorder=5, path_effects=halo.get(ink[state]), **style)
    for state, text in texts.items():
        small = min(size, 1.6 * cell / max(len(text), 1))
        ax.text(
            layout.x[state],
            layout.y[state] + (0.36 if low else 0.0),
            text,
            color=ink[state],
            fontsize=small,
            ha="center",
            va="center",
            zorder=5,
        )


def _points_per_cell(ax: Axes, layout: Layout) -> float:
    box = ax.get_window_extent()
    dots = min(box.width / (layout.box[0] + 1.0), box.height / (layout.box[1] + 1.0))
    return float(dots * 72.0 / ax.figure.dpi)
