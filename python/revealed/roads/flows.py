"""Flows: how many trips of a demand are expected on every road."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..inputs.columns import Floats

if TYPE_CHECKING:
    from .network import Network

__all__ = ["Flows"]


class Flows:
    """The expected flow on every road, of trips between given ends.

    Attributes
    ----------
    flow : ndarray
        The expected number of trips on each state.
    elasticities : dict of ndarrays
        By feature: how many per cent the flow of each state changes if the feature is 1 % larger everywhere; nan where
        there is no flow.
    record : dict
        What `revealed roads flows` prints: `pairs`, `trips`, `km_per_trip`, `states_per_trip`, and the elasticities
        `of_all_kilometres` together.
    """

    __slots__ = ("elasticities", "flow", "network", "record")

    def __init__(self, network: Network, flow: Floats, elasticities: list[tuple[str, Floats]], text: str) -> None:
        self.network = network
        self.flow = flow
        self.elasticities = dict(elasticities)
        self.record: dict[str, Any] = json.loads(text)

    @property
    def columns(self) -> dict[str, Floats]:
        """The flow and the elasticities by name."""
        return {"flow": self.flow, **self.elasticities}

    def to_frame(self) -> Any:
        """A pandas frame with a row for each road: state, flow, elasticities."""
        return self.network.to_frame(self.columns)

    def to_geopandas(self) -> Any:
        """A GeoDataFrame with a row for each road: its line, its attributes, its flow, elasticities."""
        return self.network.to_geopandas(self.columns)

    def __repr__(self) -> str:
        record = self.record
        return f"Flows({record['trips']:g} trips between {record['pairs']} pairs, {record['km_per_trip']:.1f} km each)"
