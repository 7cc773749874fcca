"""What would change in another world: outcomes with their intervals."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..demonstrations.trajectories import Trajectories
from ..inputs.columns import Floats, listed
from ..inputs.numbers import number
from ..mdp.mdp import Mdp

__all__ = ["Counterfactual", "Measured", "OutcomeChange", "Ratio", "scenario_of", "trips_of"]


@dataclass(frozen=True)
class Measured:
    """A number with its standard error and its confidence interval. Both are None if the number is not identified."""

    value: float
    """The value."""
    standard_error: float | None
    """Its standard error, by the delta method."""
    interval: tuple[float, float] | None
    """Its confidence interval."""


@dataclass(frozen=True)
class Ratio(Measured):
    """A ratio of two weights, with its interval by the delta method and by Fieller's method."""

    fieller: str | None
    """Which numbers Fieller's method does not reject: "between" its ends, "outside" of them, or "everything"."""
    fieller_ends: tuple[float, float] | None
    """The ends of Fieller's interval, or of the gap."""


@dataclass(frozen=True)
class OutcomeChange:
    """An outcome in both worlds."""

    base: Measured
    """In the world of the model."""
    scenario: Measured
    """In the other world."""
    difference: Measured
    """The other world minus the world of the model."""
    relative: Measured | None
    """The difference as a share of the value in the world of the model; None unless both values are positive."""
    arc_elasticity: Measured | None
    """The arc elasticity; None unless the scenario scales one feature and changes nothing else."""


def _measured(record: Mapping[str, Any] | None) -> Measured | None:
    if record is None:
        return None
    interval = record["interval"]
    return Measured(record["value"], record["standard_error"], None if interval is None else (interval[0], interval[1]))


def _change(record: Mapping[str, Any]) -> OutcomeChange:
    names = ("base", "scenario", "difference", "relative", "arc_elasticity")
    return OutcomeChange(**{name: _measured(record[name]) for name in names})  # type: ignore[arg-type]


def _ratio(record: Mapping[str, Any]) -> Ratio:
    found, ends = _measured(record["ratio"]), record["fieller_ends"]
    assert found is not None  # every ratio has a value
    low, high = (None, None) if ends is None else ends
    known = None if ends is None else (-np.inf if low is None else low, np.inf if high is None else high)
    return Ratio(found.value, found.standard_error, found.interval, record["fieller"], known)


class Counterfactual:
    """Outcomes in the world of the model and in another world; `print` shows the table.

    `found["visits:3"]` is one outcome, with its `base`, `scenario` and `difference`. `list(found)` has their names.
    """

    def __init__(self, record: Mapping[str, Any], table: str) -> None:
        self.outcomes: dict[str, OutcomeChange] = {one["outcome"]: _change(one) for one in record["outcomes"]}
        """The outcomes by name."""
        rows = record["elasticities"]
        self.elasticities: dict[tuple[str, str], Measured | None] = {
            (one["outcome"], one["feature"]): _measured(one["elasticity"]) for one in rows
        }
        """Point elasticities by outcome and feature; None if the outcome is not positive."""
        self.ratios: dict[str, Ratio] = {f"{one['numerator']}/{one['denominator']}": _ratio(one) for one in record["ratios"]}
        """Ratios of weights."""
        self.base_visits: Floats = np.array(record["base_visits"], dtype=np.float64)
        """The expected visits to each state in the world of the model; empty without a scenario."""
        self.scenario_visits: Floats = np.array(record["scenario_visits"], dtype=np.float64)
        """The same in the other world."""
        self.level: float = record["level"]
        """The confidence level of the intervals."""
        self.travellers: float = record["travellers"]
        """What visits, transitions and ends were multiplied by."""
        self.notes: list[str] = record["notes"]
        """Remarks that are needed to read the table."""
        self._table = table

    def __getitem__(self, outcome: str) -> OutcomeChange:
        try:
            return self.outcomes[outcome]
        except KeyError:
            known = ", ".join(self.outcomes)
            raise KeyError(f"{outcome!r} was not asked for: the outcomes are {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.outcomes)

    def __len__(self) -> int:
        return len(self.outcomes)

    def to_frame(self) -> Any:
        """A pandas frame with a row for each outcome."""
        import pandas

        rows = []
        for change in self.outcomes.values():
            low, high = change.difference.interval or (np.nan, np.nan)
            error = change.difference.standard_error
            values = change.base.value, change.scenario.value, change.difference.value
            rows.append((*values, np.nan if error is None else error, low, high))
        names = ["base", "scenario", "difference", "std_err", "low", "high"]
        return pandas.DataFrame(rows, columns=names, index=list(self.outcomes))

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return self._table

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._table)}</pre>"


