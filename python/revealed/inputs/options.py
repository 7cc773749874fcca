"""Options that several subpackages share: where paths may end, threads, the memory budget, the bounds of theta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from .columns import Floats, listed
from .numbers import count, number, optional_count

__all__ = ["Bounds", "Chance", "Ends", "Horizon", "bounds_of", "horizon_of", "path_options", "usual_ends"]

Ends = Literal["anywhere", "horizon", "terminal", "goal"]
Horizon = int | Literal["any"]
Chance = Literal["tilted", "fixed"]
Bounds = tuple[float, float] | Sequence[tuple[float | None, float | None]]


_USUAL_ENDS: dict[str, Ends] = {"causal": "horizon", "causal-dual": "horizon", "recursive-logit": "goal"}


def usual_ends(inference: str) -> Ends:
    """Where the paths of a method end by default."""
    return _USUAL_ENDS.get(inference, "anywhere")


def path_options(ends: str, horizon: Horizon | None, threads: int | None, memory: int | None) -> dict[str, Any]:
    """Which paths there are and how they are summed over, as the engine takes it."""
    if not isinstance(ends, str):
        raise TypeError(f"ends is {ends!r}: it must be one of 'anywhere', 'horizon', 'terminal', 'goal'")
    sizes = {"threads": threads, "memory": memory}
    most = None if horizon is None else horizon_of(horizon)
    return {"ends": ends, "horizon": most, **{name: optional_count(name, value) for name, value in sizes.items()}}


def horizon_of(horizon: Any) -> Horizon:
    """How many states a path may have: a whole number, or "any"."""
    if isinstance(horizon, str):
        if horizon != "any":
            raise ValueError(f"horizon is {horizon!r}: it must be a whole number or 'any'")
        return "any"
    return count("horizon", horizon)


def bounds_of(bounds: Any, n_features: int) -> tuple[Floats, Floats] | None:
    """The lower and the upper bound of each parameter."""
    if bounds is None:
        return None
    pairs = list(listed("bounds", bounds))
    if len(pairs) == 2 and not any(_is_pair(value) for value in pairs):
        pairs = [pairs] * n_features
    if len(pairs) != n_features or not all(_is_pair(pair) for pair in pairs):
        remedy = f"give (low, high), or one such pair for each of the {n_features} features"
        raise ValueError(f"bounds is {bounds!r}: {remedy}")
    low = [-np.inf if lo is None else number("the lower bound", lo) for lo, _ in pairs]
    high = [np.inf if hi is None else number("the upper bound", hi) for _, hi in pairs]
    return np.array(low), np.array(high)


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list, np.ndarray)) and getattr(value, "shape", (1,)) != () and len(value) == 2
