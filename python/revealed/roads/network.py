"""Network: roads as directed segments with turns between them, and what is asked of them."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .. import _native
from ..demonstrations.trajectories import Trajectories
from ..display.cards import card
from ..display.progress import Callback, Stages
from ..inputs.columns import Floats, floats, listed
from ..inputs.frames import is_frame
from ..inputs.numbers import count, number, optional_count, optional_number
from ..inputs.options import Bounds, Ends, Horizon
from ..inputs.seeds import Seed, seed_of
from ..learning.counterfactual import scenario_of
from ..learning.maxent import Inference, MaxEntIRL
from ..mdp.demonstrations import native_demonstrations
from ..mdp.mdp import Mdp
from .destination import Destination
from .edges import EdgeTables, of_frames, of_osmnx
from .evaluation import Evaluation
from .flows import Flows
from .geometry import geo_file, geo_frame, lines
from .models import Model, model_json, model_of
from .paths import Paths, as_paths, short_enough, texts_of_frame
from .pictures import Map
from .regions import Regions
from .routes import Routes
from .speeds import Speeds
from .tables import Tables, columns_of
from .trips import trips_file

__all__ = ["Network", "Profile", "made"]

_LOG = logging.getLogger("revealed")

Profile = Literal["car", "bicycle", "foot"]
Place = int | tuple[float, float]

# The options of an import that are files or frames, and those that are not, with their defaults.
_TABLES = ("columns", "turn_columns", "elevation", "speeds")
_OPTIONS: dict[str, Any] = {
    "features": "paper",
    "missing": None,
    "skip_unknown": False,
    "per_metre": False,
    "compress": False,
    "u_turns": False,
    "keep_all": False,
    "profile": "car",
    "service": False,
    "nodes": None,
}


class Network:
    """A road network with features: a state for each directed segment, and an action for each turn.

    `read_osm`, `read_edges`, `load`, `Network.from_frames` and `Network.from_osmnx` make one. It is never changed. Where
    it is asked about a `model`, that is a `MaxEntIRL` that was fitted to this network, or a model file (.json).

    Attributes
    ----------
    report : dict
        What the network was made of, and what was left out, as `revealed roads import --json` prints it.
    notes : list of str
        Remarks on the tables that were read.
    """

    def __init__(self, native: _native.Roads, report: dict[str, Any] | None = None, notes: Sequence[str] = ()) -> None:
        self._native = native
        self.report: dict[str, Any] = json.loads(native.describe()) if report is None else report
        self.notes = list(notes)

    def _with(self, native: _native.Roads) -> Network:
        return Network(native, self.report, self.notes)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Network:
        """Read a network file (.npz), as `save` and `revealed roads import` write it."""
        return cls(_native.Roads.load(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a network file (.npz): a problem that every command reads."""
        self._native.save(os.fspath(path))

    @classmethod
    def from_frames(cls, edges: Any, nodes: Any = None, *, progress: bool | None = None, **options: Any) -> Network:
        """From a frame of edges and one of nodes, of pandas, polars or GeoPandas; or from lines alone.

        Parameters
        ----------
        edges : frame
            A row for each road from node to node: `from` and `to` (or `u` and `v`), and, where they are known, `length` in
            metres, `highway`, `lanes`, `maxspeed`, `toll`, `name`, `way` and `oneway` (yes, no or -1; without this column
            each row is one direction). The lines of a GeoDataFrame are followed by their bends. Without `from` and `to`,
            lines that share a vertex meet there, so `to_geopandas()` can be read back.
        nodes : frame, optional
            `node`, `lat` and `lon`, or a GeoDataFrame of points. Otherwise `edges` has `from_lat`, `from_lon`, `to_lat`
            and `to_lon`, or lines.
        options
            Those of `read_osm`, but `profile` and `service`.
        """
        return _of_edges(of_frames(edges, nodes), options, progress)

    @classmethod
    def from_osmnx(cls, graph: Any, *, progress: bool | None = None, **options: Any) -> Network:
        """From a street graph of osmnx as it is: a MultiDiGraph, simplified or not. osmnx itself is not needed.

        Edges with a geometry are followed by their bends. `options` are those of `read_osm`, but `profile` and `service`.
        A graph has no turn restrictions, and its traffic lights are not read; `read_osm` reads both.
        """
        return _of_edges(of_osmnx(graph), options, progress)

    @property
    def n_states(self) -> int:
        """The number of states: segments and their copies, or chains of them if the network is compressed."""
        return self._native.n_states

    @property
    def n_segments(self) -> int:
        """The number of directed segments."""
        return self._native.n_segments

    @property
    def n_turns(self) -> int:
        """The number of turns from a segment to the next."""
        return self._native.n_turns

    @property
    def feature_names(self) -> list[str]:
        """The names of the features."""
        return self._native.names

    @property
    def profile(self) -> str:
        """Who travels: car, bicycle or foot."""
        return self._native.profile

    @cached_property
    def mdp(self) -> Mdp:
        """The network as an `Mdp`, for everything else in the package."""
        return Mdp._of(self._native.problem())

    @cached_property
    def lengths(self) -> Floats:
        """The length of each state in metres."""
        return self._native.lengths()

    @cached_property
    def seconds(self) -> Floats:
        """The time to drive along each state, at the speed limit or the usual speed."""
        return self._native.seconds()

    def __repr__(self) -> str:
        who = {"car": "cars", "bicycle": "bicycles", "foot": "walkers"}[self.profile]
        features = len(self.feature_names)
        return f"Network({self.n_segments} segments, {self.n_turns} turns, {features} features, for {who})"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, Any]] = [
            ("segments", f"{self.n_segments:,}, {self.report['metres'] / 1000:,.0f} km"),
            ("turns", f"{self.n_turns:,}"),
            ("states", f"{self.n_states:,}"),
            ("features", ", ".join(self.feature_names)),
        ]
        return card("Network", rows)

    # Frames and files

    def to_frame(self, columns: Mapping[str, Any] | None = None) -> Any:
        """A pandas frame with a row for each road: state, way, highway, name, lanes, speed, length, toll.

        `columns` are more, by name: a number for each state.
        """
        import pandas

        names, values, _ = self._native.table(self._more(columns or {}))
        return pandas.DataFrame({name: _series(column) for name, column in zip(names, values)})

    def to_geopandas(self, columns: Mapping[str, Any] | None = None, *, features: bool = False) -> Any:
        """The same as a GeoDataFrame, with the line of each road. It is what `export` writes.

        `columns` are more, by name: a number for each state. With `features`, there is a column such as `feature.time` for
        each feature of states.
        """
        more = dict(columns or {})
        if features:
            of_states = self.mdp._native.columns()["state_features"]
            for at, name in enumerate(self.feature_names):
                mine = of_states[1] == at
                feature = np.zeros(self.n_states)
                feature[of_states[0][mine]] = of_states[2][mine]
                more[f"feature.{name}"] = feature
        names, values, where = self._native.table(self._more(more))
        return geo_frame({name: _series(column) for name, column in zip(names, values)}, lines(where))

    def _more(self, columns: Mapping[str, Any]) -> list[tuple[str, Floats]]:
        return [(name, floats(name, values, self.n_states)) for name, values in columns.items()]

    def export(self, path: str | os.PathLike[str], model: Model | None = None, columns: Mapping[str, Any] | None = None) -> None:
        """Write a line for each road for other programs (.parquet, .gpkg, .fgb or .geojson).

        With a model, there is the learned `cost` of each. `columns` are more, by name: a number for each state.
        """
        costs = {} if model is None else {"cost": self.costs(model)}
        self._native.export(os.fspath(path), self._more({**costs, **(columns or {})}))

    def export_costs(
        self,
        model: Model,
        output: str | os.PathLike[str],
        *,
        to: Literal["osrm", "graphhopper", "valhalla"],
        turns: str | os.PathLike[str] | None = None,
    ) -> dict[str, Any]:
        """Write learned costs for a routing engine, and return what is in the files and what is lost.

        For OSRM, `output` and `turns` are tables (.csv) of segments and of turns; for the others, `output` is a .json file.
        """
        theta = model_of(self, model, "export_costs").theta_
        files = os.fspath(output), None if turns is None else os.fspath(turns)
        found: dict[str, Any] = json.loads(_native.write_engine_costs(self._native, theta, to, *files))
        return found

    def costs(self, model: Model) -> Floats:
        """The learned cost of each state: minus its reward, without that of turns."""
        return self._native.costs(model_of(self, model, "costs").theta_)

    # Trips

    def match(
        self,
        trips: Any,
        *,
        method: Literal["hmm", "particles"] = "hmm",
        model: Model | None = None,
        learn: int | None = None,
        sigma: float | None = None,
        radius: float | None = None,
        min_seconds: float | None = None,
        min_metres: float | None = None,
        area: tuple[float, float, float] | None = None,
        strict: bool = False,
        keep_cyclic: bool = False,
        seed: Seed = 1,
        geojson: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> Paths:
        """The paths that GPS trips took, with the reasons why others were dropped.

        Parameters
        ----------
        trips
            One of:

            - a file: .csv or .csv.gz with TRIP_ID and POLYLINE as the Porto taxis have them, or with trip, lat, lon and
              time; .gpx or .gpx.gz;
            - a frame of pandas or polars with a row for each fix: trip, lat, lon and, if known, time (seconds, or times of
              a clock). Columns with one value for each trip, such as the driver, are kept;
            - a GeoDataFrame of points with the columns trip and time;
            - a frame with TRIP_ID and POLYLINE;
            - a list of trips, or a mapping of ids to trips, each a list of (lat, lon) or (lat, lon, seconds).
        method : {"hmm", "particles"}
            A hidden Markov model, or the particle filter of the paper.
        model : MaxEntIRL or file, optional
            Weigh routes between fixes by learned preferences instead of their lengths: for fixes that are far apart.
        learn : int, optional
            Match, learn preferences from the routes, and match by them, in at most so many rounds. They become
            `paths.model`.
        sigma : float, optional
            The standard deviation of the GPS in metres, from which the estimate for each trip begins; 10 by default.
        radius : float, optional
            Roads farther than this from a fix are not considered, in metres; 50 by default.
        min_seconds, min_metres : float, optional
            Shorter trips are dropped; 120 s and 250 m by default.
        area : (lat, lon, km), optional
            Trips that leave this circle are dropped.
        strict : bool
            Whether a trip with one bad stretch is dropped, as in the paper. Otherwise it is matched in parts.
        keep_cyclic : bool
            With `strict` or particles, whether trips that use a segment twice are kept.
        seed : int
            The same seed gives the same particles.
        geojson : path, optional
            Where to write the lines of the routes, from the first fix to the last.
        threads, progress : optional
            As for `MaxEntIRL`.
        """
        if model is not None and (learn is not None or strict):
            raise ValueError("model goes with neither learn nor strict: give one of them")
        settings = {
            "method": method,
            "sigma": optional_number("sigma", sigma),
            "radius": optional_number("radius", radius),
            "min_seconds": optional_number("min_seconds", min_seconds),
            "min_metres": optional_number("min_metres", min_metres),
            "area": None if area is None else _area(area),
            "strict": bool(strict),
            "keep_cyclic": bool(keep_cyclic),
            "seed": seed_of(seed),
            "threads": optional_count("threads", threads),
        }
        preferences = None if model is None else model_json(self, model, "match")
        rounds = None if learn is None else count("learn", learn, most=1000)
        with Tables() as tables, Stages(progress) as stages:
            files = tables.file("paths.jsonl"), tables.file("dropped.csv"), None if geojson is None else os.fspath(geojson)
            source = trips_file(tables, trips)
            told, learned = _native.match_trips(self._native, source, files, settings, preferences, rounds, stages)
            paths = Paths(self, tables.text("paths.jsonl").splitlines())
            dropped = list(csv.reader(io.StringIO(tables.text("dropped.csv"))))[1:]
            if learned is not None:
                Path(tables.file("model.json")).write_text(learned, encoding="utf-8")
                paths.model = MaxEntIRL.load(tables.file("model.json"), self.mdp)
        paths.report = json.loads(told)
        paths.dropped = [(trip, reason) for trip, reason in dropped]
        _LOG.info("matched %d of %d trips", paths.report["matched"], paths.report["trips"])
        return paths

    def read_paths(self, paths: Any) -> Paths:
        """Read matched paths (.jsonl), as `Paths.save` and `revealed roads match` write them, with their times.

        `paths` may also be a frame with their `states`, such as that of `Paths.to_geopandas`, or a file of `Paths.export`
        (.parquet, .gpkg, .fgb, .geojson). FlatGeobuf (.fgb) sorts paths by place: tell them by their `ids`.
        """
        frame = paths if is_frame(paths) else geo_file(paths)
        if frame is not None:
            return Paths(self, texts_of_frame(self, frame))
        text = Path(paths).read_text(encoding="utf-8")
        found = Paths(self, [line for line in text.splitlines() if line.strip()])
        if len(found):
            native_demonstrations(self.mdp, found)  # which checks them
        return found

    def speeds(self, paths: Paths, *, clock: str | None = None, utc_offset: float = 0.0) -> Speeds:
        """How long drives take, by kind of road and hour, from matched paths with times.

        `clock` names the column of trips with the time at which they begin, in seconds since 1970; by default it is that of
        the fixes, or the column TIMESTAMP. `utc_offset` is added to the time in Greenwich, in hours.
        """
        offset = number("utc_offset", utc_offset)
        if not -24.0 <= offset <= 24.0:
            raise ValueError(f"utc_offset is {utc_offset}: give hours between -24 and 24")
        if not isinstance(paths, Paths):
            raise TypeError(f"paths is a {type(paths).__name__}: give Paths with times, of match or read_paths")
        with Tables() as tables:
            paths.save(tables.file("paths.jsonl"))
            native, told = _native.Slowness.estimate(self._native, tables.file("paths.jsonl"), clock, offset)
        return Speeds(self, paths, native, told, (clock, offset))

    def regions(
        self,
        paths: Any,
        count: int,
        *,
        margin: float | None = None,
        drop: bool = False,
        folder: str | os.PathLike[str] | None = None,
    ) -> Regions:
        """Cut the network into `count` regions with overlap, so that each path lies within one.

        `margin` is how far each region extends over its neighbours, in degrees; by default the least with which every path
        lies within one. With `drop`, paths within no region are left out, which are an error otherwise. The regions are
        written to `folder`, if there is one, with a list `worlds.jsonl` for `revealed learn --manifest`.
        """
        found = as_paths(self, paths)
        options = _count("count", count), optional_number("margin", margin), bool(drop)
        where = None if folder is None else os.fspath(folder)
        return Regions(*_native.cut_regions(self.mdp._native, found._columns, *options, where))

    # Learning and forecasts

    def learn(
        self,
        paths: Any,
        *,
        inference: Inference = "recursive-logit",
        max_states: int = 400,
        bounds: Bounds | None = None,
        l2: float = 0.0,
        ends: Ends | None = None,
        horizon: Horizon | None = None,
        max_iter: int = 10_000,
        standard_errors: bool = False,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        threads: int | None = None,
        memory: int | None = None,
        progress: bool | None = None,
    ) -> MaxEntIRL:
        """What drivers prefer, from matched paths: a fitted `MaxEntIRL`, as `revealed roads learn` learns it.

        By default it is the recursive logit: the choice of a route between the ends of each trip. Paths of more than
        `max_states` states are ignored. `Paths.split` divides paths into a training and a test set. With
        `standard_errors`, they are computed, too. A `callback` gets the `Progress` of each iteration, and stops the search
        by returning True. The model is written to `checkpoint`, and `resume` continues from what is there. Other options
        are those of `MaxEntIRL`.
        """
        settings: dict[str, Any] = {"inference": inference, "bounds": bounds, "l2": l2, "ends": ends, "horizon": horizon}
        settings |= {"max_iter": max_iter, "standard_errors": standard_errors}
        irl = MaxEntIRL(**settings, threads=threads, memory=memory, progress=progress)
        short = short_enough(as_paths(self, paths), max_states)
        return irl.fit(self.mdp, short, callback=callback, checkpoint=checkpoint, resume=resume)

    def evaluate(
        self,
        model: Model,
        paths: Any,
        *,
        train: Any = None,
        destinations: int = 500,
        seed: Seed = 1,
        maps: bool = False,
        threads: int | None = None,
        memory: int | None = None,
        progress: bool | None = None,
    ) -> Evaluation:
        """Forecast the routes and destinations of trips, and compare them with the true ones and with baselines.

        `paths` are those that the model has not seen. `train` are those that it was learned from, for Ziebart's model and
        for the model of destinations, which are forecast for at most `destinations` trips. `maps` draws costs, flows and
        trips.
        """
        test = as_paths(self, paths)
        known = None if train is None else as_paths(self, train)._columns
        options = _count("destinations", destinations, least=0), seed_of(seed), bool(maps)
        work = optional_count("threads", threads), optional_count("memory", memory)
        text = model_json(self, model, "evaluate")
        with Stages(progress) as stages:
            found = _native.evaluate_routes(self._native, text, test._columns, known, *options, *work, stages)
        told, table, compared, routes, drawn = found
        return Evaluation(self, test, told, table, compared, routes, {name: Map(canvas) for name, canvas in drawn})

    def forecast(
        self,
        model: Model,
        start: Place,
        to: Place,
        *,
        k: int = 1,
        overlap: float = 0.7,
        map: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        memory: int | None = None,
    ) -> Routes:
        """The likeliest routes between two places, given as (lat, lon) or as the number of a state.

        No two of the `k` routes have more than the share `overlap` of their length in common; 1 gives the k likeliest, which
        often differ by a block only. There may be fewer. `map` is an .svg or .png file to draw them in.
        """
        share = number("overlap", overlap)
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"overlap is {overlap}: give a share between 0 and 1")
        ends = self._at("start", start), self._at("to", to)
        work = optional_count("threads", threads), optional_count("memory", memory)
        text = model_json(self, model, "forecast")
        texts, canvas = _native.likely_routes(self._native, text, *ends, count("k", k), share, map is not None, *work)
        _drawn(canvas, map)
        return Routes(self, texts)

    def destination(
        self,
        model: Model,
        trip: Any,
        *,
        train: Any = None,
        prior: Any = None,
        seed: Seed = 1,
        map: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        memory: int | None = None,
        progress: bool | None = None,
    ) -> Destination:
        """Where a trip that has begun will end.

        `trip` is anything that `match` takes, of which the first trip counts. `train` are known paths, which say where
        trips end and how long they are; otherwise all metres of road are as probable. `prior` gives weights over the
        states instead. `map` is an .svg or .png file to draw the destinations in.
        """
        known = None if train is None else as_paths(self, train)._columns
        weights = None if prior is None else floats("prior", prior, self.n_states)
        work = optional_count("threads", threads), optional_count("memory", memory)
        text, drawing = model_json(self, model, "destination"), map is not None
        with Tables() as tables, Stages(progress) as stages:
            source = trips_file(tables, trip)
            asked = self._native, text, source, known, weights, seed_of(seed), drawing
            told, posterior, canvas = _native.likely_destinations(*asked, *work, stages)
        _drawn(canvas, map)
        return Destination(self, told, posterior)

    def flows(
        self,
        model: Model,
        demand: Any,
        *,
        scenario: Mapping[str, Any] | None = None,
        elasticity: Sequence[str] = (),
        output: str | os.PathLike[str] | None = None,
        map: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        memory: int | None = None,
    ) -> Flows:
        """The expected flow on every road, of trips between given ends.

        `demand` is a frame or file (.csv, .jsonl) of `from`, `to` and `weight`, or a list of (from, to) or (from, to,
        weight): states, and how many trips there are. `scenario` has changes of the roads, such as `{"close": [17]}`
        or a toll, as `MaxEntIRL.counterfactual` takes them: then there are the flows with these changes, too.
        `elasticity` names features: by how many per cent each flow changes if the feature is 1 % larger everywhere.
        `output` is a file to write the flows to (.csv, .parquet, .gpkg, .fgb or .geojson), and `map` an .svg or .png
        file to draw them in.
        """
        by = [(str(name), self._feature(str(name))) for name in listed("elasticity", elasticity)]
        changes = None if scenario is None else json.dumps(scenario_of(self.mdp, scenario))
        file = None if output is None else os.fspath(output)
        table = file if file is not None and file.lower().endswith(".csv") else None
        work = optional_count("threads", threads), optional_count("memory", memory)
        text = model_json(self, model, "flows")
        with Tables() as tables:
            given = tables.table("demand", demand if isinstance(demand, (str, os.PathLike)) else _demand(demand))
            assert given is not None
            asked = self._native, text, given, by, changes, table, map is not None
            (flow, changed, elasticities), told, canvas = _native.assign_flows(*asked, *work)
        found = Flows(self, flow, changed, elasticities, told)
        if file is not None and table is None:
            self.export(file, columns=found.columns)
        _drawn(canvas, map)
        return found

    def map(
        self,
        values: Any,
        *,
        title: str = "",
        label: str = "",
        log: bool = False,
    ) -> Map:
        """A map with a colour for each state.

        `values` are a number for each state, or a model, of which it shows what it learned that a metre costs. `title`
        stands above the map, and `label` at its scale of colours, which is logarithmic with `log`.
        """
        if isinstance(values, (MaxEntIRL, str, os.PathLike)):
            return Map(_native.cost_map(self._native, model_of(self, values, "map").theta_))
        return Map(_native.road_map(self._native, floats("values", values, self.n_states), title, label, bool(log)))

    def states_at(self, lat: float, lon: float) -> list[int]:
        """The states at a place (`lat` and `lon` in degrees): those of the nearest road, in both directions."""
        return self._native.states_at(number("lat", lat), number("lon", lon))

    def _at(self, name: str, place: Any) -> list[int]:
        if isinstance(place, (int, np.integer)) and not isinstance(place, bool):
            return [count(name, place, least=0, most=self.n_states - 1)]
        if hasattr(place, "geom_type") and place.geom_type == "Point":
            place = place.y, place.x
        try:
            lat, lon = place
        except (TypeError, ValueError):
            raise TypeError(f"{name} is {place!r}: give (lat, lon), or the number of a state") from None
        lat, lon = number(f"the latitude of {name}", lat), number(f"the longitude of {name}", lon)
        if not (-90.0 <= lat <= 90.0 and -180.0 <= lon <= 180.0):
            raise ValueError(f"{name} is {place!r}: a latitude is from -90 to 90, a longitude from -180 to 180")
        try:
            return self.states_at(lat, lon)
        except ValueError as error:
            raise ValueError(f"{name} is {place!r}: {error}") from None

    def _feature(self, name: str) -> int:
        names = self.feature_names
        if name not in names:
            raise ValueError(f"elasticity: there is no feature {name!r}; there are {', '.join(names)}")
        return names.index(name)


