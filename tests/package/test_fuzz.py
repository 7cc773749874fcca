"""Whatever is given: an answer, the same as for a clean copy, or a ValueError or TypeError that names the argument."""

from __future__ import annotations

import datetime
import pickle
import re
import zlib
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn
from revealed import Features, LogLikelihood, LogPartition, MaxEntIRL, Mdp, RewardLikelihood, Trajectories, worlds

# Every run is the same, so that one that passes here passes everywhere.
steady = settings(deadline=None, max_examples=200, derandomize=True, database=None)

DTYPES = [
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4", ">f8"),
    *("float16", "float32", "float64", "longdouble", "complex64", "complex128", "bool", "object"),
    *("U3", "S3", "M8[s]", "m8[s]", "V2", "i4,f8"),
]
NUMBERS = [0, 1, 2, 3, 4, 7, -1, -3, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**30, -(2**63), -(10**30)]
REALS = [0.0, -0.0, 1.0, 0.5, 0.25, 1.5, -1.0, np.nan, np.inf, -np.inf, 1e-320, 1e308, 2.0**53]
ODDITIES: list[Any] = [None, True, False, "", "a", "anywhere", "goal", b"x", (), [], {}, set(), object(), Ellipsis, 1j]
ODDITIES += [
    Decimal("0.5"),
    datetime.date(2020, 1, 1),
    np.float32(0.5),
    np.int8(-1),
    np.bool_(True),
    np.complex128(1),
    np.datetime64(1, "s"),
]
ODDITIES += [
    np.str_("a"),
    [[0], [1, 2]],
    [None],
    [[None]],
    [1, "a"],
    [10**30],
    {0: 1.0},
    {0: 0.5, 1: 0.5},
    {"a": 1.0},
    {9: 1.0},
    {0: "a"},
]
ODDITIES += [
    range(4),
    np.ma.masked_array([0.0, 1.0, 2.0, 3.0], [False, True, False, False]),
    np.matrix([[0.25] * 4]),
    memoryview(b"abcd"),
]
ODDITIES += [scipy.sparse.eye_array(4), scipy.sparse.csr_matrix((4, 2)), scipy.sparse.coo_array(np.array([1.0, 0.0, 2.0]))]


def relaid(array: Any, how: str) -> Any:
    """The same values, laid out in memory in another way."""
    if how == "reversed":
        return array[..., ::-1].copy()[..., ::-1] if array.ndim else array
    if how == "sliced":
        return np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array
    if how == "fortran":
        return np.asfortranarray(array)
    if how == "transposed":
        return array.T.copy().T
    if how == "misaligned":
        if array.dtype.hasobject or not array.size:
            return array
        raw = np.zeros(array.nbytes + 1, np.uint8)
        moved = raw[1:].view(array.dtype).reshape(array.shape)
        moved[...] = array
        return moved
    array = array.copy()
    array.flags.writeable = how != "read-only"
    return array


