"""Answers as JSON that keeps every bit, and what an object of the package consists of."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import python_cases as tables
import revealed


def text(words: Any) -> dict[str, Any]:
    """Something that is written for people."""
    return {"text": words}


def exact(value: Any) -> Any:
    """A value as JSON that keeps every bit."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        flat = [exact(item) for item in value.reshape(-1).tolist()]
        return {"dtype": value.dtype.str, "shape": list(value.shape), "values": flat}
    if isinstance(value, dict):
        return {str(key): exact(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [exact(item) for item in value]
    return {"type": type(value).__name__, **exact(fields(value))}


def fields(value: Any) -> dict[str, Any]:
    """What an object of the package, or a frame, consists of."""
    if isinstance(value, revealed.Trajectories):
        return {name: getattr(value, name) for name in ("offsets", "states", "actions", "weights", "ids")}
    if isinstance(value, revealed.Mdp):
        names = (
            "digest",
            "n_actions",
            "discount",
            "start",
            "terminal",
            "transitions",
            "grid",
            "points",
            "feature_names",
            "true_theta",
        )
        return {name: getattr(value, name) for name in (*names, "labels")}
    if hasattr(value, "to_dict"):
        return {str(name): [None if item != item else item for item in column] for name, column in value.to_dict("list").items()}
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return {name: item for name, item in vars(value).items() if not name.startswith("_")}


def learned(irl: Any) -> dict[str, Any]:
    """What a fit says of itself."""
    found = {name.rstrip("_"): getattr(irl, name) for name in tables.LEARNED.split()}
    return {"mdp": irl.mdp_.digest, **found}


def found(free: Any) -> dict[str, Any]:
    """What a fit from rollouts says of itself."""
    return {**{name.rstrip("_"): getattr(free, name) for name in tables.FOUND.split()}, "notes": free.warnings_}


def columns(rollouts: Any) -> dict[str, Any]:
    return {name: getattr(rollouts, name) for name in tables.COLUMNS.split()}


def public() -> Iterator[str]:
    """Everything that users may call, with its signature."""
    for name in sorted(revealed.__all__):
        thing = getattr(revealed, name)
        if inspect.isclass(thing):
            yield f"{name}{_signature(thing)}"
            for at in sorted(set(dir(thing)) - set(dir(Exception)) | {"__init__"}):
                if not at.startswith("_"):
                    yield f"{name}.{at}{_signature(inspect.getattr_static(thing, at))}"
        elif callable(thing):
            yield f"{name}{_signature(thing)}"
    yield from (f"worlds.{name}{_signature(getattr(revealed.worlds, name))}" for name in sorted(revealed.worlds.__all__))


def _signature(thing: Any) -> str:
    thing = getattr(thing, "__func__", thing)
    try:
        return str(inspect.signature(thing)) if callable(thing) else ""
    except (TypeError, ValueError):
        return ""
