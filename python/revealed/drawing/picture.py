"""One picture of an MDP: colours, demonstrations, a policy, texts and paths, drawn one over another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Integers
from ..inputs.matrices import policy_table
from . import cells, lines, paths, words
from .colours import Shades, colour_bar, pyplot
from .layout import Layout, Style, layout_of
from .scene import Scene
from .values import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

__all__ = ["Frame", "Overlay", "draw", "figure_size"]


@dataclass(frozen=True, eq=False)
class Overlay:
    """What is drawn over the colours."""

    policy: Any
    """A table (n_states, n_actions), or None."""
    demonstrations: Trajectories | None
    """Lines that are wider where more paths pass."""
    paths: Sequence[Integers]
    """The states of paths that stand out."""
    labels: Any
    """True, False, "values", a text for each state, or None for what the layout usually has."""


@dataclass(frozen=True, eq=False)
class Frame:
    """Where a picture is drawn, and what is shown next to it."""

    style: Style | None
    ax: Axes | None
    title: str | None
    label: str | None
    colorbar: bool


def draw(scene: Scene, values: Any, overlay: Overlay, shades: Shades, frame: Frame) -> Axes:
    """Draws a picture and returns its axes. Everything is checked before a figure is made."""
    plt = pyplot()
    layout = layout_of(scene, frame.style)
    coloured = Values.read(scene, values)
    policy = None if overlay.policy is None else policy_table(overlay.policy, scene.n_states, scene.n_actions)
    texts = words.texts(scene, layout.style == "line" if overlay.labels is None else overlay.labels, coloured.state)
    marks = words.marks(scene)
    if overlay.labels is not None and layout.style != "cells":
        marks = {state: mark for state, mark in marks.items() if state not in texts}
    ax = frame.ax if frame.ax is not None else plt.subplots(figsize=figure_size(layout), layout="constrained")[1]
    edges = None
    mappable: ScalarMappable | None
    if layout.style == "cells":
        cells.frame(ax, layout)
        if coloured.state is not None or values is None:
            mappable, ink = cells.heat_map(ax, layout, coloured.state, shades)
        else:
            mappable, ink = cells.triangles(ax, scene, layout, coloured.by_choice(scene), shades)
        if overlay.demonstrations is not None:
            paths.demonstrations_over_cells(ax, layout, overlay.demonstrations, ink)
        if policy is not None:
            cells.arrows(ax, scene, layout, policy, ink)
        cells.words(ax, layout, marks, texts, ink, low=policy is not None)
    else:
        edges = lines.Edges(scene, layout)
        mappable, ink = lines.graph(ax, edges, coloured.state, coloured.by_transition(scene), policy, shades)
        if overlay.demonstrations is not None:
            paths.demonstrations_over_lines(ax, edges, overlay.demonstrations)
        lines.node_words(ax, edges, marks, texts, ink)
    for at, states in reversed(list(enumerate(overlay.paths))):
        paths.path_over(ax, layout, edges, states, faint=at / max(len(overlay.paths), 1))
    if mappable is not None and frame.colorbar:
        colour_bar(ax, mappable, frame.label)
    if frame.title is not None:
        ax.set_title(frame.title)
    return ax


def figure_size(layout: Layout, bar: bool = True) -> tuple[float, float]:
    """Inches for a picture of this shape, and for the colour bar next to it."""
    extra = 0.9 if bar else 0.0
    width, height = layout.box
    if layout.style == "line":
        wide = float(np.clip(1.2 * (width + 1.0), 4.0, 12.0))
        return wide + extra, float(np.clip(0.45 * wide, 2.0, 3.6))
    if layout.style == "cells":
        width, height = width + 1.0, height + 1.0
    longest = max(width, height, 1e-300)
    side = float(np.clip(0.7 * longest, 3.0, 9.0)) if layout.style == "cells" else 7.0
    return max(side * width / longest, 1.5) + extra, max(side * height / longest, 1.5) + 0.3
