"""The place where each state is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..inputs.columns import Floats
from .scene import Scene

__all__ = ["Layout", "Style", "layout_of"]

Style = Literal["cells", "line", "network"]

# More nodes than this on one line are too small to see.
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


def layout_of(scene: Scene, style: Style | None = None) -> Layout:
    """The layout of the given style; by default the one that fits the grid or the points of the states."""
    if style is None:
        style = _natural(scene)
    if style == "line":
        return Layout("line", np.arange(scene.n_states, dtype=np.float64), np.zeros(scene.n_states))
    if style not in ("cells", "network"):
        raise ValueError(f"style is {style!r}: it must be 'cells', 'line' or 'network'")
    if scene.points is not None:
        x, y = scene.points
        if style == "cells" and not _is_lattice(x, y):
            raise ValueError("style is 'cells', but points are not cells: give different whole numbers that fill a lattice")
        return Layout(style, x, y)
    if scene.grid is not None:
        row, column = np.divmod(np.arange(scene.n_states), scene.grid[1])
        # A network has north at the top.
        return Layout(style, column.astype(np.float64), (row if style == "cells" else -row).astype(np.float64))
    raise ValueError(f"style is {style!r}, but states have no places: make the Mdp with grid=(rows, columns) or points=(x, y)")


def _natural(scene: Scene) -> Style:
    few = scene.n_states <= _LONGEST_LINE
    if scene.grid is not None:
        return "line" if min(scene.grid) == 1 and few else "cells"
    if scene.points is not None:
        return "cells" if _is_lattice(*scene.points) else "network"
    if few:
        return "line"
    raise ValueError(
        f"the {scene.n_states} states have no places: make the Mdp with grid=(rows, columns) or points=(x, y) "
        f"(up to {_LONGEST_LINE} states are drawn on a line)"
    )


def _is_lattice(x: Floats, y: Floats) -> bool:
    if len(x) == 0 or not (np.array_equal(x, np.round(x)) and np.array_equal(y, np.round(y))):
        return False
    area = (np.ptp(x) + 1.0) * (np.ptp(y) + 1.0)
    # A single row of points is a road, not a lattice.
    if len(x) < _FULL_ENOUGH * area or min(np.ptp(x), np.ptp(y)) == 0.0:
        return False
    return len(np.unique(np.stack([x, y]), axis=1).T) == len(x)