_count = count


def made(path: str, options: dict[str, Any], progress: bool | None) -> Network:
    """The network of a map or an edge list."""
    unknown = sorted(set(options) - set(_OPTIONS) - set(_TABLES))
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no option of an import: there are {', '.join([*_OPTIONS, *_TABLES])}")
    settings = {**_OPTIONS, **{name: value for name, value in options.items() if name not in _TABLES}}
    settings["missing"] = optional_number("missing", settings["missing"])
    for name in ("skip_unknown", "per_metre", "compress", "u_turns", "keep_all", "service"):
        settings[name] = bool(settings[name])
    if not isinstance(settings["features"], str):
        settings["features"] = ",".join(map(str, listed("features", settings["features"])))
    with Tables() as tables, Stages(progress) as stages:
        for name in _TABLES:
            given = options.get(name)
            if isinstance(given, Speeds):
                given.save(tables.file("speeds.csv"))
                given = tables.file("speeds.csv")
            settings[name] = tables.table(name, given)
        native, told, notes = _native.Roads.make({"input": path, **settings}, stages)
        notes = [tables.named(note) for note in notes]
    for note in notes:
        _LOG.info("%s", note)
    return Network(native, json.loads(told), notes)


def _of_edges(edges: EdgeTables, options: dict[str, Any], progress: bool | None) -> Network:
    for name in ("profile", "service", "nodes"):
        if name in options:
            raise TypeError(f"{name} is not for an edge list: it has the edges that are open")
    with Tables() as tables:
        files = tables.write("edges", edges.edges), tables.write("nodes", edges.nodes)
        return made(files[0], {**options, "nodes": files[1]}, progress)