# The places of states in the rows of a scenario, by field: transitions are (state, action, state).
_ROWS = {"close_transitions": (0, 2), "forbid_choices": (0,)}
_PLACES = {"choices": (0,), "transitions": (0, 2)}


def _rows(mdp: Mdp, name: str, rows: Any, at: tuple[int, ...]) -> list[list[Any]]:
    """Rows of numbers in which some places are states."""
    found = []
    for row in listed(name, rows):
        values = list(listed(name, row))
        found.append([mdp._state(name, value) if place in at else _plain(value) for place, value in enumerate(values)])
    return found


def _plain(value: Any) -> Any:
    """Numbers of numpy as JSON has them."""
    return value.item() if hasattr(value, "item") else value


def _change_of(mdp: Mdp, name: str, change: Any) -> dict[str, Any]:
    if not isinstance(change, Mapping):
        raise TypeError(f"{name} has {change!r}: it must be a list of dicts")
    found = {key: _plain(value) for key, value in change.items()}
    for key in ("states", "to"):
        if key in found:
            found[key] = mdp._states(f"{name}: {key}", found[key]).tolist()
    for key, at in _PLACES.items():
        if key in found:
            found[key] = _rows(mdp, f"{name}: {key}", found[key], at)
    if "state" in found:
        found["state"] = mdp._state(f"{name}: state", found["state"])
    if "p" in found:
        found["p"] = [number(f"{name}: p", p) for p in listed(f"{name}: p", found["p"])]
    if "feature" in found:
        found["feature"] = str(found["feature"])
    return found


def scenario_of(mdp: Mdp, scenario: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario as its file has it: states by number."""
    if not isinstance(scenario, Mapping):
        raise TypeError(f"scenario is {scenario!r}: it must be a dict, such as {{'close': [3]}}")
    found: dict[str, Any] = dict(scenario)
    if "close" in found:
        found["close"] = mdp._states("close", found["close"]).tolist()
    for name, at in _ROWS.items():
        if name in found:
            found[name] = _rows(mdp, name, found[name], at)
    if "forbid_actions" in found:
        found["forbid_actions"] = [_plain(action) for action in listed("forbid_actions", found["forbid_actions"])]
    for name in ("outcomes", "change_feature", "add_reward"):
        if name in found:
            found[name] = [_change_of(mdp, name, change) for change in listed(name, found[name])]
    if "scale_feature" in found:
        factors = found["scale_feature"]
        if not isinstance(factors, Mapping):
            raise TypeError(f"scale_feature is {factors!r}: it must be a dict of features and factors")
        found["scale_feature"] = {str(name): number("scale_feature", factor) for name, factor in factors.items()}
    return found


def trips_of(mdp: Mdp, trips: Any) -> list[dict[str, Any]]:
    """Trips as (from, to) or (from, to, weight), or the ends of trajectories with their weights."""
    if trips is None:
        return []
    if isinstance(trips, Trajectories):
        ends = [(path[0][0], path[-1][0]) for path in trips]
        return [{"from": a, "to": b, "weight": float(w)} for (a, b), w in zip(ends, trips.weights, strict=True)]
    found = []
    for trip in listed("trips", trips):
        parts = list(listed("trips", trip))
        if len(parts) not in (2, 3):
            raise ValueError(f"trips has {trip!r}: it must be (from, to) or (from, to, weight)")
        weight = number("trips: weight", parts[2]) if len(parts) == 3 else 1.0
        found.append({"from": mdp._state("trips", parts[0]), "to": mdp._state("trips", parts[1]), "weight": weight})
    return found
