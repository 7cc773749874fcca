"""The engine. The Python side of the package hands over arrays that are contiguous and of the right type."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

__version__: str
__all__ = [
    "Demonstrations",
    "Likelihood",
    "Part",
    "Partition",
    "PathModel",
    "Problem",
    "Routes",
    "__version__",
    "cliff_walking",
    "command",
    "compare",
    "counterfactual",
    "cross_validate",
    "estimate",
    "fit",
    "fit_mixed",
    "fit_nested",
    "fit_samples",
    "frozen_lake",
    "lake_map",
    "linear_chain",
    "load_model",
    "n_chain",
    "plan",
    "policy_values",
    "recovery",
    "road_like",
    "rollouts",
    "save_model",
    "side_by_side",
    "summarise",
    "summary_table",
    "taxi",
    "trip_world",
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
class PathModel:
    def __new__(
        cls,
        problem: Problem,
        rewards: _Reward,
        horizon: int | Literal["any"],
        ends_name: str,
        chance_name: str,
        memory: int | None,
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
    def __new__(cls, problem: Problem, demonstrations: Demonstrations, world: int, settings: Mapping[str, Any]) -> Part: ...
    def answer(self, question: str) -> str: ...

def command(arguments: Sequence[str]) -> int: ...
def fit(
    worlds: Sequence[tuple[Problem, Demonstrations]],
    settings: Mapping[str, Any],
    ask: _Ask | None,
    callback: _Watch | None,
    every: float,
) -> tuple[_Floats, str, list[str], str | None, str | None]: ...
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
def load_model(path: str) -> str: ...
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
