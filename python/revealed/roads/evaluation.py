"""Evaluation: forecasts compared with what was driven."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Integers
from .geometry import geo_frame, lines
from .pictures import Map

if TYPE_CHECKING:
    from .network import Network

__all__ = ["Evaluation"]

_SUMMARIES = ("distance_match", "covered", "feature_distance", "predicted_km")
_OF_DESTINATIONS = ("rank", "error_m", "place_m", "expected_m", "square_km_p", "square_km_log_p")


class Evaluation:
    """Forecast routes and destinations of held-out trips, compared with the true ones and with baselines.

    Attributes
    ----------
    record : dict
        What `revealed roads evaluate --json` prints.
    maps : dict of Map
        By name: costs, flows, flow-difference, flow-scatter, trip-good, trip-median, trip-bad. Empty unless they were
        asked for.
    """

    __slots__ = ("_compared", "_ids", "_lengths", "_routes", "_table", "maps", "network", "record")

    def __init__(
        self,
        network: Network,
        test: Trajectories,
        text: str,
        table: str,
        compared: dict[str, Any],
        routes: tuple[Integers, Integers],
        maps: dict[str, Map],
    ) -> None:
        self.network = network
        self.record: dict[str, Any] = json.loads(text)
        self.maps = maps
        self._table, self._compared, self._routes = table, compared, routes
        numbers = compared["number"].tolist()
        self._ids = [test.ids[at] if test.ids else None for at in numbers]
        self._lengths = test.lengths[numbers]

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        best = self.record["scores"][0]
        median = best["distance_match"]["median"]
        return f"Evaluation({self.record['judged_by']} trips, median distance match of the learned model {median:.1f} %)"

    def to_frame(self) -> Any:
        """A pandas frame with a row for each predictor: the learned model first, then the baselines.

        For the distance match and the covered share in per cent, the feature distance and the length of forecast routes
        in km there are columns such as `distance_match.median`, with the 90 % interval of the median and the mean.
        """
        return _frame(self.record["scores"], ("name", "asked", "identical"), _SUMMARIES)

    def destinations_frame(self) -> Any:
        """A pandas frame with a row for each share of the trips that was seen, and each forecaster of destinations."""
        found = self.record.get("destinations")
        if found is None:
            raise ValueError("destinations were not forecast: give train=, the paths that the model was learned from")
        return _frame(found["scores"], ("seen", "forecaster"), _OF_DESTINATIONS)

    def _trips(self) -> dict[str, Any]:
        found = {"trip": self._ids, "states": self._lengths}
        return found | {name: column for name, column in self._compared.items() if name != "number"}

    def trips_frame(self) -> Any:
        """A pandas frame with the numbers of every trip that has a forecast."""
        import pandas

        return pandas.DataFrame(self._trips())

    def to_geopandas(self) -> Any:
        """A GeoDataFrame of the forecast routes: a row for each trip that has one, with its numbers."""
        return geo_frame(self._trips(), lines(self.network._native.lines(*self._routes)))

    def save_maps(self, folder: str | os.PathLike[str]) -> list[str]:
        """Write the maps as .svg and .png files into `folder`, which is made if need be, and return their names."""
        os.makedirs(folder, exist_ok=True)
        names = []
        for name, picture in self.maps.items():
            for suffix in ("svg", "png"):
                names.append(f"{name}.{suffix}")
                picture.save(os.path.join(folder, names[-1]))
        return names


def _frame(rows: list[dict[str, Any]], plain: tuple[str, ...], summaries: tuple[str, ...]) -> Any:
    """A frame of rows, in which a summary is several columns."""
    import pandas

    flat = []
    for row in rows:
        one = {name: row[name] for name in plain}
        for name in summaries:
            one |= {f"{name}.{part}": value for part, value in (row[name] or {}).items()}
        flat.append(one)
    return pandas.DataFrame(flat)
