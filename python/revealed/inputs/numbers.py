"""Single numbers: whole numbers within limits, and real numbers."""

from __future__ import annotations

from typing import Any

__all__ = ["count", "number", "optional_count", "optional_number"]

# The largest count or seed that the engine takes.
_MOST = 2**64 - 1


def count(name: str, value: Any, least: int = 1, most: int = _MOST) -> int:
    """A whole number between `least` and `most`."""
    problem = f"{name} is {value!r}: it must be a whole number"
    if not _is_number(value):
        raise TypeError(problem)
    try:
        whole = int(value)
    except (TypeError, ValueError):
        raise TypeError(problem) from None
    except OverflowError:
        raise ValueError(problem) from None
    if whole != value:
        raise TypeError(problem)
    if whole < least:
        raise ValueError(f"{name} is {whole}: it must be at least {least}")
    if whole > most:
        raise ValueError(f"{name} is {whole}: it must be at most {most}")
    return whole


def optional_count(name: str, value: Any, least: int = 1) -> int | None:
    """A whole number of at least `least`, or None."""
    return None if value is None else count(name, value, least)


def number(name: str, value: Any) -> float:
    """A real number."""
    problem = f"{name} is {value!r}: it must be a number"
    if not _is_number(value):
        raise TypeError(problem)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(problem) from None
    except OverflowError:
        raise ValueError(f"{name} is too large for a double") from None


def optional_number(name: str, value: Any) -> float | None:
    """A real number, or None."""
    return None if value is None else number(name, value)


def _is_number(value: Any) -> bool:
    """Whether it can be a real number: not text, a boolean, a complex number or an array with axes."""
    if isinstance(value, (str, bytes, bytearray, bool)):
        return False
    kind = getattr(getattr(value, "dtype", None), "kind", "f")
    return kind in "iuf" and getattr(value, "ndim", 0) == 0