def _area(area: Any) -> tuple[float, float, float]:
    try:
        lat, lon, km = (number("area", part) for part in area)
    except (TypeError, ValueError):
        raise TypeError(f"area is {area!r}: give (latitude, longitude, kilometres)") from None
    if not (-90.0 <= lat <= 90.0 and -180.0 <= lon <= 180.0 and km > 0.0):
        raise ValueError(f"area is {area!r}: give latitude, longitude and kilometres, as in (41.148, -8.633, 15)")
    return lat, lon, km


def _demand(demand: Any) -> Any:
    """A table of from, to and weight, from a frame or a list of tuples."""
    if isinstance(demand, Trajectories):
        ends = demand.states[demand.offsets[:-1]].tolist(), demand.states[demand.offsets[1:] - 1].tolist()
        return {"from": ends[0], "to": ends[1], "weight": demand.weights.tolist()}
    if isinstance(demand, (list, tuple)):
        rows = [tuple(row) for row in demand]
        bad = next((row for row in rows if len(row) not in (2, 3)), None)
        if bad is not None:
            raise ValueError(f"demand has {bad!r}: give (from, to) or (from, to, weight)")
        weights = [row[2] if len(row) == 3 else 1.0 for row in rows]
        return {"from": [row[0] for row in rows], "to": [row[1] for row in rows], "weight": weights}
    columns = columns_of("demand", demand)
    return {name: values for name, values in columns.items() if name in ("from", "to", "weight", "id")}


def _drawn(canvas: Any, path: str | os.PathLike[str] | None) -> None:
    if canvas is not None and path is not None:
        Map(canvas).save(path)


def _series(values: list[Any]) -> Any:
    """A column of a frame: whole numbers stay whole where some are missing."""
    import pandas

    known = [value for value in values if value is not None]
    if len(known) < len(values) and known and all(isinstance(value, int) and not isinstance(value, bool) for value in known):
        return pandas.array(values, dtype="Int64")
    return values
