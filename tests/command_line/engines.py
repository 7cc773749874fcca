"""Routing engines' costs of routes, computed from exported files alone: readers of our own, by the engines' documentation."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from typing import Any

STEP = 0.1  # OSRM keeps weights as multiples of this.


@dataclass(frozen=True)
class Segment:
    """A segment of a road network, as an engine would know it."""

    nodes: tuple[int, int]
    places: tuple[tuple[float, float], tuple[float, float]]
    """Latitude and longitude of both nodes."""
    highway: str
    speed: float | None
    lanes: int | None
    toll: bool

    def metres(self, decimals: int = 9) -> float:
        """The great-circle distance between its nodes, whose coordinates have so many decimals."""
        (lat, lon), (other_lat, other_lon) = ([math.radians(round(x, decimals)) for x in place] for place in self.places)
        h = math.sin((other_lat - lat) / 2) ** 2 + math.cos(lat) * math.cos(other_lat) * math.sin((other_lon - lon) / 2) ** 2
        return 2 * 6_371_008.8 * math.asin(math.sqrt(h))

    def bearing(self) -> float:
        """Degrees clockwise from north."""
        (lat, lon), (other_lat, other_lon) = ([math.radians(x) for x in place] for place in self.places)
        east = other_lon - lon
        y = math.sin(east) * math.cos(other_lat)
        x = math.cos(lat) * math.sin(other_lat) - math.sin(lat) * math.cos(other_lat) * math.cos(east)
        return math.degrees(math.atan2(y, x))


class Osrm:
    """OSRM with a table of segments and a table of turns, as `osrm-customize` applies them."""

    def __init__(self, segments: Any, turns: Any) -> None:
        rows = list(csv.reader(open(segments)))
        self.rate = {(int(a), int(b)): float(rate) for a, b, _, rate in rows}
        self.turn = {(int(a), int(b), int(c)): float(weight) for a, b, c, _, weight in csv.reader(open(turns))}

    def cost(self, route: list[Segment]) -> float:
        """The weight of a route, in steps of 0.1 as OSRM keeps it."""
        steps = sum(max(1, round(one.metres(6) / self.rate[one.nodes] / STEP)) for one in route)
        pairs = zip(route, route[1:])
        steps += sum(round(self.turn[(*one.nodes, other.nodes[1])] / STEP) for one, other in pairs)
        return steps * STEP


class GraphHopper:
    """GraphHopper with a custom model: weight = distance / (speed · priority), and penalties of turns.

    Segments between which there is no junction are one edge of it: it knows no turns between them.
    """

    def __init__(self, model: dict[str, Any], joined: frozenset[tuple[Segment, Segment]] | set[tuple[Segment, Segment]] = frozenset()) -> None:
        assert model["distance_influence"] == 0
        self.model, self.joined = model, joined

    def cost(self, route: list[Segment]) -> float:
        """The weight of a route in seconds."""
        seconds = sum(self.edge(one) for one in route)
        return seconds + sum(self.turn(one, other) for one, other in zip(route, route[1:]))

    def edge(self, one: Segment) -> float:
        """The weight of a segment."""
        kind = one.highway.removesuffix("_link")
        known = {
            "road_class": kind.upper(), "road_class_link": kind != one.highway, "car_access": True,
            "toll": "ALL" if one.toll else "NO", "lanes": one.lanes or 1,
            "max_speed": math.inf if one.speed is None else one.speed,
        }
        speed = apply(self.model["speed"], known, math.inf)
        return one.metres() / (speed / 3.6 * apply(self.model["priority"], known, 1.0))

    def turn(self, one: Segment, other: Segment) -> float:
        """The penalty of a turn. A U-turn has an angle beyond all others."""
        if (one, other) in self.joined:
            return 0.0
        angle = (other.bearing() - one.bearing() + 180) % 360 - 180
        known = {"change_angle": 999 if one.nodes == other.nodes[::-1] else angle}
        return apply(self.model.get("turn_penalty", []), known, 0.0)


def apply(rules: list[dict[str, str]], known: dict[str, Any], value: float) -> float:
    """What rules make of a value."""
    done = False
    for rule in rules:
        if "if" in rule:
            matches = done = holds(rule["if"], known)
        else:
            matches = not done and ("else" in rule or holds(rule["else_if"], known))
            done = done or matches
        if matches:
            value = min(value, float(rule["limit_to"])) if "limit_to" in rule else value
            value = value * float(rule["multiply_by"]) if "multiply_by" in rule else value
            value = value + float(rule["add"]) if "add" in rule else value
    return value


def holds(condition: str, known: dict[str, Any]) -> bool:
    """Whether all parts of a condition hold."""
    compare = {
        "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < float(b), "<=": lambda a, b: a <= float(b),
        ">": lambda a, b: a > float(b), ">=": lambda a, b: a >= float(b),
    }

    def part(text: str) -> bool:
        words = text.split()
        if len(words) == 1:
            return known[text.removeprefix("!")] != text.startswith("!")
        return bool(compare[words[1]](known[words[0]], words[2]))

    return all(part(text) for text in condition.split(" && "))


class Valhalla:
    """Valhalla's costing `auto` of edges, as its source has it, without what no option can change."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.options = request["costing_options"]["auto"]

    def edge(self, one: Segment, seconds: float) -> float:
        """The cost of a segment that takes so long."""
        part, highways, tolls = (self.options.get(name, 0.5) for name in ("use_distance", "use_highways", "use_tolls"))
        of_highways = (0.5 - highways) ** 3 if highways >= 0.5 else 8 * (1 - 2 * highways) ** 2
        of_tolls = 4 - 8 * tolls if tolls < 0.5 else 0.03 * (0.5 - tolls)
        motorway = {"motorway": 1.0, "trunk": 0.5}.get(one.highway.removesuffix("_link"), 0.0)
        factor = 1 + of_highways * motorway + of_tolls * one.toll
        return (seconds * (1 - part) + one.metres() * part / 16) * factor
