"""Every way to give demonstrations makes the same Trajectories, and what is wrong is named by its number and step."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest
import revealed
from revealed import MaxEntIRL, Mdp, Trajectories
from walks import random_episode

PAIRS: list[Any] = [[(0, 1), (2, 0), (3, None)], [(0, 0), (1, 1), (1, 0), (3, None)], [(0, None)]]
SAME = Trajectories(PAIRS)
# 0 to 1 or 2; these stay or go on to 3, where it ends.
WORLD = Mdp(
    4,
    2,
    transitions=([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [1, 2, 3, 1, 3, 2], [1.0] * 6),
    start=0,
    terminal=[3],
)


@dataclass(frozen=True)
class Trajectory:
    """Shaped as `imitation.data.types.Trajectory` is."""

    obs: Any
    acts: Any
    infos: Any = None
    terminal: bool = True


@dataclass(frozen=True)
class Episode:
    """Shaped as `minari.EpisodeData` is."""

    observations: Any
    actions: Any


def states_and_actions() -> list[tuple[list[int], list[int]]]:
    return [([s for s, _ in path], [a for _, a in path[:-1]]) for path in PAIRS]


WAYS: dict[str, Any] = {
    "itself": SAME,
    "tuples of pairs": tuple(tuple(path) for path in PAIRS),
    "numpy numbers": [[(np.int32(s), None if a is None else np.uint8(a)) for s, a in path] for path in PAIRS],
    "arrays of one number": [[(np.array([s]), None if a is None else np.array(a)) for s, a in path] for path in PAIRS],
    "whole floats": [[(float(s), float("nan") if a is None else float(a)) for s, a in path] for path in PAIRS],
    "-1 at the end": [[(s, -1 if a is None else a) for s, a in path] for path in PAIRS],
    "NA at the end": [[(s, pandas.NA if a is None else a) for s, a in path] for path in PAIRS],
    "arrays of pairs": [np.array([(s, -1 if a is None else a) for s, a in path]) for path in PAIRS],
    "float arrays of pairs": [np.array([(s, np.nan if a is None else a) for s, a in path]) for path in PAIRS],
    "states and actions": states_and_actions(),
    "tuples": [(tuple(s), tuple(a)) for s, a in states_and_actions()],
    "arrays": [(np.array(s), np.array(a, dtype=int)) for s, a in states_and_actions()],
    "small types": [(np.array(s, np.uint8), np.array(a, np.int16)) for s, a in states_and_actions()],
    "float arrays": [(np.array(s, float), np.array(a, float)) for s, a in states_and_actions()],
    "read backwards": [(np.array(s[::-1])[::-1], np.array(a[::-1], dtype=int)[::-1]) for s, a in states_and_actions()],
    "columns": [(np.array(s)[:, None], np.array(a, dtype=int)[:, None]) for s, a in states_and_actions()],
    "series": [(pandas.Series(s), pandas.Series(a, dtype="int64")) for s, a in states_and_actions()],
    "imitation": [Trajectory(np.array(s), np.array(a, dtype=int)) for s, a in states_and_actions()],
    "episodes": (Episode(np.array(s), np.array(a, dtype=int)) for s, a in states_and_actions()),
    "a generator": (path for path in PAIRS),
}


@pytest.mark.parametrize("paths", WAYS.values(), ids=WAYS)
def test_every_list_of_paths_is_the_same(paths: Any) -> None:
    assert Trajectories(paths) == SAME


def test_what_is_stored() -> None:
    assert SAME.states.tolist() == [0, 2, 3, 0, 1, 1, 3, 0] and SAME.actions.tolist() == [1, 0, -1, 0, 1, 0, -1, -1]
    assert SAME.offsets.tolist() == [0, 3, 7, 8] and SAME.weights.tolist() == [1.0] * 3 and SAME.lengths.tolist() == [3, 4, 1]
    assert {column.dtype for column in (SAME.states, SAME.actions, SAME.offsets)} == {np.dtype(np.int64)}
    assert list(SAME) == PAIRS and SAME[-1] == PAIRS[-1]
    assert [path.pairs() for path in [revealed.Path(np.array([0, 2, 3]), np.array([1, 0]), 0.0)]] == PAIRS[:1]
    assert Trajectories([revealed.Path(np.array([0, 2, 3]), np.array([1, 0]), 0.0)]) == SAME[:1]


# Rows of the three paths, interleaved.
LONG: dict[str, list[Any]] = {
    "id": ["b", "a", "b", "a", "c", "a", "b", "a"],
    "state": [0, 0, 2, 1, 0, 1, 3, 3],
    "action": [1, 0, 0, 1, None, 0, None, None],
}


FRAMES: dict[str, Any] = {
    "pandas": pandas.DataFrame(LONG),
    "pandas, missing is NA": pandas.DataFrame(LONG).convert_dtypes(),
    "pandas, missing is None": pandas.DataFrame({**LONG, "action": pandas.Series(LONG["action"], dtype=object)}),
    "pandas, missing is -1": pandas.DataFrame(LONG).fillna({"action": -1}).astype({"action": int}),
    "pandas, any index": pandas.DataFrame(LONG, index=[7, 7, 3, 1, 0, 0, 2, 9]),
    "polars": polars.DataFrame(LONG),
    "polars, missing is -1": polars.DataFrame(LONG).fill_null(-1),
    "polars, floats": polars.DataFrame(LONG).with_columns(polars.col("action").cast(polars.Float64)),
    "polars, small": polars.DataFrame(LONG).with_columns(polars.col("state").cast(polars.UInt8)),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_every_long_frame_is_the_same(frame: Any) -> None:
    paths = Trajectories(frame)
    assert paths == SAME and paths.ids == ["b", "a", "c"]


@pytest.mark.parametrize("library", [pandas, polars])
def test_a_frame_with_steps_and_weights(library: Any) -> None:
    weight = [2.0 if path == "a" else 0.5 for path in LONG["id"]]
    frame = library.DataFrame({**LONG, "step": [0, 0, 1, 1, 0, 2, 2, 3], "weight": weight})
    for order in (range(8), range(7, -1, -1), [3, 1, 4, 0, 5, 2, 6, 7]):
        rows = frame.iloc[list(order)] if library is pandas else frame[list(order)]
        paths = Trajectories(rows)
        again = Trajectories(paths, weights=[1.0, 1.0, 1.0])
        by_name = {name: (path, weight) for name, path, weight in zip(paths.ids, paths, paths.weights.tolist())}
        assert by_name == {"b": (PAIRS[0], 0.5), "a": (PAIRS[1], 2.0), "c": (PAIRS[2], 0.5)}
        assert again.weights.tolist() == [1.0] * 3


FRAME_FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"id": None}, "the frame has no column 'id'"),
    ({"action": None}, "the frame has no column 'action'"),
    ({"id": ["b", "a", None, "a", "c", "a", "b", "a"]}, "row 2 of the frame has no id"),
    ({"state": [0, 0, 2, -1, 0, 1, 3, 3]}, r"demonstration 1 \(id a\): step 1: the state is -1"),
    ({"state": [0.0, 0.0, 2.0, 1.5, 0.0, 1.0, 3.0, 3.0]}, r"demonstration 1 \(id a\): step 1: the state is 1.5"),
    ({"state": list("abcdefgh")}, r"demonstration 0 \(id b\): step 0: the state is 'a'.*mdp.index"),
    ({"state": [0, 0, None, 1, 0, 1, 3, 3]}, r"demonstration 0 \(id b\): step 1: the state is "),
    ({"action": [1, 0, None, 1, None, 0, None, None]}, r"demonstration 0 \(id b\): step 1: the action is "),
    (
        {"action": [1, 0, 0, 1, 1, 0, None, None]},
        r"demonstration 2 \(id c\): step 0: the action is 1.*the last action must be None",
    ),
    ({"weight": [1, 1, 1, 2, 1, 1, 1, 1]}, r"demonstration 1 \(id a\): its weight is 1.0 on one row and 2.0 on another"),
    ({"weight": [1, 1, 1, None, 1, 1, 1, 1]}, "row 3 of the frame has no weight"),
    ({"step": [0, 0, 1, 0, 0, 2, 2, 3]}, r"demonstration 1 \(id a\): it has step 0 twice"),
    ({"weight": list("abcdefgh")}, "the column 'weight' has dtype"),
]


@pytest.mark.parametrize("library", [pandas, polars])
@pytest.mark.parametrize("change, message", FRAME_FAULTS, ids=lambda part: str(part)[:30])
def test_faulty_frames(library: Any, change: dict[str, Any], message: str) -> None:
    columns = {name: column for name, column in {**LONG, **change}.items() if column is not None}
    with pytest.raises((ValueError, TypeError), match=message):
        Trajectories(library.DataFrame(columns))


def test_frames_without_rows_or_with_doubled_columns() -> None:
    with pytest.raises(ValueError, match="there are no demonstrations: the frame has no rows"):
        Trajectories(pandas.DataFrame(LONG)[:0])
    with pytest.raises(ValueError, match="two columns 'state'"):
        Trajectories(pandas.concat([pandas.DataFrame(LONG), pandas.DataFrame(LONG)[["state"]]], axis=1))


@pytest.fixture
def minari_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    minari = pytest.importorskip("minari")
    pytest.importorskip("h5py", reason="Minari keeps its datasets with h5py, which is not installed")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    return minari


def collect(minari: Any, env: Any, dataset: str, n: int) -> tuple[Any, list[Any]]:
    """A dataset of random episodes, and the same as pairs."""
    collector = minari.DataCollector(env)
    collector.action_space.seed(1)
    paths = []
    for episode in range(n):
        state, _ = collector.reset(seed=episode)
        paths.append(random_episode(collector, state))
    about = {"algorithm_name": "random", "code_permalink": "none", "author": "nobody", "author_email": "none"}
    return collector.create_dataset(dataset, **about), paths


@pytest.mark.filterwarnings("ignore")
def test_minari(minari_home: Any) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("FrozenLake-v1")
    dataset, paths = collect(minari_home, env, "lake/random-v0", 12)
    read = Trajectories(dataset)
    assert read == Trajectories(paths) and len(read) == 12
    assert Trajectories(minari_home.load_dataset("lake/random-v0")) == read
    assert Trajectories(dataset.iterate_episodes([3, 5])) == read[[3, 5]]
    assert Trajectories([dataset[0]]) == read[:1]
    MaxEntIRL(l2=1.0).fit(Mdp.from_gymnasium(env), dataset)

    continuous, _ = collect(minari_home, gymnasium.make("MountainCarContinuous-v0", max_episode_steps=3), "car/random-v0", 1)
    with pytest.raises(ValueError, match=r"observation_space is Box\(.*it must be Discrete; number its values.*ModelFreeIRL"):
        Trajectories(continuous)
    with pytest.raises(ValueError, match=r"demonstration 0: the states have shape \(4, 2\).*number the values.*ModelFreeIRL"):
        Trajectories([continuous[0]])


def test_continuous_trajectories() -> None:
    pendulum = Trajectory(np.zeros((3, 3)), np.zeros((2, 1)))
    with pytest.raises(ValueError, match=r"demonstration 1: the states have shape \(3, 3\).*number the values.*ModelFreeIRL"):
        Trajectories([Trajectory(np.zeros(3), np.zeros(2)), pendulum])
    with pytest.raises((ValueError, TypeError), match="demonstration 0: step 1: the state is 0.25"):
        Trajectories([Trajectory(np.array([0, 0.25]), np.zeros(1))])


@pytest.mark.parametrize("suffix", ["jsonl", "npz"])
def test_files(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"paths.{suffix}"
    for paths in (SAME, Trajectories(PAIRS, weights=[0.5, 2.0, 0.0]), Trajectories(pandas.DataFrame(LONG))):
        paths.save(file)
        again = Trajectories.load(file)
        assert again == paths and again.ids == (paths.ids if suffix == "jsonl" else [None] * 3), "arrays have no room for names"
    with pytest.raises(FileNotFoundError, match="missing"):
        Trajectories.load(tmp_path / f"missing.{suffix}")
    with pytest.raises(TypeError, match="read demonstrations with Trajectories.load"):
        Trajectories(file)


SHAPES: list[tuple[Any, str]] = [
    ([], "there are no demonstrations: give at least one"),
    ([[]], "demonstration 0 has no states"),
    ([([], [])], "demonstration 0 has no states"),
    (None, "a NoneType is not a list of demonstrations"),
    (5, "a int is not a list of demonstrations"),
    (np.array(5), "a number is not a list of demonstrations"),
    ("0 1 2", "paths is '0 1 2'"),
    ([5], "demonstration 0 is a int: give a list of"),
    (["ab"], "demonstration 0 is a str"),
    ([{0: 1}], "demonstration 0 is a dict"),
    ([0, 1, 2], "demonstration 0 is a int"),
    (np.array([0, 1, 2]), "demonstration 0 is a int64"),
    (PAIRS[0], "this is one demonstration: give a list of them"),
    ((np.array([0, 1]), np.array([0])), "this is one demonstration: give a list of them"),
    ([PAIRS], r"demonstration 0: step 0: .* is not a \(state, action\) pair"),
    ([[0, 1, 2]], r"demonstration 0: step 0: 0 is not a \(state, action\) pair"),
    ([PAIRS[0], [(0,)]], "demonstration 1: step 0: .* is no"),
    ([[(0, 1), (1,)]], r"demonstration 0: step 1: \(1,\) is no"),
    (
        [[(0, 1), (1, 0)]],
        "demonstration 0: step 1: the action is 0: the last action must be None; where the last state is missing",
    ),
    ([[(0, None), (1, None)]], "demonstration 0: step 0: the action is None: only the last action may be None"),
    ([([0, 1], [0, 1])], "demonstration 0: 2 states need 1 actions, but there are 2: the last state is missing"),
    ([([0, 1, 1], [0])], "demonstration 0: 3 states need 2 actions, but there are 1"),
    ([PAIRS[0], [(-3, None)]], "demonstration 1: step 0: the state is -3: it must be at least 0"),
    ([(np.array([0, -3]), [0])], "demonstration 0: step 1: the state is -3"),
    ([([0, 1, 2], [0, -1])], "demonstration 0: step 1: the action is -1"),
    ([[(1.5, None)]], "demonstration 0: step 0: the state is 1.5: it must be a whole number"),
    ([[(0, 0.5), (1, None)]], "demonstration 0: step 0: the action is 0.5"),
    ([(np.array([0, 1.5]), [0])], "demonstration 0: step 1: the state is 1.5"),
    ([(np.array([0, np.inf]), [0])], "demonstration 0: step 1: the state is inf"),
    ([(np.array([np.nan, 0]), [0])], "demonstration 0: step 0: the state is nan"),
    ([[(True, None)]], "demonstration 0: step 0: the state is True"),
    ([(np.array([True, False]), [0])], "demonstration 0: step 0: the state is True"),
    ([[("home", None)]], "demonstration 0: step 0: the state is 'home'.*mdp.index"),
    ([[(0, "left"), (1, None)]], "demonstration 0: step 0: the action is 'left'"),
    ([(np.array(["a", "b"]), [0])], "demonstration 0: step 0: the state is 'a'"),
    ([(np.array([0, 1], "M8[s]"), [0])], "demonstration 0: the states have dtype datetime64"),
    ([(np.array([0, 1j]), [0])], "demonstration 0: step 0: the state is 0j"),
    ([[(10**30, None)]], "demonstration 0: step 0: the state is 1000000000000000000000000000000: it must be at most"),
    ([(np.array([2**64 - 1], np.uint64), [])], "demonstration 0: step 0: the state is 18446744073709551615"),
    ([([[0, 1], [2, 3]], [0])], "demonstration 0: the states have shape"),
    ([([0, [1]], [0])], "demonstration 0: "),
]


@pytest.mark.parametrize("paths, message", SHAPES, ids=lambda part: str(part)[:40])
def test_paths_that_are_none(paths: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        Trajectories(paths)


WORLDLY: list[tuple[Any, dict[str, Any], str]] = [
    ([(7, None)], {}, "demonstration 1: step 0: state 7 is out of range, there are 4"),
    ([(0, 5), (1, None)], {}, "demonstration 1: step 0: state 0 does not offer action 5"),
    ([(0, 0), (2, None)], {}, "demonstration 1: step 0: action 0 in state 0 never leads to state 2"),
    ([(0, 0), (1, 0), (3, 0), (3, None)], {}, "demonstration 1: step 2: it goes on after terminal state 3"),
    ([(1, 0), (3, None)], {}, "demonstration 1: it starts in state 1, which has start probability 0"),
    ([(0, 0), (1, 0), (3, None)], {"horizon": 2}, "demonstration 1: it has 3 states, more than the horizon 2: raise the horizon"),
    ([(0, 0), (1, None)], {"ends": "terminal"}, "demonstration 0: it ends after 1 states in state 0, but with ends = terminal"),
]


@pytest.mark.parametrize("path, how, message", WORLDLY, ids=lambda part: str(part)[:40])
def test_paths_that_the_world_does_not_have(path: Any, how: dict[str, Any], message: str) -> None:
    paths = Trajectories([[(0, None)], path])
    for use in (lambda: MaxEntIRL(l2=1.0, **how).fit(WORLD, paths), lambda: revealed.LogLikelihood(WORLD, paths, **how)):
        with pytest.raises(ValueError, match=message):
            use()


def test_the_name_of_a_path_is_told_too() -> None:
    frame = pandas.DataFrame({"id": ["taxi 9", "taxi 9"], "state": [0, 2], "action": [0, None]})
    with pytest.raises(ValueError, match=r"demonstration 0 \(id taxi 9\): step 0: action 0 in state 0 never leads to state 2"):
        MaxEntIRL(l2=1.0).fit(WORLD, frame)


@pytest.mark.parametrize("weights", [[1.0], [[1.0, 1.0, 1.0]], "abc", 1.0, [None, 1, 2]])
def test_weights_that_are_none(weights: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="weights"):
        Trajectories(PAIRS, weights=weights)


@pytest.mark.parametrize("weights", [[1.0, -1.0, 1.0], [1.0, np.nan, 1.0], [1.0, np.inf, 1.0]])
def test_weights_that_do_not_count(weights: Any) -> None:
    with pytest.raises(ValueError, match="demonstration 1: its weight is "):
        MaxEntIRL(l2=1.0).fit(WORLD, PAIRS, sample_weight=weights)


def test_pieces() -> None:
    paths = Trajectories(PAIRS * 3, weights=np.arange(9) / 2)
    paths.ids = list("abcdefghi")
    choices: list[Any] = [
        slice(2, 5),
        slice(None, None, -2),
        slice(20, 30),
        [4, 0, -1, 4],
        np.array([1]),
        np.arange(9) % 2 == 0,
        [],
    ]
    for chosen in choices:
        numbers = np.arange(9)[np.asarray(chosen, dtype=int) if isinstance(chosen, list) else chosen]
        piece = paths[chosen]
        assert isinstance(piece, Trajectories) and list(piece) == [paths[int(at)] for at in numbers]
        assert piece.weights.tolist() == (numbers / 2).tolist() and piece.ids == ["abcdefghi"[at] for at in numbers]
    assert paths[0] == PAIRS[0] and paths[np.int64(-1)] == PAIRS[-1]
    assert repr(paths[:0]) == "Trajectories(0 paths)" and paths[:0] == paths[[]] != paths[:1]
    beyond: list[Any] = [9, -10, [0, 9], [-10], np.ones(3, bool)]
    for index in beyond:
        with pytest.raises(IndexError):
            paths[index]
    none: list[Any] = ["a", 1.5, None, True, [0.5], ["a"], np.zeros((2, 2), int), (0, 1)]
    for index in none:
        with pytest.raises((TypeError, ValueError, IndexError)):
            paths[index]


def test_there_and_back() -> None:
    named = Trajectories(pandas.DataFrame(LONG))
    weighted = Trajectories(PAIRS, weights=[0.5, 2.0, 0.0])
    for paths in (SAME, named, weighted):
        frame = paths.to_frame()
        assert list(frame.columns)[:3] == ["id", "state", "action"] and ("weight" in frame) == (paths is weighted)
        other = paths.to_frame("polars")
        assert Trajectories(frame) == paths == Trajectories(other)
        assert isinstance(other, polars.DataFrame) and other["action"].null_count() == len(paths) == frame["action"].isna().sum()
        assert pickle.loads(pickle.dumps(paths)) == paths == copy.deepcopy(paths)
        assert pickle.loads(pickle.dumps(paths)).ids == paths.ids
    assert named.to_frame()["id"].tolist() == ["b"] * 3 + ["a"] * 4 + ["c"]
    assert SAME.to_frame()["id"].tolist() == [0] * 3 + [1] * 4 + [2]
    assert Trajectories(SAME[:0]).to_frame().empty and SAME[:0].to_frame("polars").is_empty()
    with pytest.raises(ValueError, match="library is 'arrow': it must be 'pandas' or 'polars'"):
        SAME.to_frame("arrow")  # type: ignore[arg-type]


def test_equality_and_repr() -> None:
    assert repr(SAME) == "Trajectories(3 paths, 2.7 states on average)"
    assert repr(SAME[:1]) == "Trajectories(1 path, 3.0 states on average)"
    assert SAME == Trajectories(PAIRS) != Trajectories(PAIRS[:2])
    assert Trajectories(PAIRS, weights=[1, 1, 2]) != SAME and SAME != PAIRS and Trajectories(pandas.DataFrame(LONG)) == SAME
    with pytest.raises(TypeError, match="unhashable"):
        hash(SAME)


def test_scikit_learn_keeps_the_weights_with_their_paths() -> None:
    from sklearn.model_selection import GridSearchCV, KFold

    lake = revealed.worlds.frozen_lake(discount=0.9)
    paths = Trajectories(lake.rollouts(lake.plan(temperature=0.1).policy, 12, seed=1), weights=np.arange(12.0))
    horizon = int(paths.lengths.max())
    search = GridSearchCV(MaxEntIRL(mdp=lake, horizon=horizon, threads=1), {"l2": [0.1, 1.0]}, cv=KFold(3), refit=False).fit(
        paths
    )
    for fold, (train, test) in enumerate(KFold(3).split(np.arange(12))):
        fitted = MaxEntIRL(l2=0.1, horizon=horizon, threads=1).fit(lake, paths[train])
        assert np.isfinite(search.cv_results_[f"split{fold}_test_score"][0])
        assert fitted.score(paths[test]) == search.cv_results_[f"split{fold}_test_score"][0]