LAYOUTS = ["as it is", "reversed", "sliced", "fortran", "transposed", "read-only", "misaligned"]


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    """Arrays of any kind, shape and layout; many of the shapes that fit somewhere."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    fitting = st.sampled_from([(4,), (6,), (3,), (2,), (4, 4), (4, 2), (4, 2, 4), (6, 3), (2, 4, 4), (1,), ()])
    shape = draw(st.one_of(fitting, stn.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)))
    if dtype.kind in "iuf":
        pool = [n for n in NUMBERS if dtype.kind == "f" or np.iinfo(dtype).min <= n <= np.iinfo(dtype).max]
        with np.errstate(over="ignore"):
            pool = np.array(pool if dtype.kind != "f" else [*REALS, *map(float, NUMBERS[:8])]).astype(dtype).tolist()
        array = draw(stn.arrays(dtype, shape, elements=st.sampled_from(pool)))
    elif dtype.kind == "O":
        array = draw(stn.arrays(dtype, shape, elements=st.sampled_from([*NUMBERS, *REALS, None, "a", []])))
    else:
        array = np.zeros(shape, dtype) if dtype.kind == "V" else draw(stn.arrays(dtype, shape))
    return relaid(array, draw(st.sampled_from(LAYOUTS)))


scalars = st.one_of(st.sampled_from(NUMBERS), st.sampled_from(REALS), st.sampled_from(ODDITIES))
lists = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4), max_leaves=8)
pairs = st.lists(st.tuples(scalars, scalars), max_size=4)
anything = st.one_of(arrays(), scalars, lists, pairs)

AXES: Any = ("state", "action", "next")
WORLD_ROWS = ([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [1, 2, 3, 1, 3, 2], [1.0] * 6)
WORLD = Mdp(4, 2, transitions=WORLD_ROWS, start=0, terminal=[3], discount=0.9, true_theta=[0.0, 1.0, -1.0, 2.0])
PATHS = Trajectories([[(0, 1), (2, 0), (3, None)], [(0, 0), (1, 1), (1, 0), (3, None)]])
FITTED = MaxEntIRL(l2=0.1, threads=1).fit(WORLD, PATHS)
TABLE = np.zeros((4, 2, 4))
TABLE[WORLD_ROWS[0], WORLD_ROWS[1], WORLD_ROWS[2]] = 1.0
POLICY = WORLD.plan(temperature=1.0).policy
LIKELIHOOD = LogLikelihood(WORLD, PATHS, threads=1)
OF_REWARD = RewardLikelihood(WORLD, PATHS, transitions=True, threads=1)
PARTITION = LogPartition(WORLD, horizon=5, transitions=True, threads=1)


def mdp(**changed: Any) -> Any:
    parts: dict[str, Any] = {"n_states": 4, "n_actions": 2, "transitions": WORLD_ROWS, "start": 0, "terminal": [3]}
    return Mdp(**{**parts, **changed}).digest


def rows(place: int) -> Callable[[Any], Any]:
    return lambda x: mdp(transitions=[x if at == place else column for at, column in enumerate(WORLD_ROWS)])


def fit(**changed: Any) -> Any:
    fitted = MaxEntIRL(**{"l2": 0.1, "max_iter": 20, "threads": 1, **changed}).fit(WORLD, PATHS)
    return fitted.theta_, fitted.log_likelihood_


def flat(paths: Trajectories) -> Any:
    return paths.offsets, paths.states, paths.actions, paths.weights


# What is called, and words of which one stands in every refusal.
TARGETS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "Mdp n_states": (lambda x: mdp(n_states=x), "n_states|state"),
    "Mdp n_actions": (lambda x: mdp(n_actions=x), "n_actions|action"),
    "Mdp transitions": (lambda x: mdp(transitions=x), "transitions|state"),
    "Mdp transitions from": (rows(0), "transition|state"),
    "Mdp transitions action": (rows(1), "transition|action"),
    "Mdp transitions to": (rows(2), "transition|state"),
    "Mdp transitions p": (rows(3), "transition|probabilit"),
    "Mdp start": (lambda x: mdp(start=x), "start"),
    "Mdp terminal": (lambda x: mdp(terminal=x), "terminal"),
    "Mdp discount": (lambda x: mdp(discount=x), "discount"),
    "Mdp features": (lambda x: mdp(features=x), "features"),
    "Mdp reference": (lambda x: mdp(reference=x), "reference"),
    "Mdp grid": (lambda x: mdp(grid=x), "grid"),
    "Mdp points": (lambda x: mdp(points=x), "points"),
    "Mdp points x": (lambda x: mdp(points=(x, x)), "points"),
    "Mdp true_theta": (lambda x: mdp(true_theta=x), "true_theta|reward.true"),
    "Mdp labels": (lambda x: mdp(labels=x), "labels"),
    "Features state_action": (lambda x: mdp(features=Features(state_action=x)), "features"),
    "Features transition": (lambda x: mdp(features=Features(transition=x)), "features"),
    "Features names": (lambda x: mdp(features=Features(state=np.eye(4), names=x)), "names"),
    "Features function": (lambda x: mdp(features=Features(state=lambda state: x)), "features"),
    "from_dense T": (lambda x: Mdp.from_dense(x, axes=AXES, start=0, terminal=[3]).digest, "T|state|start"),
    "from_dense axes": (lambda x: Mdp.from_dense(TABLE, axes=x, start=0, terminal=[3]).digest, "axes"),
    "from_dense terminal": (lambda x: Mdp.from_dense(TABLE, axes=AXES, start=0, terminal=x).digest, "terminal"),
    "from_sparse T": (lambda x: Mdp.from_sparse(x, start=0, terminal=[3]).digest, "T|state|start"),
    "from_sparse T[0]": (lambda x: Mdp.from_sparse([x, x], start=0, terminal=[3]).digest, "T|state|start"),
    "from_graph": (lambda x: Mdp.from_graph(x).digest, "graph"),
    "from_gymnasium": (lambda x: Mdp.from_gymnasium(x).digest, "env|table"),
    "Mdp.index": (WORLD.index, "label"),
    "Mdp.with_features": (lambda x: WORLD.with_features(x).digest, "features"),
    "Mdp.with_discount": (lambda x: WORLD.with_discount(x).digest, "discount"),
    "Trajectories": (lambda x: flat(Trajectories(x)), "demonstration"),
    "Trajectories path": (lambda x: flat(Trajectories([x])), "demonstration"),
    "Trajectories pair": (lambda x: flat(Trajectories([(x, x)])), "demonstration"),
    "Trajectories state": (lambda x: flat(Trajectories([[(x, None)]])), "demonstration"),
    "Trajectories action": (lambda x: flat(Trajectories([[(0, x), (1, None)]])), "demonstration"),
    "Trajectories weights": (lambda x: flat(Trajectories(PATHS, weights=x)), "weights"),
    "LogLikelihood theta": (lambda x: LIKELIHOOD.value_and_grad(x), "theta|reward"),
    "LogLikelihood demonstrations": (lambda x: LogLikelihood(WORLD, x, threads=1)(np.zeros(4)), "demonstration"),
    "LogLikelihood mdp": (lambda x: LogLikelihood(x, PATHS), "mdp"),
    "LogLikelihood horizon": (lambda x: LogLikelihood(WORLD, PATHS, horizon=x, threads=1).horizon, "horizon"),
    "LogLikelihood ends": (lambda x: LogLikelihood(WORLD, PATHS, ends=x, threads=1).horizon, "ends"),
    "LogLikelihood memory": (lambda x: LogLikelihood(WORLD, PATHS, memory=x, threads=1)(np.zeros(4)), "memory"),
    "LogLikelihood threads": (lambda x: LogLikelihood(WORLD, PATHS, threads=x)(np.zeros(4)), "threads"),
    "RewardLikelihood state": (lambda x: OF_REWARD.value_and_grad(x), "reward|theta"),
    "RewardLikelihood transition": (lambda x: OF_REWARD.value_and_grad(np.zeros(4), x), "reward|theta"),
    "RewardLikelihood mdp": (lambda x: RewardLikelihood(x, PATHS), "mdp"),
    "LogPartition state": (lambda x: PARTITION.value_and_grad(x), "reward"),
    "LogPartition transition": (lambda x: PARTITION.value_and_grad(np.zeros(4), x), "reward"),
    "LogPartition horizon": (lambda x: LogPartition(WORLD, horizon=x) and None, "horizon"),
    "LogPartition start": (lambda x: LogPartition(WORLD, horizon=4, start=x, threads=1)(np.zeros(4)), "start"),
    "LogPartition to": (lambda x: LogPartition(WORLD, horizon=4, to=x, ends="goal", threads=1)(np.zeros(4)), r"\bto\b|goal"),
    "LogPartition mdp": (lambda x: LogPartition(x, horizon=4), "mdp"),
    "MaxEntIRL bounds": (lambda x: fit(bounds=x), "bound"),
    "MaxEntIRL bounds of each": (lambda x: fit(bounds=[(-1, 1), x, (-1, 1), (None, None)]), "bound"),
    "MaxEntIRL l2": (lambda x: fit(l2=x), "l2"),
    "MaxEntIRL ends": (lambda x: fit(ends=x), "ends"),
    "MaxEntIRL discount": (lambda x: fit(discount=x), "discount"),
    "MaxEntIRL inference": (lambda x: fit(inference=x), "inference"),
    "MaxEntIRL horizon": (lambda x: fit(horizon=x, max_iter=1), "horizon"),
    "MaxEntIRL tolerance": (lambda x: fit(tolerance=x), "tolerance"),
    "MaxEntIRL max_iter": (lambda x: fit(max_iter=x), "max_iter"),
    "MaxEntIRL threads": (lambda x: fit(threads=x), "threads"),
    "MaxEntIRL memory": (lambda x: fit(memory=x), "memory"),
    "fit mdp": (lambda x: MaxEntIRL().fit(x, PATHS), "mdp"),
    "fit demonstrations": (lambda x: MaxEntIRL(l2=0.1, threads=1).fit(WORLD, x).theta_, "demonstration"),
    "fit sample_weight": (lambda x: MaxEntIRL(l2=0.1, threads=1).fit(WORLD, PATHS, sample_weight=x).theta_, "weight"),
    "fit theta0": (lambda x: MaxEntIRL(l2=0.1, threads=1).fit(WORLD, PATHS, theta0=x).theta_, "theta"),
    "summary level": (lambda x: FITTED.summary(PATHS, level=x).theta, "level"),
    "cross_validate l2": (lambda x: FITTED.cross_validate(WORLD, PATHS, folds=2, l2=x).held_out, "l2"),
    "cross_validate folds": (lambda x: FITTED.cross_validate(WORLD, PATHS, folds=x).held_out, "folds"),
    "score": (lambda x: FITTED.score(x), "demonstration"),
    "score_samples": (lambda x: FITTED.score_samples(x), "demonstration"),
    "predict_path start": (lambda x: FITTED.predict_path(x, 3).states, "start|path"),
    "predict_path to": (lambda x: FITTED.predict_path(0, x).states, r"\bto\b|path"),
    "predict_path k": (lambda x: len(FITTED.predict_path(0, 3, k=x) if x is not None else []), r"\bk\b"),
    "predict_path horizon": (lambda x: FITTED.predict_path(0, 3, horizon=x).states, "horizon"),
    "predict_paths start": (lambda x: len(FITTED.predict_paths(x, [3])), "start"),
    "predict_paths to": (lambda x: len(FITTED.predict_paths([0], x)), r"\bto\b"),
    "predict_destination prefix": (lambda x: FITTED.predict_destination(x), "prefix"),
    "predict_destination prior": (lambda x: FITTED.predict_destination([(0, None)], prior=x), "prior"),
    "lengths start": (lambda x: FITTED.lengths(x), "start|path"),
    "lengths to": (lambda x: FITTED.lengths(to=x), r"\bto\b|path"),
    "lengths prefix": (lambda x: FITTED.lengths(prefix=x), "prefix"),
    "sample n": (lambda x: flat(FITTED.sample(x)), r"\bn\b|number of paths"),
    "sample seed": (lambda x: flat(FITTED.sample(2, seed=x)), "seed"),
    "sample start": (lambda x: flat(FITTED.sample(2, start=x)), "start|path"),
    "sample prefix": (lambda x: flat(FITTED.sample(2, prefix=x)), "prefix"),
    "marginals t": (lambda x: FITTED.marginals(x), r"\bt\b"),
    "marginals of": (lambda x: FITTED.marginals(of=x), r"\bof\b"),
    "marginals start": (lambda x: FITTED.marginals(start=x), "start|path"),
    "policy t": (lambda x: FITTED.policy(x), r"\bt\b"),
    "policy to": (lambda x: FITTED.policy(to=x), r"\bto\b|path"),
    "value to": (lambda x: FITTED.value(x), r"\bto\b|path"),
    "reward theta": (lambda x: WORLD.reward(x), "theta|reward"),
    "transition_reward theta": (lambda x: WORLD.transition_reward(x), "theta|reward"),
    "plan theta": (lambda x: WORLD.plan(x).value, "theta|reward|value"),
    "plan temperature": (lambda x: WORLD.plan(temperature=x).policy, "temperature"),
    "plan discount": (lambda x: WORLD.plan(discount=x).value, "discount"),
    "plan at_terminal": (lambda x: WORLD.plan(at_terminal=x).value, "at_terminal"),
    "plan paid": (lambda x: WORLD.plan(paid=x).value, "paid"),
    "plan tolerance": (lambda x: WORLD.plan(tolerance=x, max_iter=100).value, "tolerance"),
    "plan max_iter": (lambda x: WORLD.plan(max_iter=x).value, "max_iter"),
    "plan threads": (lambda x: WORLD.plan(threads=x).value, "threads"),
    "policy_value": (lambda x: WORLD.policy_value(x), "policy"),
    "policy_value theta": (lambda x: WORLD.policy_value(POLICY, x), "theta|reward|value"),
    "rollouts policy": (lambda x: flat(WORLD.rollouts(x, 3)), "policy"),
    "rollouts n": (lambda x: flat(WORLD.rollouts(POLICY, x)), r"\bn\b|number of paths"),
    "rollouts max_states": (lambda x: flat(WORLD.rollouts(POLICY, 3, max_states=x)), "max_states"),
    "rollouts seed": (lambda x: flat(WORLD.rollouts(POLICY, 3, seed=x)), "seed"),
    "compare theta": (lambda x: WORLD.compare(x), "theta|reward|value"),
    "compare truth": (lambda x: WORLD.compare(np.zeros(4), x), "theta|truth|reward|value"),
    "frozen_lake map": (lambda x: worlds.frozen_lake(x).digest, "map"),
    "linear_chain n": (lambda x: worlds.linear_chain(x).digest, r"\bn\b|chain"),
    "n_chain slip": (lambda x: worlds.n_chain(slip=x).digest, "slip"),
    "random_lake p_frozen": (lambda x: worlds.random_lake(4, p_frozen=x), "p_frozen|frozen"),
}


def outcome(call: Callable[[Any], Any], value: Any, names: str) -> Any:
    """The answer, or the refusal."""
    try:
        answer = call(value)
    except (ValueError, TypeError, MemoryError) as error:
        message = str(error)
        assert not isinstance(error, UnicodeError) and "engine failed" not in message and "panic" not in message, message
        assert re.search(names, message), f"{message!r} does not say which argument it is about ({names})"
        return "refused"
    return pickle.dumps(answer)


@pytest.mark.filterwarnings("error", "ignore::revealed.ConvergenceWarning")
@pytest.mark.parametrize("name", TARGETS)
def test_whatever_is_given(name: str) -> None:
    call, names = TARGETS[name]

    @seed(zlib.crc32(name.encode()))  # other values for each target
    @steady
    @given(anything)
    def run(value: Any) -> None:
        found = outcome(call, value, names)
        if isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray):
            assert outcome(call, np.array(value, order="C"), names) == found, "the layout in memory matters"

    run()


VECTORS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "theta": (LIKELIHOOD.value_and_grad, [0, 1, 1, 0]),
    "reward of states": (PARTITION.value_and_grad, [0, 1, 1, 0]),
    "reward of transitions": (lambda x: OF_REWARD.value_and_grad(np.zeros(4), x), [0, 1, 1, 0, 0, 1]),
    "features": (lambda x: mdp(features=x), [[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0]]),
    "features of pairs": (lambda x: mdp(features=Features(state_action=x)), [[[1], [0]], [[1], [1]], [[0], [1]], [[0], [0]]]),
    "T": (lambda x: Mdp.from_dense(x, axes=AXES, start=0, terminal=[3]).digest, TABLE),
    "matrices": (lambda x: Mdp.from_sparse(x, start=0, terminal=[3]).digest, TABLE.transpose(1, 0, 2)),
    "p": (rows(3), [1] * 6),
    "start": (lambda x: mdp(start=x), [1, 0, 0, 0]),
    "policy": (lambda x: flat(WORLD.rollouts(x, 3)), [[1, 0], [1, 0], [1, 0], [0, 0]]),
    "weights": (lambda x: MaxEntIRL(l2=0.1, threads=1).fit(WORLD, PATHS, sample_weight=x).theta_, [1, 0]),
    "prior": (lambda x: FITTED.predict_destination([(0, None)], prior=x), [0, 1, 0, 1]),
    "first states": (lambda x: FITTED.lengths(x), [1, 0, 0, 0]),
}
WHOLE: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "from": (rows(0), WORLD_ROWS[0]),
    "action": (rows(1), WORLD_ROWS[1]),
    "to": (rows(2), WORLD_ROWS[2]),
    "terminal": (lambda x: mdp(terminal=x), [3]),
    "states": (lambda x: flat(Trajectories([(x, [1, 0])])), [0, 2, 3]),
    "actions": (lambda x: flat(Trajectories([([0, 2, 3], x)])), [1, 0]),
    "pairs of states": (lambda x: [path.states for path in FITTED.predict_paths(x, x) if path is not None], [0, 1, 3]),
}
KINDS = [dtype for dtype in DTYPES if np.dtype(dtype).kind in "iuf"]


@pytest.mark.parametrize("name", [*VECTORS, *WHOLE])
def test_any_type_and_layout_of_the_same_numbers_is_the_same(name: str) -> None:
    call, values = {**VECTORS, **WHOLE}[name]
    clean = pickle.dumps(call(np.array(values, dtype=np.float64 if name in VECTORS else np.int64)))

    @steady
    @given(st.sampled_from([*KINDS, "bool"] if name in VECTORS else KINDS), st.sampled_from(LAYOUTS))
    def run(dtype: str, layout: str) -> None:
        given_array = relaid(np.array(values).astype(dtype), layout)
        kept = given_array.copy()
        assert pickle.dumps(call(given_array)) == clean
        np.testing.assert_array_equal(given_array, kept, "the argument stays as it was")

    run()


def test_a_lake_of_text_is_no_map() -> None:
    for rows_of_map in (["SF", "FX"], ["S", "FG"], [], ["", ""], "5x5"):
        with pytest.raises(ValueError, match="map"):
            worlds.frozen_lake(rows_of_map)
