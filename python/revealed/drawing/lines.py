"""States drawn as points: nodes on a line with arcs between them, small graphs, and networks of a city's size."""

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

__all__ = ["Edges", "graph", "node_words"]

# With more nodes than this the nodes are not drawn, and the lines take their colours.
_MOST_NODES = 300
# With more lines than this arrow heads are a blur, and the two directions of a road fall on each other.
_MOST_HEADS = 1500
_GREY = "#9a9a9a"


class Edges:
    """One line for each pair of states that some action connects."""

    def __init__(self, scene: Scene, layout: Layout) -> None:
        source, action, target, p = scene.transitions
        pairs, self._edge_of = np.unique(source * scene.n_states + target, return_inverse=True)
        self.source, self.target = np.divmod(pairs, scene.n_states)
        self._rows = source, action, p
        self._n_states, self.layout = scene.n_states, layout
        apart = np.hypot(layout.x[self.source] - layout.x[self.target], layout.y[self.source] - layout.y[self.target])
        far = apart[apart > 0.0]
        self.unit = float(np.median(far)) if len(far) else 1.0
        self.has_nodes = scene.n_states <= _MOST_NODES
        self.has_heads = len(pairs) <= _MOST_HEADS
        self.radius = (0.2 if layout.style == "line" else _node_radius(layout, self.unit)) if self.has_nodes else 0.0

    def __len__(self) -> int:
        return len(self.source)

    def means(self, values: Floats) -> Floats:
        """The mean value of the transitions along each line, weighted by their probability."""
        p = self._rows[2]
        total, weight = np.zeros(len(self)), np.zeros(len(self))
        np.add.at(total, self._edge_of, p * values)
        np.add.at(weight, self._edge_of, p)
        return total / weight

    def followed(self, policy: Floats) -> Floats:
        """The probability of each line from its first state, under a policy."""
        source, action, p = self._rows
        total = np.zeros(len(self))
        np.add.at(total, self._edge_of, p * policy[source, action])
        return total

    def walked(self, states: Integers, offsets: Integers, weights: Floats) -> Floats:
        """The total weight of the paths along each line."""
        goes_on = np.ones(len(states), dtype=bool)
        goes_on[offsets[1:] - 1] = False
        at = np.flatnonzero(goes_on)
        taken = states[at] * self._n_states + states[at + 1]
        pairs = self.source * self._n_states + self.target
        place = np.minimum(np.searchsorted(pairs, taken), len(pairs) - 1)
        known = pairs[place] == taken
        total = np.zeros(len(self))
        np.add.at(total, place[known], np.repeat(weights, np.diff(offsets))[at][known])
        return total

    def lines(self, source: Integers, target: Integers) -> Floats:
        """The points of the lines between states, as an array (lines, points, 2)."""
        begin = np.stack([self.layout.x[source], self.layout.y[source]], axis=1)
        end = np.stack([self.layout.x[target], self.layout.y[target]], axis=1)
        return self._arcs(begin, end) if self.layout.style == "line" else self._roads(begin, end)

    def _arcs(self, begin: Floats, end: Floats) -> Floats:
        """Forward above the line, back below it, and around where a state leads to itself."""
        span = (end - begin)[:, :1]
        away = np.maximum(np.abs(span), 1e-9)
        height = 0.22 * away**0.8
        cut = np.minimum(self.radius * np.cos(np.arctan(4.0 * height / away)) / away, 0.45)
        t = cut + (1.0 - 2.0 * cut) * np.linspace(0.0, 1.0, 24)
        arcs = np.stack([begin[:, :1] + span * t, np.sign(span) * height * 4.0 * t * (1.0 - t)], axis=2)
        turn = np.linspace(-0.2 * np.pi, 1.2 * np.pi, 24)
        loop = np.stack([0.14 * np.cos(turn), 0.14 * np.sin(turn) + 0.28], axis=1)
        own = span[:, 0] == 0.0
        arcs[own] = begin[own][:, None, :] + loop
        return arcs

    def _roads(self, begin: Floats, end: Floats) -> Floats:
        """Straight; each direction on its right-hand side where both can be seen."""
        across = end - begin
        length = np.maximum(np.hypot(*across.T)[:, None], 1e-300)
        unit = across / length
        cut = np.minimum(self.radius, 0.4 * length)
        aside = np.stack([unit[:, 1], -unit[:, 0]], axis=1) * (0.05 * self.unit if self.has_heads else 0.0)
        return np.stack([begin + cut * unit + aside, end - cut * unit + aside], axis=1)


def _node_radius(layout: Layout, unit: float) -> float:
    """Small enough that most nodes do not touch."""
    apart = np.hypot(layout.x[:, None] - layout.x, layout.y[:, None] - layout.y)
    np.fill_diagonal(apart, np.inf)
    nearest = np.min(apart, axis=1, initial=np.inf)
    return float(min(0.17 * unit, 0.3 * np.median(nearest)))


