"""Observations of environments as labels: hashable values that compare by content."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from .columns import are_whole

__all__ = ["End", "in_order", "label_of", "names_of", "not_among"]

# An array with more entries is a label by its bytes: nobody reads it.
_MOST_ENTRIES = 64
_PLAIN = (str, bytes, int, float, bool, type(None))
# Errors look for a similar label among so many, list so many, and so much of each.
_MOST_COMPARED = 10_000
_LISTED = 5
_MOST_SHOWN = 60


class End(tuple[Hashable]):
    """A terminal state that shows the same observation as a state that is not terminal."""

    __slots__ = ()

    def __new__(cls, observation: Hashable) -> End:
        return super().__new__(cls, (observation,))

    def __repr__(self) -> str:
        return f"End({self[0]!r})"

    def __reduce__(self) -> tuple[type[End], tuple[Hashable]]:
        return End, (self[0],)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, End) and tuple.__eq__(self, other)

    def __hash__(self) -> int:
        return hash((End, self[0]))


def label_of(value: Any) -> Hashable:
    """A label: numbers and text themselves; arrays, lists and tuples as tuples; mappings as tuples of pairs."""
    if type(value) in _PLAIN or isinstance(value, End):
        plain: Hashable = value
        return plain
    if isinstance(value, np.generic):
        found: Hashable = value.item()
        return found
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{value!r} has masked entries, so it cannot be a label")
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return label_of(value.item())
        if value.dtype.kind == "f" and are_whole(value).all():
            value = value.astype(np.int64)  # whole numbers that are stored as floats
        if value.size > _MOST_ENTRIES and value.dtype.kind in "biu":
            in_bytes: Hashable = value.tobytes()
            return in_bytes
        return label_of(value.tolist())
    if isinstance(value, Mapping):
        return tuple((name, label_of(part)) for name, part in sorted(value.items()))
    if type(value) in (tuple, list):
        return tuple(map(label_of, value))
    try:
        hash(value)
    except TypeError:
        raise TypeError(f"{value!r} is a {type(value).__name__}, which cannot be a label: give a hashable value") from None
    hashable: Hashable = value
    return hashable


def in_order(labels: list[Hashable]) -> list[int]:
    """The places of labels in their order; in the order that they have if they cannot be compared. Ends come last."""
    places = list(range(len(labels)))
    own = [at for at in places if not isinstance(labels[at], End)]
    ends = [at for at in places if isinstance(labels[at], End)]
    try:
        own.sort(key=lambda at: labels[at])  # type: ignore[arg-type, return-value]
        ends.sort(key=lambda at: labels[at][0])  # type: ignore[index]
    except TypeError:
        return places
    return own + ends


def names_of(labels: list[Hashable]) -> list[str]:
    """A name for each label: its text, with a number if two labels read the same."""
    names = [str(label) for label in labels]
    if len(set(names)) == len(names):
        return names
    taken: set[str] = set()
    for at, name in enumerate(names):
        if name in taken:
            again = 2
            while f"{name} ({again})" in taken:
                again += 1
            names[at] = f"{name} ({again})"
        taken.add(names[at])
    return names


def not_among(label: Any, labels: Iterable[Hashable], noun: str) -> str:
    """Why a label is refused: that it is missing, or which labels there are."""
    known = list(labels)
    if label is None or type(label).__name__ in ("NAType", "NaTType") or (isinstance(label, float) and label != label):
        return f"there is no such {noun} among the {len(known)}: it is missing"
    said = f"there is no such {noun} among the {len(known)}"
    names = [_shown(one) for one in known[:_MOST_COMPARED]]
    close = get_close_matches(_shown(label), names, n=1)
    if close:
        return f"{said}: did you mean {close[0]}?"
    return f"{said}: {', '.join(names[:_LISTED])}{', ...' if len(known) > _LISTED else ''}"


def _shown(label: Any) -> str:
    text = repr(label)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."
