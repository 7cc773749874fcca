"""Paths of observations and actions of any kind, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs.columns import reals

__all__ = ["Shapes", "StatesAndActions", "read_paths", "same_shapes"]

# Observations and actions, a row for each; there is one observation more.
StatesAndActions = tuple[NDArray[Any], NDArray[Any]]
# The shape of one observation, and that of one action.
Shapes = tuple[tuple[int, ...], tuple[int, ...]]


def read_paths(paths: Any, what: str = "demonstration") -> list[StatesAndActions]:
    """Paths from pairs of arrays, trajectories of `imitation`, or a Minari dataset."""
    episodes = paths.iterate_episodes() if hasattr(paths, "iterate_episodes") else paths
    if isinstance(episodes, (str, bytes, Mapping)):
        raise TypeError(f"{what}s are a {type(paths).__name__}: give a list of (observations, actions)")
    try:
        listed = list(episodes)
    except TypeError:
        raise TypeError(f"{what}s are a {type(paths).__name__}: give a list of (observations, actions)") from None
    if not listed:
        raise ValueError(f"there are no {what}s: give at least one")
    return [_read_path(f"{what} {at}", path) for at, path in enumerate(listed)]


def _read_path(where: str, path: Any) -> StatesAndActions:
    if hasattr(path, "obs") and hasattr(path, "acts"):
        observations, actions = path.obs, path.acts
    elif hasattr(path, "observations") and hasattr(path, "actions"):
        observations, actions = path.observations, path.actions
    elif isinstance(path, (tuple, list)) and len(path) == 2:
        observations, actions = path
    else:
        remedy = "give a pair (observations, actions), or an object that has them"
        raise TypeError(f"{where} is a {type(path).__name__}: {remedy}")
    columns = []
    for name, column in (("observations", observations), ("actions", actions)):
        if isinstance(column, Mapping):
            raise TypeError(f"{where}: {name} are a {type(column).__name__}: flatten them into arrays first")
        array = reals(f"{where}: {name}", column)
        if array.ndim == 0:
            raise ValueError(f"{where}: {name} are one number: give a row for each step")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            step = np.argwhere(~np.isfinite(array))[0][0]
            raise ValueError(f"{where}, step {step}: {name} have {array[step]}: they must be finite")
        columns.append(array)
    if len(columns[0]) != len(columns[1]) + 1:
        n, m = len(columns[0]), len(columns[1])
        remedy = "the last observation has no action"
        raise ValueError(f"{where}: {n} observations need {n - 1} actions, but there are {m}: {remedy}")
    return columns[0], columns[1]


def same_shapes(demonstrations: Sequence[StatesAndActions], shapes: Shapes) -> None:
    """Rejects demonstrations whose observations or actions have another shape than those of the environment."""
    for at, path in enumerate(demonstrations):
        for name, array, shape in zip(("observations", "actions"), path, shapes):
            if len(array) and array.shape[1:] != shape:
                place = f"demonstration {at}: {name} of a step have shape {array.shape[1:]}"
                raise ValueError(f"{place}, but those of the environment have {shape}")
