"""Destination: where a trip that has begun will end."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..inputs.columns import Floats
from .geometry import geo_frame, points

if TYPE_CHECKING:
    from .network import Network

__all__ = ["Destination"]


class Destination:
    """Where a trip that has begun will end.

    Attributes
    ----------
    posterior : ndarray
        The probability of each state to be the last.
    record : dict
        What `revealed roads forecast --trace` prints: the `trip`, its `states` so far, its `metres`, the `confidence` of
        its match, the `place` with the smallest expected distance from the end (lat, lon, expected_m), and the ten
        likeliest `destinations` (state, p, lat, lon, street).
    """

    __slots__ = ("network", "posterior", "record")

    def __init__(self, network: Network, text: str, posterior: Floats) -> None:
        self.network = network
        self.record: dict[str, Any] = json.loads(text)
        self.posterior = posterior

    @property
    def place(self) -> dict[str, float] | None:
        """The place with the smallest expected distance from the end; None if no destination can be reached."""
        found: dict[str, float] | None = self.record["place"]
        return found

    def to_frame(self) -> Any:
        """A pandas frame of the likeliest destinations: state, p, lat, lon, street."""
        import pandas

        return pandas.DataFrame(self.record["destinations"], columns=["state", "p", "lat", "lon", "street"])

    def to_geopandas(self) -> Any:
        """A GeoDataFrame of the likeliest destinations, as points."""
        rows = self.record["destinations"]
        columns = {name: [row[name] for row in rows] for name in ("state", "p", "street")}
        return geo_frame(columns, points([row["lon"] for row in rows], [row["lat"] for row in rows]))

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the line of the trip so far (.parquet, .gpkg, .fgb or .geojson)."""
        states = np.array(self.record["states"], dtype=np.int64)
        properties = json.dumps({"trip": self.record["trip"], "metres": self.record["metres"]})
        offsets = np.array([0, len(states)], dtype=np.int64)
        self.network._native.export_routes(os.fspath(path), offsets, states, [properties])

    def __repr__(self) -> str:
        best = self.record["destinations"][0] if self.record["destinations"] else None
        likeliest = "" if best is None else f", likeliest {best['street'] or best['state']} with {best['p']:.3f}"
        return f"Destination(of trip {self.record['trip']} after {self.record['metres'] / 1000:.2f} km{likeliest})"
