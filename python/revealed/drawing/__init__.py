"""How pictures are made: where states are drawn, in which colours, and what is drawn over them. Needs matplotlib."""

from __future__ import annotations

__all__: list[str] = []
