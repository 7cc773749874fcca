"""Numbers as colours: perceptual maps that colour-blind people can read, centred on 0 where both signs occur."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..inputs.columns import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Colormap, Normalize

__all__ = ["BLANK", "INK", "PATH", "Shades", "colour_bar", "ink_on", "pyplot"]

BLANK = "#ececec"
"""A place without a value."""
INK = "#1a1a1a"
"""Lines, arrows and letters."""
PATH = "#e0007a"
"""A path that stands out; none of the maps has this colour."""


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to install it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'revealed[plot]', or pip install matplotlib") from None
    return plt


@dataclass(frozen=True)
class Shades:
    """How values become colours."""

    limits: tuple[float, float] | None = None
    cmap: Any = None
    norm: Any = None

    def of(self, values: Floats) -> tuple[Normalize, Colormap]:
        """From values to colours. Where both signs occur, 0 is white, red is below and blue above it."""
        from matplotlib import colormaps
        from matplotlib.colors import Normalize

        if self.norm is not None and self.limits is not None:
            raise ValueError("limits and norm are both given: a norm has its own limits")
        if self.limits is None:
            finite = values[np.isfinite(values)]
            low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        else:
            low, high = float(self.limits[0]), float(self.limits[1])
            if not low < high:
                raise ValueError(f"limits is {self.limits!r}: the first must be less than the second")
        # Values a little beyond 0 do not need half of the colours.
        noise = (0.05 if self.limits is None else 1e-9) * max(abs(low), abs(high))
        diverging = low < -noise and high > noise
        if diverging:
            high = max(-low, high)
            low = -high
        if low == high:
            low, high = low - 0.5, high + 0.5
        chosen = self.cmap if self.cmap is not None else ("RdBu" if diverging else "viridis")
        colours = colormaps[chosen] if isinstance(chosen, str) else chosen
        if self.norm is None:
            return Normalize(low, high), colours
        self.norm.autoscale_None(values[np.isfinite(values)])
        return self.norm, colours


def ink_on(colours: Any) -> list[str]:
    """Black or white, whichever is easier to read on each colour."""
    luminance = np.asarray(colours)[:, :3] @ np.array([0.299, 0.587, 0.114])
    return [INK if bright > 0.5 else "white" for bright in luminance]


def colour_bar(ax: Axes, mappable: ScalarMappable, label: str | None) -> None:
    """A bar as high as the picture, whatever its shape."""
    width, height = abs(np.diff(ax.get_xlim())[0]), abs(np.diff(ax.get_ylim())[0])
    thick = 0.045 * min(1.0, max(height / width, 0.3))
    bar = ax.figure.colorbar(mappable, cax=ax.inset_axes((1.0 + thick, 0.0, thick, 1.0)))
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=2, labelsize="small")
    if label:
        bar.set_label(label)
