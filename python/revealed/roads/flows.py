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
    scenario : ndarray or None
        The same with the changes of the scenario, if there is one.
    difference : ndarray or None
        `scenario - flow`.
    elasticities : dict of ndarrays
        By feature: how many per cent the flow of each state changes if the feature is 1 % larger everywhere; nan where
        there is no flow.
    record : dict
        What `revealed roads flows` prints: `pairs`, `trips`, `km_per_trip`, `states_per_trip`, the elasticities
        `of_all_kilometres` together, and `scenario_km_per_trip`.
    """

    __slots__ = ("difference", "elasticities", "flow", "network", "record", "scenario")

    def __init__(
        self,
        network: Network,
        flow: Floats,
        changed: tuple[Floats, Floats] | None,
        elasticities: list[tuple[str, Floats]],
        text: str,
    ) -> None:
        self.network = network
        self.flow = flow
        self.scenario: Floats | None = None if changed is None else changed[0]
        self.difference: Floats | None = None if changed is None else changed[1]
        self.elasticities = dict(elasticities)
        self.record: dict[str, Any] = json.loads(text)

    @property
    def columns(self) -> dict[str, Floats]:
        """The flow, that of the scenario and the difference, and the elasticities by name."""
        changed: dict[str, Floats] = {}
        if self.scenario is not None and self.difference is not None:
            changed = {"scenario": self.scenario, "difference": self.difference}
        return {"flow": self.flow, **changed, **self.elasticities}

    def to_frame(self) -> Any:
        """A pandas frame with a row for each road: state, flow, elasticities."""
        return self.network.to_frame(self.columns)

    def to_geopandas(self) -> Any:
        """A GeoDataFrame with a row for each road: its line, its attributes, its flow, elasticities."""
        return self.network.to_geopandas(self.columns)

    def __repr__(self) -> str:
        record = self.record
        return f"Flows({record['trips']:g} trips between {record['pairs']} pairs, {record['km_per_trip']:.1f} km each)"
