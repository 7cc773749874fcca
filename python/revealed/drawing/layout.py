"""Where each state is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from .._columns import Floats

if TYPE_CHECKING:
    from ..mdp import Mdp

__all__ = ["Layout", "Style", "layout_of"]

Style = Literal["cells", "line", "network"]

# More nodes than this on one line cannot be told apart.
_LONGEST_LINE = 50
# Points are cells of a lattice if they fill at least this part of it.
_FULL_ENOUGH = 0.5


@dataclass(frozen=True, eq=False)
class Layout:
    """A place for each state: the column and row of a cell (rows go down), or a point."""

    style: Style
    x: Floats
    y: Floats

    @property
    def box(self) -> tuple[float, float]:
        """The width and height that the places take."""
        return float(np.ptp(self.x)), float(np.ptp(self.y))


def layout_of(mdp: Mdp, style: Style | None = None) -> Layout:
    """The layout that a world asks for by its grid or points, or the one that the caller asks for."""
    if style is None:
        style = _natural(mdp)
    if style == "line":
        return Layout("line", np.arange(mdp.n_states, dtype=np.float64), np.zeros(mdp.n_states))
    if style not in ("cells", "network"):
        raise ValueError(f"style is {style!r}: it must be 'cells', 'line' or 'network'")
    if mdp.points is not None:
        x, y = mdp.points
        if style == "cells" and not _is_lattice(x, y):
            raise ValueError("style is 'cells', but points are not cells: give different whole numbers that fill a lattice")
        return Layout(style, x, y)
    if mdp.grid is not None:
        row, column = np.divmod(np.arange(mdp.n_states), mdp.grid[1])
        # A network has north at the top.
        return Layout(style, column.astype(np.float64), (row if style == "cells" else -row).astype(np.float64))
    raise ValueError(f"style is {style!r}, but states have no places: make the Mdp with grid=(rows, columns) or points=(x, y)")


def _natural(mdp: Mdp) -> Style:
    few = mdp.n_states <= _LONGEST_LINE
    if mdp.grid is not None:
        return "line" if min(mdp.grid) == 1 and few else "cells"
    if mdp.points is not None:
        return "cells" if _is_lattice(*mdp.points) else "network"
    if few:
        return "line"
    raise ValueError(
        f"there is no telling where to draw {mdp.n_states} states: make the Mdp with grid=(rows, columns) or points=(x, y) "
        f"(worlds of up to {_LONGEST_LINE} states are drawn on a line)"
    )


def _is_lattice(x: Floats, y: Floats) -> bool:
    if len(x) == 0 or not (np.array_equal(x, np.round(x)) and np.array_equal(y, np.round(y))):
        return False
    area = (np.ptp(x) + 1.0) * (np.ptp(y) + 1.0)
    # A single row of points is a road, not a lattice.
    if len(x) < _FULL_ENOUGH * area or min(np.ptp(x), np.ptp(y)) == 0.0:
        return False
    return len(np.unique(np.stack([x, y]), axis=1).T) == len(x)
