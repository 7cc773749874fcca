"""One world from each thing that people keep worlds in: the same digest, the same gradients, and errors that name the place."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pandas
import polars
import pytest
import revealed
import rustworkx
import scipy.sparse
from binary import Revealed
from hypothesis import given, settings
from hypothesis import strategies as st
from revealed import Features, Mdp

AXES: Any = ("state", "action", "next")


def random_table(rng: np.random.Generator, n_states: int, n_actions: int) -> Any:
    """T[s, a, s'] with zeros; the last state is terminal, and not every state offers every action."""
    T = rng.random((n_states, n_actions, n_states)) * (rng.random((n_states, n_actions, n_states)) < 0.6)
    T[-1] = 0.0
    T[:-1, 0, -1] += 0.1
    total = T.sum(axis=2, keepdims=True)
    return np.divide(T, total, out=np.zeros_like(T), where=total > 0)


def columns(T: Any) -> tuple[Any, ...]:
    places = np.nonzero(T)
    return *places, T[places]


@pytest.fixture
def table() -> Any:
    return random_table(np.random.default_rng(1), 5, 3)


@pytest.fixture
def world(table: Any) -> Mdp:
    return Mdp(5, 3, transitions=columns(table), start=0, terminal=[4], discount=0.9)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.integers(2, 6), st.integers(1, 4), st.integers(0, 2**32 - 1), st.permutations(AXES), st.sampled_from("CF"))
def test_axes_are_named_in_any_order(n_states: int, n_actions: int, seed: int, axes: list[Any], order: Any) -> None:
    T = random_table(np.random.default_rng(seed), n_states, n_actions)
    expected = Mdp(n_states, n_actions, transitions=columns(T), start=0, terminal=[n_states - 1])
    turned = np.array(T.transpose([AXES.index(axis) for axis in axes]), order=order)
    assert Mdp.from_dense(turned, axes=axes, start=0, terminal=[n_states - 1]) == expected
    assert Mdp.from_dense(turned.tolist(), axes=tuple(axes), start=0, terminal=[n_states - 1]) == expected


def test_what_leads_out_of_terminal_states_is_dropped(table: Any, world: Mdp) -> None:
    table[4, :, :] = np.eye(5)[4]  # absorbing, as many people write it
    assert Mdp.from_dense(table, axes=AXES, start=0, terminal=[4], discount=0.9) == world
    assert Mdp.from_sparse(list(table.transpose(1, 0, 2)), start=0, terminal=np.array([4]), discount=0.9) == world


@pytest.mark.parametrize(
    "axes", [("state", "action"), ("state", "action", "state"), ("s", "a", "n"), "san", "state", (), 5, None, (1, 2, 3)]
)
def test_axes_that_are_none(table: Any, axes: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="axes is "):
        Mdp.from_dense(table, axes=axes, start=0, terminal=[4])


def test_wrong_axes(table: Any) -> None:
    with pytest.raises(ValueError, match="T has 3 states and 5 next states: check the axes"):
        Mdp.from_dense(table, axes=("action", "state", "next"), start=0, terminal=[4])
    square = random_table(np.random.default_rng(0), 3, 3)
    with pytest.raises(ValueError, match="the transition probabilities sum to"):
        Mdp.from_dense(square, axes=("state", "next", "action"), start=0, terminal=[2])
    with pytest.raises(ValueError, match=r"T has shape \(5, 5\): it must have three axes"):
        Mdp.from_dense(table[:, 0], axes=AXES, start=0, terminal=[4])
    for bad in (np.nan, np.inf, -0.5):
        table[1, 0, 2] = bad
        with pytest.raises(ValueError, match=rf"T\[0, 2, 1\] is {bad}: it must be a probability"):
            Mdp.from_dense(table.transpose(1, 2, 0), axes=("action", "next", "state"), start=0, terminal=[4])


SPARSE: list[Callable[[Any], Any]] = [
    scipy.sparse.csr_matrix,
    scipy.sparse.csc_matrix,
    scipy.sparse.coo_matrix,
    scipy.sparse.lil_matrix,
    scipy.sparse.dok_matrix,
    scipy.sparse.csr_array,
    scipy.sparse.csc_array,
    scipy.sparse.coo_array,
    scipy.sparse.bsr_array,
    np.asarray,
    np.asfortranarray,
]


