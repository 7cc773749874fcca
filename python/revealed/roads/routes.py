"""Routes: the likeliest ones between two places."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..inputs.columns import Integers
from .geometry import geo_frame, lines

if TYPE_CHECKING:
    from .network import Network

__all__ = ["Routes"]


class Routes:
    """The likeliest routes between two places, the likeliest first: a sequence of dicts.

    Each has its `states`, `metres`, `seconds`, `relative_weight` (its probability divided by that of the first),
    `overlap` (the share of its length that it has in common with a likelier one) and `legs` (street by street).

    >>> import revealed
    >>> city = revealed.roads.city(size=12)
    >>> routes = city.network.forecast(city.model, 10, 500, k=2)
    >>> len(routes), routes[0]["relative_weight"]
    (2, 1.0)
    """

    __slots__ = ("_texts", "network", "records")

    def __init__(self, network: Network, texts: list[str]) -> None:
        self.network = network
        self._texts = texts
        self.records: list[dict[str, Any]] = [json.loads(text) for text in texts]

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """One route, by its rank from 0."""
        return self.records[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.records)

    def __repr__(self) -> str:
        km = ", ".join(f"{record['metres'] / 1000:.2f} km" for record in self.records[:3])
        return f"Routes({len(self)}: {km}{', ...' if len(self) > 3 else ''})"

    def _columns(self) -> dict[str, list[Any]]:
        names = ("metres", "seconds", "relative_weight", "overlap", "states", "legs")
        return {name: [record[name] for record in self.records] for name in names}

    def _flat(self) -> tuple[Integers, Integers]:
        states = [record["states"] for record in self.records]
        offsets = np.cumsum([0, *map(len, states)]).astype(np.int64)
        return offsets, np.array([state for path in states for state in path], dtype=np.int64)

    def to_frame(self) -> Any:
        """A pandas frame with a row for each route."""
        import pandas

        return pandas.DataFrame(self._columns())

    def to_geopandas(self) -> Any:
        """A GeoDataFrame with a row for each route, and its line."""
        return geo_frame(self._columns(), lines(self.network._native.lines(*self._flat())))

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the lines of the routes with their numbers (.parquet, .gpkg, .fgb or .geojson)."""
        self.network._native.export_routes(os.fspath(path), *self._flat(), self._texts)
