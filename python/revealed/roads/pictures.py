"""Maps of a network."""

from __future__ import annotations

import os
from pathlib import Path

from .. import _native

__all__ = ["Map"]


class Map:
    """A picture of a network, which a notebook shows.

    >>> import revealed
    >>> network = revealed.roads.city(size=12).network
    >>> picture = network.map(network.lengths, title="Lengths", label="metres")
    >>> picture.svg[:4]
    '<svg'
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Canvas) -> None:
        self._native = native

    @property
    def svg(self) -> str:
        """The text of an SVG file."""
        return self._native.svg()

    @property
    def png(self) -> bytes:
        """The bytes of a PNG file."""
        return bytes(self._native.png())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an .svg or .png file."""
        suffix = Path(path).suffix.lower()
        if suffix == ".svg":
            Path(path).write_text(self.svg, encoding="utf-8")
        elif suffix == ".png":
            Path(path).write_bytes(self.png)
        else:
            raise ValueError(f"{os.fspath(path)}: a map is an .svg or .png file: give it such an extension")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Map({len(self.svg)} bytes of SVG)"
