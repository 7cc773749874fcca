"""The method `Mdp.plot`: converts what users may give for a picture to what `drawing` takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..demonstrations.trajectories import Trajectories
from ..drawing.colours import Shades
from ..drawing.layout import Style
from ..drawing.picture import Frame, Overlay, draw
from ..inputs.columns import Integers, integers
from .demonstrations import trajectories_in
from .parts import MdpParts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DrawableMdp"]


class DrawableMdp(MdpParts):
    """An MDP with the method that draws it."""

    __slots__ = ()

    def plot(
        self,
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
        """A picture with matplotlib: a heat map of a grid, nodes of a chain or graph, lines of a road network.

        Parameters
        ----------
        values : vector over the states or the transitions, or table (n_states, n_actions), optional
            What is coloured. Where both signs occur, the colours are centred on 0; -inf and NaN are grey.
        policy : table (n_states, n_actions), optional
            Drawn as arrows that are longer for likelier actions, or as the width of lines.
        demonstrations : anything that `Trajectories` takes, optional
            Drawn as translucent lines that are wider where more paths pass.
        path : Path, list of them, (state, action) pairs, or states (by label or number), optional
            Drawn so that it stands out.
        labels : bool, "values", or a text for each state, optional
            The text in each state; by default names on a line and nothing elsewhere. S, G and H mark starts, goals, and
            ends with a lower true reward; T marks ends whose reward is unknown.
        style : {"cells", "line", "network"}, optional
            By default cells where states have a `grid`, or `points` that fill a lattice (y goes down); a network where
            they have other `points` (y goes up); nodes on a line for chains and for up to 50 states without a place.
        ax : Axes, optional
            Where to draw; a new figure by default.
        title, label : str, optional
            The title of the picture, and the label of its colour bar.
        limits : (low, high), optional
            The range of the colours. Give the same range to pictures that are compared.
        cmap, norm, colorbar
            A colour map or a scale of matplotlib (such as `LogNorm()`); whether there is a colour bar.
        """
        shown = None if demonstrations is None else _trajectories(self, demonstrations)
        overlay = Overlay(policy, shown, [] if path is None else _states(self, path), labels)
        return draw(self, values, overlay, Shades(limits, cmap, norm), Frame(style, ax, title, label, colorbar))


def _trajectories(mdp: MdpParts, demonstrations: Any) -> Trajectories:
    """Demonstrations whose states are in range."""
    paths = trajectories_in(mdp, demonstrations)
    _check("demonstrations", mdp, paths.states)
    return paths


def _states(mdp: MdpParts, path: Any) -> list[Integers]:
    """The states of one path or several: a `Path`, a list of them, (state, action) pairs, or states."""
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


def _number(mdp: MdpParts, state: Any) -> int:
    """A label or, if there is no such label, a number: demonstrations have numbers even if states have labels."""
    try:
        return mdp._state("path", state)
    except ValueError:
        if mdp._labels is None or isinstance(state, bool) or not isinstance(state, (int, np.integer)):
            raise
        return int(state)


def _check(name: str, mdp: MdpParts, states: Integers) -> None:
    bad = states[(states < 0) | (states >= mdp.n_states)]
    if len(bad):
        raise ValueError(f"{name} visits state {bad[0]}, but there are {mdp.n_states} states, numbered from 0")
