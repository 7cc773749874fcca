"""The engine. The Python side of the package hands over arrays that are contiguous and of the right type."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

__version__: str
__all__ = [
    "Canvas",
    "City",
    "Demonstrations",
    "Likelihood",
    "Part",
    "PartialDemonstrations",
    "Partition",
    "PathModel",
    "Problem",
    "Roads",
    "Routes",
    "Slowness",
    "__version__",
    "assign_flows",
    "cliff_walking",
    "command",
    "compare",
    "cost_map",
    "counterfactual",
    "cross_validate",
    "cut_regions",
    "estimate",
    "evaluate_routes",
    "fit",
    "fit_mixed",
    "fit_nested",
    "fit_partial",
    "fit_samples",
    "frozen_lake",
    "history_of_function",
    "history_of_indicators",
    "history_of_table",
    "lake_map",
    "likely_destinations",
    "likely_routes",
    "linear_chain",
    "load_model",
    "match_trips",
    "n_chain",
    "plan",
    "policy_values",
    "recovery",
    "road_like",
    "report",
    "road_map",
    "rollouts",
    "save_model",
    "side_by_side",
    "split_paths",
    "summarise",
    "summarise_partial",
    "summary_table",
    "taxi",
    "trip_world",
    "write_engine_costs",
]

_Integers = NDArray[np.int64]
_Floats = NDArray[np.float64]
_Weights = Sequence[tuple[int, float]]
_Beginning = _Weights | tuple[_Integers, _Integers]
_Reward = tuple[_Floats, _Floats]
_Paths = tuple[_Integers, _Integers, _Integers, _Floats, list[str | None], dict[str, list["float | str | None"]]]
_Path = tuple[_Integers, _Integers, float]
_Watch = Callable[[int, int, _Floats, float, float], bool]
_Count = Callable[[int, int], bool]
_Ask = Callable[[str], list[str]]
_Stages = Callable[[str, int, int], bool]
_Lines = tuple[_Floats, _Floats, _Integers, _Integers]

@final
class Problem:
    def __new__(
        cls,
        *,
        n_states: int,
        n_actions: int,
        n_features: int,
        discount: float,
        start: tuple[_Integers, _Floats],
        terminal: _Integers,
        transitions: tuple[_Integers, _Integers, _Integers, _Floats],
        state_features: tuple[_Integers, _Integers, _Floats],
        state_action_features: tuple[_Integers, _Integers, _Integers, _Floats],
        transition_features: tuple[_Integers, _Integers, _Floats],
        names: Sequence[str],
        reference: tuple[_Integers, _Integers, _Floats],
        grid: tuple[int, int] | None,
        points: tuple[_Floats, _Floats] | None,
        true_theta: _Floats | None,
    ) -> Problem: ...
    @staticmethod
    def load(path: str) -> Problem: ...
    def save(self, path: str) -> None: ...
    def columns(self) -> dict[str, Any]: ...
    @property
    def sizes(self) -> tuple[int, int, int, int, int]: ...
    @property
    def discount(self) -> float: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def digest(self) -> str: ...
    @property
    def grid(self) -> tuple[int, int] | None: ...
    @property
    def points(self) -> tuple[_Floats, _Floats] | None: ...
    @property
    def true_theta(self) -> _Floats | None: ...
    def start(self) -> tuple[_Integers, _Floats]: ...
    def terminal(self) -> _Integers: ...
    def transitions(self) -> tuple[_Integers, _Integers, _Integers, _Floats]: ...
    def choices(self) -> tuple[_Integers, _Integers]: ...
    def reward(self, theta: _Floats) -> _Reward: ...

@final
class Demonstrations:
    def __new__(
        cls,
        problem: Problem,
        offsets: _Integers,
        states: _Integers,
        actions: _Integers,
        weights: _Floats,
        ids: Sequence[str | None],
        trip: Mapping[str, Sequence[float | str | None]],
    ) -> Demonstrations: ...
    @staticmethod
    def read(path: str) -> _Paths: ...
    @staticmethod
    def write(
        path: str,
        offsets: _Integers,
        states: _Integers,
        actions: _Integers,
        weights: _Floats,
        ids: Sequence[str | None],
        trip: Mapping[str, Sequence[float | str | None]],
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def longest(self) -> int: ...

@final
class Likelihood:
    def __new__(
        cls, problem: Problem, demonstrations: Demonstrations, inference: str, options: Mapping[str, Any]
    ) -> Likelihood: ...
    @property
    def horizon(self) -> int | Literal["any"]: ...
    @property
    def engine_seconds(self) -> float: ...
    def evaluate(self, theta: _Floats) -> tuple[float, float, _Floats, float | None]: ...

@final
class Partition:
    def __new__(
        cls,
        problem: Problem,
        ends_name: str,
        horizon: int | Literal["any"],
        start: _Weights,
        to: int | None,
        transitions: bool,
        threads: int | None,
    ) -> Partition: ...
    def evaluate(self, state: _Floats, transition: _Floats) -> tuple[float, _Floats, _Floats]: ...

@final
class PartialDemonstrations:
    def __new__(cls, problem: Problem, lines: Sequence[str]) -> PartialDemonstrations: ...
    @staticmethod
    def read(path: str) -> list[str]: ...
    @staticmethod
    def write(path: str, lines: Sequence[str]) -> None: ...
    def __len__(self) -> int: ...

@final
class PathModel:
    def complete(
        self, demos: PartialDemonstrations, samples: int | None, seed: int, threads: int | None
    ) -> tuple[_Paths, _Floats]: ...
    def posterior_of_steps(
        self, demos: PartialDemonstrations, threads: int | None
    ) -> list[tuple[list[tuple[list[tuple[int, float]], list[tuple[int, float]], float]], float]]: ...
    def __new__(
        cls,
        problem: Problem,
        rewards: _Reward,
        horizon: int | Literal["any"],
        ends_name: str,
        chance_name: str,
        memory: int | None,
    ) -> PathModel: ...
    @staticmethod
    def with_history(
        problem: Problem, model: str, horizon: int | Literal["any"], ends_name: str, memory: int | None
    ) -> PathModel: ...
    def best_paths(
        self, start: _Weights, to: _Weights | None, k: int, bounded: bool, loopless: bool, threads: int | None
    ) -> list[_Path]: ...
    def posterior(
        self, states: _Integers, actions: _Integers, prior: str | _Floats, follow: bool, threads: int | None
    ) -> _Floats: ...
    def lengths(self, beginning: _Beginning, to: int | None, threads: int | None) -> tuple[int, _Floats, float, float]: ...
    def sample(
        self, beginning: _Beginning, to: int | None, n: int, seed: int, states: int | None, threads: int | None
    ) -> _Paths: ...
    def marginals(self, start: _Weights, to: int | None, t: int | None, of: str, threads: int | None) -> _Floats: ...
    def values(self, to: int | None, threads: int | None) -> _Floats: ...
    def policy(self, start: _Weights, to: int | None, t: int | None, threads: int | None) -> tuple[_Floats, _Floats]: ...
    def policy_after(
        self, states: _Integers, actions: _Integers, to: int | None, threads: int | None
    ) -> tuple[_Floats, _Floats]: ...
    def scores(self, demonstrations: Demonstrations, threads: int | None) -> _Floats: ...
    def flows(self, trips: Sequence[tuple[tuple[int, int], float]], threads: int | None) -> _Floats: ...
    def flow_elasticities(
        self,
        trips: Sequence[tuple[tuple[int, int], float]],
        theta: Sequence[float],
        features: Sequence[int],
        threads: int | None,
    ) -> list[_Floats]: ...
    def different_paths(
        self,
        start: _Weights,
        to: _Weights | None,
        k: int,
        lengths: Sequence[float],
        overlap: float,
        threads: int | None,
    ) -> list[_Path]: ...
    def score_parts(self, demonstrations: Demonstrations, threads: int | None) -> list[_Floats]: ...

@final
class Routes:
    def __new__(cls, model: PathModel, bounded: bool, threads: int | None) -> Routes: ...
    def find(self, start: _Integers, to: _Integers, threads: int | None) -> list[_Path | None]: ...

@final
class Part:
    def __new__(
        cls, problem: Problem, demonstrations: Demonstrations, world: int, settings: Mapping[str, Any], pool: int
    ) -> Part: ...
    def answer(self, question: str) -> str: ...

def command(arguments: Sequence[str]) -> int: ...
def fit(
    worlds: Sequence[tuple[Problem, Demonstrations]],
    settings: Mapping[str, Any],
    ask: _Ask | None,
    callback: _Watch | None,
    every: float,
) -> tuple[_Floats, str, list[str], str | None, str | None]: ...
def fit_partial(
    problem: Problem,
    demos: PartialDemonstrations,
    settings: Mapping[str, Any],
    starts: int,
    seed: int,
    callback: _Watch | None,
    every: float,
) -> tuple[_Floats, str, list[str]]: ...
def summarise_partial(
    problem: Problem,
    demos: PartialDemonstrations,
    model: str,
    level: float,
    errors: str,
    cluster: str | None,
    threads: int | None,
    memory: int | None,
    callback: _Count | None,
) -> str | None: ...
def summarise(
    worlds: Sequence[tuple[Problem, Demonstrations]],
    ask: _Ask | None,
    model: str,
    level: float,
    errors: str,
    cluster: str | None,
    threads: int | None,
    memory: int | None,
    callback: _Count | None,
) -> str | None: ...
def fit_mixed(
    problem: Problem,
    demonstrations: Demonstrations,
    random: Sequence[tuple[int, str]],
    draws: tuple[int, bool, int],
    panel: str | None,
    errors: str,
    threads: int | None,
    memory: int | None,
) -> tuple[str, str]: ...
def fit_nested(
    problem: Problem,
    demonstrations: Demonstrations,
    scale: Sequence[int],
    discounted: bool,
    errors: tuple[str, str | None],
    threads: int | None,
    memory: int | None,
) -> tuple[str, str]: ...
def side_by_side(models: Sequence[tuple[str, str]], style: str) -> str: ...
def summary_table(model: str) -> str: ...
def compare(
    problem: Problem,
    demonstrations: Demonstrations,
    settings: Mapping[str, Any],
    where_to_end: str | None,
    folds: int,
    seed: int,
    callback: _Count | None,
) -> tuple[str, str, tuple[str, list[str]] | None] | None: ...
def counterfactual(
    problem: Problem,
    model: str,
    world: Problem | None,
    request: str,
    threads: int | None,
    memory: int | None,
    callback: _Count | None,
) -> tuple[str, str] | None: ...
def cross_validate(
    problem: Problem,
    demonstrations: Demonstrations,
    settings: Mapping[str, Any],
    l2: Sequence[float],
    folds: int,
    seed: int,
    group_identical: bool,
    callback: _Count | None,
) -> dict[str, Any] | None: ...
def fit_samples(
    samples: Mapping[str, Any],
    observed: _Floats,
    n_demonstrations: int,
    settings: Mapping[str, Any],
    callback: _Watch | None,
    every: float,
) -> tuple[_Floats, str, list[str]]: ...
def estimate(
    samples: Mapping[str, Any], theta: _Floats, threads: int | None
) -> tuple[float, float, _Floats, _Floats, float, float]: ...
def save_model(path: str, json: str) -> None: ...
def history_of_indicators(problem: Problem, demonstrations: Demonstrations, order: int, shrinkage: float) -> str: ...
def history_of_table(problem: Problem, table: str) -> str: ...
def history_of_function(
    problem: Problem, order: int, names: list[str], function: Callable[[list[int], int], list[float]]
) -> str: ...
def load_model(path: str) -> str: ...
def report(
    problem: Problem,
    model: str,
    demos: Demonstrations | None,
    title: str,
    path: str,
    threads: int | None,
    memory: int | None,
) -> int: ...
def plan(
    problem: Problem, reward_columns: _Reward, temperature: float | None, settings: Mapping[str, Any]
) -> tuple[_Floats, _Floats, float | None, int, bool]: ...
def policy_values(problem: Problem, reward_columns: _Reward, policy: _Floats, settings: Mapping[str, Any]) -> _Floats: ...
def trip_world(
    problem: Problem,
    demonstrations: Demonstrations,
    products: Sequence[tuple[int, str]],
    link_size: _Floats | None,
    memory: int | None,
) -> tuple[Problem, _Paths]: ...
def rollouts(problem: Problem, policy: _Floats, n: int, longest: int, seed: int) -> _Paths: ...
def recovery(problem: Problem, truth: _Reward, learned: _Reward, settings: Mapping[str, Any]) -> tuple[float, float, int]: ...
def frozen_lake(map: Sequence[str], slippery: bool, discount: float) -> Problem: ...
def lake_map(size: int, p_frozen: float | None, seed: int) -> list[str]: ...
def cliff_walking(slippery: bool, features: str, discount: float) -> Problem: ...
def taxi(features: str, discount: float) -> Problem: ...
def n_chain(n: int, slip: float, small: float, large: float, features: str, discount: float) -> Problem: ...
def linear_chain(n: int, discount: float) -> Problem: ...
def road_like(n_states: int, n_transitions: int, seed: int, discount: float) -> Problem: ...

@final
class Roads:
    @staticmethod
    def make(settings: Mapping[str, Any], callback: _Stages | None) -> tuple[Roads, str, list[str]]: ...
    @staticmethod
    def load(path: str) -> Roads: ...
    def save(self, path: str) -> None: ...
    def problem(self) -> Problem: ...
    def describe(self) -> str: ...
    @property
    def n_states(self) -> int: ...
    @property
    def n_segments(self) -> int: ...
    @property
    def n_turns(self) -> int: ...
    @property
    def profile(self) -> str: ...
    @property
    def names(self) -> list[str]: ...
    def lengths(self) -> _Floats: ...
    def seconds(self) -> _Floats: ...
    def costs(self, theta: _Floats) -> _Floats: ...
    def states_at(self, lat: float, lon: float) -> list[int]: ...
    def table(self, columns: Sequence[tuple[str, _Floats]]) -> tuple[list[str], list[list[Any]], _Lines]: ...
    def lines(self, offsets: _Integers, states: _Integers) -> _Lines: ...
    def export(self, path: str, columns: Sequence[tuple[str, _Floats]]) -> None: ...
    def export_routes(self, path: str, offsets: _Integers, states: _Integers, properties: Sequence[str]) -> None: ...
    def export_paths(self, path: str, paths: str) -> int: ...

@final
class Canvas:
    def svg(self) -> str: ...
    def png(self) -> bytes: ...

@final
class City:
    def __new__(cls, size: int, seed: int) -> City: ...
    def osm_xml(self) -> str: ...
    def roads(self) -> Roads: ...
    @property
    def theta(self) -> _Floats: ...
    @property
    def horizon(self) -> int: ...
    def trips(self, n: int, seed: int) -> _Paths: ...
    def write_trips(self, path: str, n: int, seed: int) -> None: ...

@final
class Slowness:
    @staticmethod
    def estimate(roads: Roads, paths: str, clock: str | None, utc_offset: float) -> tuple[Slowness, str]: ...
    @staticmethod
    def load(path: str) -> Slowness: ...
    def save(self, path: str) -> None: ...
    def rows(self) -> str: ...
    def slow_down(self, roads: Roads, hour: int | None) -> Roads: ...
    def add_to(self, paths: str, output: str, clock: str | None, utc_offset: float) -> int: ...

def road_map(roads: Roads, values: _Floats, title: str, label: str, log: bool) -> Canvas: ...
def cost_map(roads: Roads, theta: _Floats) -> Canvas: ...
def match_trips(
    roads: Roads,
    trips: str,
    files: tuple[str, str, str | None],
    settings: Mapping[str, Any],
    model: str | None,
    rounds: int | None,
    callback: _Stages | None,
) -> tuple[str, str | None]: ...
def split_paths(paths: _Paths, share: float, seed: int) -> tuple[list[int], list[int]]: ...
def evaluate_routes(
    roads: Roads,
    model: str,
    test: _Paths,
    train: _Paths | None,
    destinations: int,
    seed: int,
    maps: bool,
    threads: int | None,
    memory: int | None,
    callback: _Stages | None,
) -> tuple[str, str, dict[str, Any], tuple[_Integers, _Integers], list[tuple[str, Canvas]]]: ...
def likely_routes(
    roads: Roads,
    model: str,
    start: Sequence[int],
    to: Sequence[int],
    k: int,
    overlap: float,
    draw: bool,
    threads: int | None,
    memory: int | None,
) -> tuple[list[str], Canvas | None]: ...
def likely_destinations(
    roads: Roads,
    model: str,
    trip: str,
    train: _Paths | None,
    prior: _Floats | None,
    seed: int,
    draw: bool,
    threads: int | None,
    memory: int | None,
    callback: _Stages | None,
) -> tuple[str, _Floats, Canvas | None]: ...
def assign_flows(
    roads: Roads,
    model: str,
    pairs: str,
    by: Sequence[tuple[str, int]],
    changes: str | None,
    save: str | None,
    draw: bool,
    threads: int | None,
    memory: int | None,
) -> tuple[tuple[_Floats, tuple[_Floats, _Floats] | None, list[tuple[str, _Floats]]], str, Canvas | None]: ...
def cut_regions(
    problem: Problem, paths: _Paths, count: int, margin: float | None, drop: bool, folder: str | None
) -> tuple[list[tuple[Problem, _Paths, _Integers]], str]: ...
def write_engine_costs(roads: Roads, theta: _Floats, engine: str, output: str, turns: str | None) -> str: ...