@pytest.mark.parametrize("kind", SPARSE, ids=lambda kind: kind.__name__)
def test_sparse_matrices(table: Any, world: Mdp, kind: Callable[[Any], Any]) -> None:
    matrices = [kind(table[:, action]) for action in range(3)]
    how: dict[str, Any] = {"start": 0, "terminal": [4], "discount": 0.9}
    assert Mdp.from_sparse(matrices, **how) == world
    assert Mdp.from_sparse({action: matrices[action] for action in (2, 0, 1)}, **how) == world


def test_sparse_entries_are_read_as_scipy_reads_them() -> None:
    twice = scipy.sparse.coo_array(([0.25, 0.75, 1.0, 0.0], ([0, 0, 1, 1], [1, 1, 2, 0])), shape=(3, 3))
    mdp = Mdp.from_sparse([twice], start=0, terminal=[2])
    assert [column.tolist() for column in mdp.transitions] == [[0, 1], [0, 0], [1, 2], [1.0, 1.0]]
    assert twice.nnz == 4, "the argument stays as it was"


def test_faulty_matrices(table: Any) -> None:
    how: dict[str, Any] = {"start": 0, "terminal": [4]}
    matrices = [scipy.sparse.csr_array(table[:, action]) for action in range(3)]
    for given_T, message in [
        ([], "T has no matrix"),
        ([matrices[0], matrices[1][:, :4]], r"T\[1\] has 4 columns and 5 rows: it must be square"),
        ([matrices[0], matrices[1][:4]], r"T\[1\] has 4 rows, expected 5"),
        ([matrices[0], table[0, 0]], r"T\[1\] has shape \(5,\)"),
        ([matrices[0] * 1j], r"T\[0\] has dtype complex128"),
        ([matrices[0] * np.nan], r"T\[0\]\[0, .\] is nan"),
        (matrices[0], "T is a csr_array: give a list with a matrix for each action"),
        ({"left": matrices[0]}, "an action of T is 'left'"),
        ({-1: matrices[0]}, "an action of T is -1"),
        (7, "T is a int"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            Mdp.from_sparse(given_T, **how)


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_frames(table: Any, world: Mdp, frame: Any) -> None:
    named = dict(zip(("from", "action", "to", "p"), columns(table)))
    how: dict[str, Any] = {"start": 0, "terminal": [4], "discount": 0.9}
    assert Mdp(5, 3, transitions=frame(named), **how) == world
    assert Mdp(5, 3, transitions=frame({"note": ["x"] * len(named["p"]), **dict(reversed(named.items()))}), **how) == world
    with pytest.raises(ValueError, match="transitions has no column 'to'"):
        Mdp(5, 3, transitions=frame({name: named[name] for name in ("from", "action", "p")}), **how)


def test_nullable_columns(table: Any, world: Mdp) -> None:
    frame = pandas.DataFrame(dict(zip(("from", "action", "to", "p"), columns(table)))).convert_dtypes()
    assert Mdp(5, 3, transitions=frame, start=0, terminal=[4], discount=0.9) == world
    with pytest.raises(ValueError, match="transitions has two columns 'p'"):
        Mdp(5, 3, transitions=pandas.concat([frame, frame[["p"]]], axis=1), start=0, terminal=[4])


@pytest.mark.parametrize("start", [0, np.int64(0), {0: 1.0}, [1, 0, 0, 0, 0], np.eye(5)[0], pandas.Series([1.0, 0, 0, 0, 0])])
def test_starts(world: Mdp, table: Any, start: Any) -> None:
    assert Mdp(5, 3, transitions=columns(table), start=start, terminal=range(4, 5), discount=0.9) == world


BAD: list[tuple[dict[str, Any], str]] = [
    ({"n_states": 0}, "n_states is 0"),
    ({"n_states": 2.5}, "n_states is 2.5"),
    ({"n_states": 10**14}, "n_states is 100000000000000, but state 5 offers no action and is not terminal"),
    ({"n_states": 10**30}, "n_states is 1000000000000000000000000000000: it must be at most"),
    ({"n_actions": 2}, r"action 2 is out of range, there are 2 \(0 to 1\)"),
    ({"terminal": [4, 9]}, "terminal row 1: state 9 is out of range"),
    ({"terminal": [4, 4]}, "state 4 is listed twice"),
    ({"terminal": [False, False, False, False, True]}, "terminal holds booleans.*numpy.flatnonzero"),
    ({"terminal": 4}, "terminal is 4: give a list"),
    ({"start": 5}, "start is 5: it must be at most 4"),
    ({"start": [0.5, 0.4, 0, 0, 0]}, "start probabilities sum to 0.9"),
    ({"start": [1.0]}, "start has 1 entries, expected 5"),
    ({"start": "a"}, "start is 'a'"),
    ({"start": None}, "start is None"),
    ({"start": {}}, "start probabilities sum to 0"),
    ({"discount": 1.5}, "discount is 1.5"),
    ({"discount": "high"}, "discount is 'high'"),
    ({"transitions": ([0], [0], [1])}, "transitions must be four columns"),
    ({"transitions": ([0], [0], [1, 2], [1.0])}, "transitions.to has 2"),
    ({"transitions": None}, "transitions must be four columns"),
    ({"grid": (2, 2)}, "grid"),
    ({"grid": 5}, r"grid is 5: it must be \(rows, columns\)"),
    ({"points": ([0.0], [0.0])}, "points x has 1 entries, expected 5"),
    ({"points": 3}, r"points is 3: it must be \(x, y\)"),
    ({"labels": ["a"]}, "labels has 1 entries, but there are 5 states"),
    ({"labels": list("abcda")}, "labels has 'a' twice"),
    ({"labels": [[], [], [], [], []]}, "labels: unhashable"),
    ({"true_theta": [1.0]}, "true_theta has 1 entries, expected 5"),
    ({"reference": np.ones((5, 2))}, "reference has 2 columns, but there are 3 actions"),
    ({"features": np.zeros((4, 2))}, "features.state has 4 rows, expected 5"),
    ({"features": np.zeros(5)}, r"features.state has shape \(5,\)"),
    ({"features": np.full((5, 1), np.nan)}, r"features.state\[0, 0\] is nan"),
    ({"features": "abc"}, "features.state has dtype"),
    ({"features": lambda state: state}, r"features.state\(0\) is array\(0\): the function must return a vector"),
    ({"features": lambda state: [1.0] * (1 + state % 2)}, r"features.state\(1\) has 2 entries, but others have 1"),
    ({"features": Features()}, "features have no part"),
    ({"features": Features(state=np.zeros((5, 1)), state_action=np.zeros((15, 2)))}, "differ in their number of columns"),
    ({"features": Features(state=np.zeros((5, 1)), names=["a", "b"])}, "names has 2 entries, but there are 1 features"),
    ({"features": Features(state=np.zeros((5, 1)), names="a")}, "names is one string"),
    ({"features": Features(state=np.zeros((5, 1)), names=[1])}, "names has 1: each must be a string"),  # type: ignore[list-item]
    ({"features": Features(state_action=np.zeros((3, 5, 2)))}, "the first two must be 5 states and 3 actions"),
    ({"features": Features(transition=np.zeros((2, 1)))}, "features.transition has 2 rows, expected"),
]


@pytest.mark.parametrize("change, message", BAD, ids=lambda part: str(part).partition(" at 0x")[0][:40])
def test_what_is_wrong_is_named(table: Any, change: dict[str, Any], message: str) -> None:
    given_parts: dict[str, Any] = {"n_states": 5, "n_actions": 3, "transitions": columns(table), "start": 0, "terminal": [4]}
    with pytest.raises((ValueError, TypeError), match=message):
        Mdp(**{**given_parts, **change})


def gradients(mdp: Mdp) -> Any:
    paths = mdp.rollouts(np.array([row / max(row.sum(), 1) for row in offered(mdp)]), 20, max_states=6, seed=3)
    theta = np.linspace(-1, 1, mdp.n_features)
    return revealed.LogLikelihood(mdp, paths, horizon=6).gradient(theta)


def offered(mdp: Mdp) -> Any:
    table = np.zeros((mdp.n_states, mdp.n_actions))
    table[mdp.transitions[0], mdp.transitions[1]] = 1.0
    return table


def phi(*place: int) -> list[float]:
    return [np.sin(sum(place) + len(place)), np.cos(place[-1]), float(place[0])]


def test_the_parts_of_features_in_every_form(table: Any) -> None:
    rows = columns(table)
    state = np.array([phi(s) for s in range(5)])
    pairs = np.array([[phi(s, a) for a in range(3)] for s in range(5)])
    along = np.array([phi(*row) for row in zip(*rows[:3])])
    names = ["x", "y", "z"]
    expected: Any = None
    forms: dict[str, Callable[[Any], Any]] = {
        "dense": np.asarray,
        "lists": lambda part: part.tolist(),
        "fortran": np.asfortranarray,
        "sparse": scipy.sparse.csr_array,
        "pandas": lambda part: pandas.DataFrame(part, columns=names),
        "polars": lambda part: polars.DataFrame(part, schema=names),
        "function": lambda part: phi,
    }
    for form, make in forms.items():
        made = Features(make(state), make(pairs.reshape(15, 3)), make(along), names=names)
        mdp = Mdp(5, 3, transitions=rows, start=0, terminal=[4], features=made)
        assert mdp.feature_names == names
        expected = gradients(mdp) if expected is None else expected
        np.testing.assert_allclose(gradients(mdp), expected, rtol=0, atol=1e-14, err_msg=form)
    three_axes = Mdp(5, 3, transitions=rows, start=0, terminal=[4], features=Features(state, pairs, along, names=names))
    np.testing.assert_allclose(gradients(three_axes), expected, rtol=0, atol=1e-14)
    again = Mdp.from_dense(table, axes=AXES, start=0, terminal=[4]).with_features(Features(state, pairs, along, names=names))
    np.testing.assert_allclose(gradients(again), expected, rtol=0, atol=1e-14)
    assert np.abs(expected).min() > 1e-3, "every feature matters"


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.randoms(use_true_random=False))
def test_rows_of_transition_features_are_in_the_order_in_which_they_were_given(random: Any) -> None:
    rows = columns(random_table(np.random.default_rng(5), 5, 3))
    along = np.array([phi(*row) for row in zip(*rows[:3])])
    order = list(range(len(along)))
    random.shuffle(order)
    shuffled = [column[order] for column in rows]
    sorted_rows = Mdp(5, 3, transitions=rows, start=0, terminal=[4], features=Features(transition=along))
    mixed = Mdp(5, 3, transitions=shuffled, start=0, terminal=[4], features=Features(transition=along[order]))
    asked = Mdp(5, 3, transitions=shuffled, start=0, terminal=[4], features=Features(transition=phi))
    assert mixed == sorted_rows == asked
    np.testing.assert_array_equal(gradients(mixed), gradients(sorted_rows))
    if order != list(range(len(along))):
        wrong = Mdp(5, 3, transitions=shuffled, start=0, terminal=[4], features=Features(transition=along))
        assert wrong != sorted_rows


def test_rows_of_transition_features_without_columns(table: Any) -> None:
    """Where transitions were not given as columns, the order is that of `Mdp.transitions`, for sparse matrices too."""
    dense = Mdp.from_dense(table, axes=AXES, start=0, terminal=[4])
    along = np.array([phi(*row) for row in zip(*dense.transitions[:3])])
    expected = dense.with_features(Features(transition=along))
    features = Features(transition=along)
    assert Mdp.from_dense(table, axes=AXES, start=0, terminal=[4], features=features) == expected
    assert Mdp.from_sparse(list(table.transpose(1, 0, 2)), start=0, terminal=[4], features=features) == expected


def test_features_of_pairs_that_a_state_does_not_offer(table: Any) -> None:
    """They are ignored in an array, and a function is not asked about them."""
    table[1, 1] = 0.0
    pairs = np.array([[phi(s, a) for a in range(3)] for s in range(5)])
    asked = []

    def function(state: int, action: int) -> list[float]:
        asked.append((state, action))
        return phi(state, action)

    rows = columns(table)
    by_array = Mdp(5, 3, transitions=rows, start=0, terminal=[4], features=Features(state_action=pairs))
    by_function = Mdp(5, 3, transitions=rows, start=0, terminal=[4], features=Features(state_action=function))
    assert by_array == by_function
    assert sorted(asked) == sorted(set(zip(rows[0].tolist(), rows[1].tolist()))) and (1, 1) not in asked


def test_a_frame_of_features(table: Any) -> None:
    frame = pandas.DataFrame({"toll": [True, False, True, False, False], "length": [1, 2, 3, 4, 5], "hill": [0.5, 0, 0, 1, 0]})
    how: dict[str, Any] = {"transitions": columns(table), "start": 0, "terminal": [4]}
    mdp = Mdp(5, 3, features=frame, **how)
    assert mdp.feature_names == ["toll", "length", "hill"]
    np.testing.assert_array_equal(mdp.reward([1.0, 10.0, 100.0]), frame.to_numpy(float) @ [1, 10, 100])
    assert (
        Mdp(5, 3, features=frame.convert_dtypes(), **how)
        == mdp
        == Mdp(5, 3, features=polars.from_dict(frame.to_dict("list")), **how)
    )
    with pytest.raises(ValueError, match="index of features.state is not in order: sort_index"):
        Mdp(5, 3, features=frame.sort_values("hill", kind="stable"), **how)
    with pytest.raises(TypeError, match="features.state, column 'name', has dtype"):
        Mdp(5, 3, features=frame.assign(name=list("abcde")), **how)


def test_the_default_is_an_indicator_for_each_state(world: Mdp, table: Any) -> None:
    assert Mdp(5, 3, transitions=columns(table), start=0, terminal=[4], discount=0.9, features=np.eye(5)) == world
    assert Mdp(5, 3, transitions=columns(table), start=0, terminal=[4], discount=0.9, features=scipy.sparse.eye_array(5)) == world


def test_networkx() -> None:
    graph = networkx.MultiDiGraph()
    graph.add_node("home", park=1.0)
    graph.add_node("work", park=0.0)
    graph.add_node((0, "mall"), park=2)
    graph.add_edge("home", (0, "mall"), length=3.0)
    graph.add_edge("home", "work", length=5.0)
    graph.add_edge("home", "work", length=7.0)  # another road
    graph.add_edge((0, "mall"), "work", length=1.0)
    mdp = Mdp.from_graph(graph, state_attributes=["park"], edge_attributes=["length"], start={"home": 0.5, (0, "mall"): 0.5})
    assert mdp.labels == ["home", "work", (0, "mall")] and mdp.feature_names == ["park", "length"]
    assert [column.tolist() for column in mdp.transitions] == [[0, 0, 0, 2], [0, 1, 2, 0], [2, 1, 1, 1], [1, 1, 1, 1]]
    assert mdp.terminal.tolist() == [mdp.index("work")] and mdp.start.tolist() == [0.5, 0.0, 0.5]
    assert mdp.reward([1.0, 0.0]).tolist() == [1, 0, 2] and mdp.transition_reward([0.0, 1.0]).tolist() == [3, 5, 7, 1]
    assert Mdp.from_graph(graph).start.tolist() == [0.5, 0.0, 0.5], "everywhere but at the end"
    assert Mdp.from_graph(graph, start="home", terminal=["work", (0, "mall")]).n_transitions == 3
    # The questions take labels.
    irl = revealed.MaxEntIRL(l2=1.0, ends="terminal").fit(mdp, [[("home", 0), ((0, "mall"), 0), ("work", None)]])
    assert irl.predict_path("home", "work").states[-1] == 1


def test_rustworkx_is_the_same() -> None:
    theirs, ours = networkx.gnp_random_graph(20, 0.2, seed=4, directed=True), rustworkx.PyDiGraph()
    theirs.add_node("end")
    theirs.add_edge(3, "end")
    for node, data in theirs.nodes(data=True):
        data["x"] = float(len(str(node)))
    indices = {node: ours.add_node(data) for node, data in theirs.nodes(data=True)}
    for at, (u, v, data) in enumerate(theirs.edges(data=True)):
        data["length"] = at / 7
        ours.add_edge(indices[u], indices[v], data)
    how: dict[str, Any] = {"state_attributes": ["x"], "edge_attributes": ["length"], "start": 0}
    assert Mdp.from_graph(theirs, **how) == Mdp.from_graph(ours, **how)
    ours.remove_node(indices[7])
    theirs.remove_node(7)
    shrunk = Mdp.from_graph(ours, **how)
    assert shrunk == Mdp.from_graph(theirs, **how) and shrunk.index(20) == 19, "numbers of nodes are labels"


def test_faulty_graphs() -> None:
    graph = networkx.DiGraph([("a", "b"), ("b", "c")])
    faults: list[tuple[Any, dict[str, Any], str]] = [
        (networkx.Graph([(0, 1)]), {}, "not directed: give graph.to_directed"),
        (rustworkx.PyGraph(), {}, "not directed: give a rustworkx.PyDiGraph"),
        (networkx.DiGraph(), {}, "the graph has no nodes"),
        ({0: [1]}, {}, "dict is not a graph of networkx or rustworkx"),
        (networkx.DiGraph([("a", "b"), ("b", "a")]), {"terminal": ["a", "b"]}, "every node is terminal"),
        (graph, {"start": "z"}, "the graph has no node 'z'"),
        (graph, {"start": ["a"]}, r"the graph has no node \['a'\]"),
        (graph, {"terminal": 5}, "terminal is 5: give a list"),
        (graph, {"edge_attributes": ["length"]}, r"\('a', 'b'\) has no attribute 'length'"),
        (graph, {"state_attributes": "park"}, "state_attributes is one string"),
        (networkx.DiGraph([("a", "b", {"length": "far"})]), {"edge_attributes": ["length"]}, "is 'far': it must be a number"),
        (
            networkx.DiGraph([("a", "b", {"length": np.nan})]),
            {"edge_attributes": ["length"]},
            r"features.transition\[0, 0\] is nan",
        ),
    ]
    for made, how, message in faults:
        with pytest.raises((ValueError, TypeError), match=message):
            Mdp.from_graph(made, **how)


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_problem_files_are_exchanged_with_the_command_line(world: Mdp, command: Revealed, tmp_path: Path, suffix: str) -> None:
    ours, theirs = tmp_path / f"ours.{suffix}", tmp_path / f"theirs.{suffix}"
    along = Features(transition=lambda *row: phi(*row), names=["x", "y", "z"])
    for mdp in (world, world.with_features(along)):
        mdp.save(ours)
        found = command("check", ours)
        assert found["ok"] and found["digest"] == mdp.digest == Mdp.load(ours).digest
    command("env", "cliffwalking", "-o", theirs)
    assert Mdp.load(theirs) == revealed.worlds.cliff_walking()
    assert command("check", theirs)["digest"] == Mdp.load(theirs).digest


def test_files_that_are_none(world: Mdp, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="missing.json"):
        Mdp.load(tmp_path / "missing.json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(ValueError, match="broken.json"):
        Mdp.load(tmp_path / "broken.json")
    with pytest.raises(ValueError, match="world.txt"):
        world.save(tmp_path / "world.txt")
    with pytest.raises(OSError, match="nowhere"):
        world.save(tmp_path / "nowhere" / "world.json")
    with pytest.raises(TypeError):
        Mdp.load(5)  # type: ignore[arg-type]


def test_labels_and_numbers(world: Mdp, table: Any) -> None:
    named = Mdp(5, 3, transitions=columns(table), start=0, terminal=[4], labels=["a", "b", ("c", 1), 3.5, None])
    assert [named.index(label) for label in ("a", "b", ("c", 1), 3.5, None)] == [0, 1, 2, 3, 4]
    assert world.index(3) == world.index(np.uint8(3)) == 3
    for mdp, label in itertools.chain(((named, 1),), ((world, label) for label in (5, -1, 1.5, True, "a", [0], None))):
        with pytest.raises(ValueError, match="label is .*: there is no such state among the 5"):
            mdp.index(label)  # type: ignore[arg-type]
