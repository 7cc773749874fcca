"""Pictures of worlds, of what was learned in them, and of what is to be expected. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._columns import Floats, count, reals
from .drawing import cells, lines, paths
from .drawing.colours import Shades, colour_bar, pyplot
from .drawing.layout import Layout, Style, layout_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .mdp import Mdp
    from .questions import Questions

__all__ = ["What", "plot", "plot_learned", "plot_visits_over_time"]

What = Literal["reward", "value", "visits", "policy"]


def plot(
    mdp: Mdp,
    values: Any = None,
    *,
    policy: Any = None,
    demonstrations: Any = None,
    path: Any = None,
    labels: Any = None,
    style: Style | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    label: str | None = None,
    limits: tuple[float, float] | None = None,
    cmap: Any = None,
    norm: Any = None,
    colorbar: bool = True,
) -> Axes:
    """See `Mdp.plot`."""
    plt = pyplot()
    layout = layout_of(mdp, style)
    of_state, of_choice, of_transition = _values(mdp, values)
    chosen = None if policy is None else _policy(mdp, policy)
    shown = None if demonstrations is None else paths.trajectories_in(mdp, demonstrations)
    ways = [] if path is None else paths.states_of(mdp, path)
    shades = Shades(limits, cmap, norm)
    if labels is None:
        labels = layout.style == "line"
        marks, texts = _marks(mdp), _texts(mdp, labels, of_state)
    else:
        texts = _texts(mdp, labels, of_state)
        marks = {state: mark for state, mark in _marks(mdp).items() if layout.style == "cells" or state not in texts}
    if ax is None:
        ax = plt.subplots(figsize=_figure_size(layout), layout="constrained")[1]
    edges = None
    if layout.style == "cells":
        cells.frame(ax, layout)
        if of_state is not None or values is None:
            mappable, ink = cells.heat_map(ax, layout, of_state, shades)
        else:
            table = of_choice if of_choice is not None else _by_choice(mdp, of_transition)
            mappable, ink = cells.triangles(ax, mdp, layout, table, shades)
        if shown is not None:
            paths.demonstrations_over_cells(ax, layout, shown, ink)
        if chosen is not None:
            cells.arrows(ax, mdp, layout, chosen, ink)
        cells.words(ax, layout, marks, texts, ink, low=chosen is not None)
    else:
        edges = lines.Edges(mdp, layout)
        along = of_transition if of_choice is None else of_choice[mdp.transitions[0], mdp.transitions[1]]
        mappable, ink = lines.graph(ax, edges, of_state, along, chosen, shades)
        if shown is not None:
            paths.demonstrations_over_lines(ax, edges, shown)
        lines.node_words(ax, edges, marks, texts, ink)
    for at, states in reversed(list(enumerate(ways))):
        paths.path_over(ax, layout, edges, states, faint=at / max(len(ways), 1))
    if mappable is not None and colorbar:
        colour_bar(ax, mappable, label)
    if title is not None:
        ax.set_title(title)
    return ax


def plot_learned(
    irl: Questions, what: What, t: int | None, start: Any, to: Any, demonstrations: Any, options: dict[str, Any]
) -> Axes:
    """See `MaxEntIRL.plot`."""
    pyplot()
    mdp = irl.mdp_
    if what == "reward":
        if t is not None or to is not None or start is not None:
            raise ValueError("a reward has no time, start or destination: leave out t, start and to")
        own, along = irl.reward_, mdp.transition_reward(irl.theta_)
        values, words = (along if along.any() and not own.any() else own), "learned reward"
    elif what == "value":
        if t is not None or start is not None:
            raise ValueError("values are those of whole paths: leave out t and start")
        values, words = irl.value(to), "soft value"
    elif what in ("visits", "policy"):
        values = irl.marginals(t, start=start, to=to)
        words = f"probability of being there at t = {t}" if t is not None else "expected visits"
        if what == "policy":
            options.setdefault("policy", irl.policy(t, start=start, to=to))
            # How often a state is visited matters less than what is done there.
            values, words = irl.value(to), "soft value"
    else:
        raise ValueError(f"what is {what!r}: it must be 'reward', 'value', 'visits' or 'policy'")
    options.setdefault("label", words)
    return plot(mdp, values, demonstrations=demonstrations, **options)


def plot_visits_over_time(irl: Questions, ts: Sequence[int] | None, start: Any, to: Any, options: dict[str, Any]) -> NDArray[Any]:
    """See `MaxEntIRL.plot_visits_over_time`."""
    plt = pyplot()
    from matplotlib.colors import PowerNorm

    times = _times(irl, start, to) if ts is None else [count("ts", t) for t in ts]
    if not times:
        raise ValueError("ts is empty: give at least one time, from 1")
    layout = layout_of(irl.mdp_, options.get("style"))
    visits = [irl.marginals(t, start=start, to=to) for t in times]
    # One scale for all, or nothing could be compared; of the root, because paths spread out.
    if options.get("norm") is None and options.get("limits") is None:
        options["norm"] = PowerNorm(0.5, 0.0, max(float(np.max(p)) for p in visits) or 1.0)
    width, height = _figure_size(layout, bar=False)
    high = -(-len(times) // (4 if width <= 1.6 * height else 2))
    wide = -(-len(times) // high)
    shrink = min(1.0, 3.0 / width)
    size = wide * width * shrink + 0.9, high * (height * shrink + 0.3)
    figure, grid = plt.subplots(high, wide, figsize=size, layout="constrained", squeeze=False)
    axes: NDArray[Any] = grid.reshape(-1)
    for at, (ax, t, p) in enumerate(zip(axes, times, visits)):
        # One bar at the end of a full row: another in the middle would push the columns apart.
        plot(irl.mdp_, p, ax=ax, colorbar=at % wide == wide - 1, label=None, **options)
        ax.set_title(f"t = {t}, {100 * p.sum():.0f} % on the way", fontsize="medium")
    for ax in axes[len(times) :]:
        ax.set_axis_off()
    return axes[: len(times)]


def _times(irl: Questions, start: Any, to: Any) -> list[int]:
    """Up to eight times, dense at first, until nearly all paths have ended."""
    try:
        under_way = 1.0 - np.cumsum(irl.lengths(start, to))
        last = int(np.count_nonzero(under_way > 0.05)) or 1
    except ValueError:
        # Some models say nothing about lengths until a destination is named.
        last = irl.horizon_
    return sorted({int(t) for t in np.round(np.geomspace(1, max(last, 1), min(last, 8)))})


def _values(mdp: Mdp, values: Any) -> tuple[Floats | None, Floats | None, Floats | None]:
    """What is to be coloured: states, choices, or transitions."""
    if values is None:
        return None, None, None
    array = reals("values", values).astype(np.float64)
    if array.shape == (mdp.n_states,):
        return array, None, None
    if array.shape == (mdp.n_states, mdp.n_actions):
        offered = np.zeros(array.shape, dtype=bool)
        offered[mdp.transitions[0], mdp.transitions[1]] = True
        return None, np.where(offered, array, np.nan), None
    if array.shape == (mdp.n_transitions,):
        return None, None, array
    raise ValueError(
        f"values has shape {array.shape}: give one for each of the {mdp.n_states} states, "
        f"a table ({mdp.n_states}, {mdp.n_actions}), or one for each of the {mdp.n_transitions} transitions"
    )


def _policy(mdp: Mdp, policy: Any) -> Floats:
    table = reals("policy", policy).astype(np.float64)
    if table.shape != (mdp.n_states, mdp.n_actions):
        raise ValueError(f"policy has shape {table.shape}: it must be ({mdp.n_states}, {mdp.n_actions}), a row for each state")
    return table


def _by_choice(mdp: Mdp, of_transition: Floats | None) -> Floats:
    """The mean over chance of what transitions are worth, NaN where there is no choice."""
    source, action, _, p = mdp.transitions
    total, seen = np.zeros((mdp.n_states, mdp.n_actions)), np.zeros((mdp.n_states, mdp.n_actions))
    np.add.at(total, (source, action), p * (0.0 if of_transition is None else of_transition))
    np.add.at(seen, (source, action), p)
    return np.where(seen > 0.0, total, np.nan)


def _marks(mdp: Mdp) -> dict[int, str]:
    """S for the start where there are few, G for goals, H for ends that are worth less; T where nobody knows."""
    begins = np.flatnonzero(mdp.start > 0.0)
    marks = {int(state): "S" for state in begins} if len(begins) <= 3 else {}
    ends = mdp.terminal
    if len(ends):
        truth = mdp.true_theta
        if truth is None:
            marks.update({int(state): "G" if len(ends) == 1 else "T" for state in ends})
        else:
            worth = mdp.reward(truth)[ends]
            marks.update({int(state): "G" if best else "H" for state, best in zip(ends, worth == worth.max())})
    return marks


def _texts(mdp: Mdp, labels: Any, values: Floats | None) -> dict[int, str]:
    """What stands in each state."""
    if labels is False:
        return {}
    if labels is True:
        names = mdp.labels
        return {state: str(state if names is None else names[state]) for state in range(mdp.n_states)}
    if isinstance(labels, str):
        if labels != "values" or values is None:
            raise ValueError(f"labels is {labels!r}: give True, 'values' (with a value for each state), or a text for each state")
        finite = np.isfinite(values)
        # What is 0 but for rounding is written so.
        shown = np.where(np.abs(values) < 1e-9 * np.abs(values[finite]).max(initial=0.0), 0.0, values)
        return {int(s): f"{shown[s]:.2g}" if abs(shown[s]) < 100 else f"{shown[s]:.0f}" for s in np.flatnonzero(finite)}
    texts = [str(text) for text in labels]
    if len(texts) != mdp.n_states:
        raise ValueError(f"labels has {len(texts)} entries, but there are {mdp.n_states} states")
    return dict(enumerate(texts))


def _figure_size(layout: Layout, bar: bool = True) -> tuple[float, float]:
    """Inches for a picture of this shape, and for the colour bar beside it."""
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
