"""Pictures of a learned model: its reward, values, visits and policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..drawing.colours import pyplot
from ..drawing.layout import layout_of
from ..drawing.picture import figure_size
from ..inputs.columns import Floats
from ..inputs.numbers import count
from .paths import PathQuestions
from .visits import VisitQuestions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PictureQuestions", "What"]

What = Literal["reward", "value", "visits", "policy"]


class PictureQuestions(PathQuestions, VisitQuestions):
    """The queries whose answer is a picture."""

    def plot(
        self,
        what: What = "reward",
        *,
        t: int | None = None,
        start: Any = None,
        to: Any = None,
        demonstrations: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Axes:
        """A picture of what was learned, with matplotlib.

        `what` is "reward", "value" (see `value`), "visits" or "policy" (see `marginals` and `policy`: at time `t`, or
        over all times). If choices or transitions have features, their reward is drawn. Further options are those of
        `Mdp.plot`.
        """
        self._fitted()
        pyplot()
        values, label = self._drawn(what, t, start, to)
        if what == "policy":
            options.setdefault("policy", self.policy(t, start=start, to=to))
        options.setdefault("label", label)
        return self.mdp_.plot(values, demonstrations=demonstrations, ax=ax, **options)

    def _drawn(self, what: What, t: int | None, start: Any, to: Any) -> tuple[Floats, str]:
        """The values to colour, and what they are called."""
        if what == "reward":
            if t is not None or to is not None or start is not None:
                raise ValueError("a reward has no time, start or destination: plot it without t, start and to")
            own, along = self.reward_, self.mdp_.transition_reward(self.theta_)
            # With features of both kinds, what being in a state and choosing there is worth.
            if along.any() and own.any():
                return self.reward("state-action"), "learned reward"
            return (along if along.any() else own), "learned reward"
        if what == "value":
            if t is not None or start is not None:
                raise ValueError("values are those of whole paths: plot them without t and start")
            return self.value(to), "soft value"
        if what == "visits":
            label = f"probability of being there at t = {t}" if t is not None else "expected visits"
            return self.marginals(t, start=start, to=to), label
        if what == "policy":
            # Values explain a policy better than visits do.
            return self.value(to), "soft value"
        raise ValueError(f"what is {what!r}: it must be 'reward', 'value', 'visits' or 'policy'")

    def plot_visits_over_time(
        self, ts: Sequence[int] | None = None, *, start: Any = None, to: Any = None, **options: Any
    ) -> NDArray[Any]:
        """Small pictures of the visits at the times `ts` (by default up to eight of them), all in one scale.

        Returns the axes. Further options are those of `Mdp.plot`.
        """
        self._fitted()
        plt = pyplot()
        from matplotlib.colors import PowerNorm

        times = self._usual_times(start, to) if ts is None else [count("ts", t) for t in ts]
        if not times:
            raise ValueError("ts is empty: give at least one time, from 1")
        layout = layout_of(self.mdp_, options.get("style"))
        visits = [self.marginals(t, start=start, to=to) for t in times]
        # One scale, so that pictures can be compared; of the root, because paths spread out.
        if options.get("norm") is None and options.get("limits") is None:
            options["norm"] = PowerNorm(0.5, 0.0, max(float(np.max(p)) for p in visits) or 1.0)
        width, height = figure_size(layout, bar=False)
        high = -(-len(times) // (4 if width <= 1.6 * height else 2))
        wide = -(-len(times) // high)
        shrink = min(1.0, 3.0 / width)
        size = wide * width * shrink + 0.9, high * (height * shrink + 0.3)
        grid = plt.subplots(high, wide, figsize=size, layout="constrained", squeeze=False)[1]
        axes: NDArray[Any] = grid.reshape(-1)
        for at, (ax, t, p) in enumerate(zip(axes, times, visits)):
            # One bar at the end of a full row: another in the middle would push the columns apart.
            self.mdp_.plot(p, ax=ax, colorbar=at % wide == wide - 1, label=None, **options)
            ax.set_title(f"t = {t}, {100 * p.sum():.0f} % on the way", fontsize="medium")
        for ax in axes[len(times) :]:
            ax.set_axis_off()
        return axes[: len(times)]

    def _usual_times(self, start: Any, to: Any) -> list[int]:
        """Up to eight times, dense at first, until nearly all paths have ended."""
        try:
            under_way = 1.0 - np.cumsum(self.lengths(start, to))
            last = int(np.count_nonzero(under_way > 0.05)) or 1
        except ValueError:
            # Some models have no distribution of lengths until a destination is given.
            last = 100 if self.horizon_ == "any" else self.horizon_
        return sorted({int(t) for t in np.round(np.geomspace(1, max(last, 1), min(last, 8)))})