def graph(
    ax: Axes,
    edges: Edges,
    of_state: Floats | None,
    of_transition: Floats | None,
    policy: Floats | None,
    shades: Shades,
) -> tuple[ScalarMappable | None, list[str]]:
    """Lines and, unless there are too many, nodes; and the text colour that is legible on each node."""
    from matplotlib.collections import LineCollection

    layout = edges.layout
    shapes = edges.lines(edges.source, edges.target)
    on_lines = None if of_transition is None else edges.means(of_transition)
    if on_lines is None and of_state is not None and not edges.has_nodes:
        with np.errstate(invalid="ignore"):
            on_lines = 0.5 * (of_state[edges.source] + of_state[edges.target])
    _frame(ax, edges, shapes)
    width = np.full(len(edges), _width(ax, edges))
    if policy is not None:
        width = width * (0.35 + 2.6 * edges.followed(policy))
    lines = LineCollection(list(shapes), linewidths=width.tolist(), zorder=1, capstyle="round", rasterized=len(edges) > 20_000)
    mappable: ScalarMappable | None = None
    if on_lines is None:
        lines.set_color(_GREY if policy is None else INK)
    else:
        norm, colours = shades.of(on_lines)
        lines.set(array=np.ma.masked_invalid(on_lines), norm=norm, cmap=colours.with_extremes(bad=BLANK))
        mappable = lines
    ax.add_collection(lines)
    if edges.has_heads:
        _heads(ax, edges, shapes, lines, on_lines, policy)
    ink = [INK] * len(layout.x)
    if edges.has_nodes:
        nodes, ink = _nodes(ax, edges, of_state, shades)
        mappable = nodes if mappable is None and of_state is not None else mappable
    return mappable, ink


def _frame(ax: Axes, edges: Edges, shapes: Floats) -> None:
    layout = edges.layout
    ax.set_aspect("equal")
    margin = 2.0 * edges.radius if edges.has_nodes else 0.02 * max(layout.box)
    low, high = (np.array([pick(layout.x), pick(layout.y)]) for pick in (np.min, np.max))
    if layout.style == "line" and len(shapes):
        low, high = np.minimum(low, shapes.min(axis=(0, 1))), np.maximum(high, shapes.max(axis=(0, 1)))
        margin = 1.3 * edges.radius
    ax.set_xlim(low[0] - margin, high[0] + margin)
    ax.set_ylim(low[1] - margin, high[1] + margin)
    ax.set_axis_off()


def _width(ax: Axes, edges: Edges) -> float:
    """Thinner where lines are dense."""
    box = ax.get_window_extent()
    across = max(edges.layout.box[0], 1e-300)
    return float(np.clip(0.12 * edges.unit / across * box.width * 72.0 / ax.figure.dpi, 0.5, 1.6))


def _heads(ax: Axes, edges: Edges, shapes: Floats, lines: Any, values: Floats | None, policy: Floats | None) -> None:
    from matplotlib.collections import PolyCollection

    last = shapes[:, -1] - shapes[:, -2]
    length = np.hypot(*last.T)
    seen = (length > 0.0) if policy is None else (length > 0.0) & (edges.followed(policy) > 0.01)
    unit = last[seen] / length[seen, None]
    across = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    size, tip = (0.13 if edges.layout.style == "line" else 0.14) * edges.unit, shapes[seen, -1]
    corners = np.stack([tip, tip - size * unit + 0.4 * size * across, tip - size * unit - 0.4 * size * across], axis=1)
    heads = PolyCollection(list(corners), linewidths=0, zorder=1.2)
    if values is None:
        heads.set_color(lines.get_color())
    else:
        heads.set(array=np.ma.masked_invalid(values[seen]), norm=lines.norm, cmap=lines.get_cmap())
    ax.add_collection(heads)


def _nodes(ax: Axes, edges: Edges, values: Floats | None, shades: Shades) -> tuple[ScalarMappable, list[str]]:
    from matplotlib.collections import EllipseCollection

    layout = edges.layout
    n, across = len(layout.x), 2.0 * edges.radius
    places = np.stack([layout.x, layout.y], axis=1)
    size = [across] * n
    nodes = EllipseCollection(size, size, [0.0] * n, units="xy", offsets=places, offset_transform=ax.transData, zorder=2)
    nodes.set(edgecolor=INK, linewidth=0.8 if n <= 60 else 0.4, facecolor="white")
    ink = [INK] * n
    if values is not None:
        norm, colours = shades.of(values)
        nodes.set(array=np.ma.masked_invalid(values), norm=norm, cmap=colours.with_extremes(bad=BLANK))
        known = np.isfinite(values)
        drawn = ink_on(colours(norm(np.where(known, values, 0.0))))
        ink = [mark if seen else INK for mark, seen in zip(drawn, known)]
    ax.add_collection(nodes)
    return nodes, ink


def node_words(ax: Axes, edges: Edges, marks: dict[int, str], texts: dict[int, str], ink: list[str]) -> None:
    """A letter in each node that has one, a text in the others."""
    if not edges.has_nodes:
        return
    layout = edges.layout
    box = ax.get_window_extent()
    dots = min(box.width / abs(np.diff(ax.get_xlim())[0]), box.height / abs(np.diff(ax.get_ylim())[0]))
    across = 2.0 * edges.radius * float(dots) * 72.0 / ax.figure.dpi
    for state, text in {**texts, **marks}.items():
        size = min(0.55 * across, 12.0, 1.5 * across / max(len(text), 1))
        if size >= 3.5:
            place = layout.x[state], layout.y[state]
            ax.text(*place, text, color=ink[state], fontsize=size, fontweight="bold", ha="center", va="center_baseline", zorder=5)
