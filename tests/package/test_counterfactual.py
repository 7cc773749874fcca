"""What would change in another world: against logits done by hand, and against the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import revealed
from binary import Revealed

# Three roads from 0 to 4: minutes and price of each.
MINUTES = np.array([10.0, 20.0, 30.0])
PRICES = np.array([4.0, 1.0, 0.0])
COUNTS = np.array([100, 150, 50])


def roads(prices: Any = PRICES) -> revealed.Mdp:
    rows = [(0, road, road + 1, 1.0) for road in range(3)] + [(road + 1, 0, 4, 1.0) for road in range(3)]
    table = np.zeros((5, 2))
    table[1:4] = np.column_stack([MINUTES, prices])
    features = revealed.Features(state=table, names=["minutes", "price"])
    return revealed.Mdp(5, 3, transitions=tuple(zip(*rows)), start=0, terminal=[4], features=features)


def trips() -> list[list[tuple[int, int | None]]]:
    return [[(0, road), (road + 1, 0), (4, None)] for road, n in enumerate(COUNTS) for _ in range(n)]


@pytest.fixture(scope="module")
def irl() -> revealed.MaxEntIRL:
    return revealed.MaxEntIRL(ends="terminal", progress=False).fit(roads(), trips())


def shares(theta: Any, prices: Any = PRICES, open_: Any = (0, 1, 2)) -> Any:
    """Of the roads, and the logsum."""
    utility = np.full(3, -np.inf)
    for road in open_:
        utility[road] = theta @ [MINUTES[road], prices[road]]
    weights = np.exp(utility)
    return weights / weights.sum(), np.log(weights.sum())


def gradient(f: Any, theta: Any) -> Any:
    step = 1e-5
    return np.array([(f(theta + h) - f(theta - h)) / (2 * step) for h in step * np.eye(len(theta))])


def error(f: Any, irl: revealed.MaxEntIRL, summary: revealed.Summary) -> float:
    slope = gradient(f, irl.theta_)
    return float(np.sqrt(slope @ summary.covariance @ slope))


# Of (theta, shares, logsum).
OUTCOMES: dict[str, Callable[[Any, Any, float], float]] = {
    "visits:1": lambda theta, p, logsum: p[0],
    "visits:2": lambda theta, p, logsum: p[1],
    "logsum": lambda theta, p, logsum: logsum,
    "surplus:price": lambda theta, p, logsum: logsum / -theta[1],
    "feature:minutes": lambda theta, p, logsum: p @ MINUTES,
}


def check(change: revealed.OutcomeChange, f: Any, dear: Any, irl: revealed.MaxEntIRL, summary: revealed.Summary) -> None:
    """Of both worlds and their difference: the values, the standard errors and the intervals."""

    def before(theta: Any) -> float:
        return float(f(theta, *shares(theta)))

    def after(theta: Any) -> float:
        return float(f(theta, *shares(theta, dear)))

    def difference(theta: Any) -> float:
        return after(theta) - before(theta)

    for measured, value in [(change.base, before), (change.scenario, after), (change.difference, difference)]:
        assert measured.value == pytest.approx(value(irl.theta_), abs=1e-9)
        assert measured.standard_error == pytest.approx(error(value, irl, summary), rel=1e-5)
        half = 1.959963984540054 * measured.standard_error
        assert measured.interval == pytest.approx((measured.value - half, measured.value + half))


def test_a_toll_is_that_of_a_logit(irl: revealed.MaxEntIRL) -> None:
    summary = irl.summary(trips())
    dear = PRICES + [2.0, 0.0, 0.0]
    toll = {"change_feature": [{"feature": "price", "add": 2.0, "states": [1]}]}
    outcomes = ["visits:1", "visits:2", "logsum", "surplus:price", "feature:minutes", "length"]
    wanted = {"outcomes": outcomes, "flows": 0, "summary": summary}
    for found in (irl.counterfactual(toll, **wanted), irl.counterfactual(world=roads(dear), **wanted)):
        for name, f in OUTCOMES.items():
            check(found[name], f, dear, irl, summary)
        assert list(found) == outcomes and len(found) == 6
        assert found["length"].difference.value == pytest.approx(0.0, abs=1e-12)
        frame = found.to_frame()
        assert list(frame.index) == outcomes and frame.loc["visits:1", "difference"] == found["visits:1"].difference.value


def test_ratios_and_elasticities_are_those_of_a_logit(irl: revealed.MaxEntIRL) -> None:
    summary = irl.summary(trips())
    found = irl.counterfactual(summary=summary, ratios=["minutes/price"], elasticities=["price"], outcomes=["visits:1"])
    ratio = found.ratios["minutes/price"]
    assert ratio.value == pytest.approx(irl.theta_[0] / irl.theta_[1])
    assert ratio.standard_error == pytest.approx(error(lambda theta: theta[0] / theta[1], irl, summary), rel=1e-6)
    assert ratio.fieller == "between" and ratio.fieller_ends is not None
    # Both ends of Fieller's interval are where the test of theta_0 = rho theta_1 is on the edge.
    for rho in ratio.fieller_ends:
        z = (irl.theta_ @ [1, -rho]) / np.sqrt([1, -rho] @ summary.covariance @ [1, -rho])
        assert abs(z) == pytest.approx(1.959963984540054, rel=1e-6)

    def elasticity(theta: Any) -> float:
        p = shares(theta)[0]
        return float(theta[1] * (PRICES[0] - p @ PRICES))

    measured = found.elasticities["visits:1", "price"]
    assert measured is not None and measured.value == pytest.approx(elasticity(irl.theta_), rel=1e-7)
    assert measured.standard_error == pytest.approx(error(elasticity, irl, summary), rel=1e-5)
    assert not list(found) and found.base_visits.size == 0


def test_the_command_line_says_the_same(irl: revealed.MaxEntIRL, command: Revealed, tmp_path: Path) -> None:
    summary = irl.summary(trips())
    roads().save(tmp_path / "roads.json")
    revealed.Trajectories(trips()).save(tmp_path / "trips.jsonl")
    scenario = {"close": [2], "scale_feature": {"price": 1.5}, "add_reward": [{"reward": -0.3, "states": [1]}]}
    (tmp_path / "scenario.json").write_text(json.dumps(scenario))
    (tmp_path / "pairs.csv").write_text("from,to,weight\n0,4,3\n1,4,2\n")
    files = str(tmp_path / "roads.json"), str(tmp_path / "model.json")
    command("learn", files[0], str(tmp_path / "trips.jsonl"), "-o", files[1], "--ends", "terminal", "--summary")
    options = "--scenario", str(tmp_path / "scenario.json"), "--pairs", str(tmp_path / "pairs.csv"), "--ratio", "0/price"
    told = command("counterfactual", *files, *options, "--level", "0.9", "--robust", "--outcome", "visits:3")
    loaded = revealed.MaxEntIRL.load(files[1], roads())
    wanted: dict[str, Any] = {"outcomes": ["visits:3"], "level": 0.9, "robust": True, "ratios": ["0/price"]}
    pairs = [(0, 4, 3.0), (1, 4, 2.0)]
    for summary_or_none, model in ((summary, irl), (None, loaded)):
        found = model.counterfactual(scenario, summary=summary_or_none, trips=pairs, **wanted)
        assert [row["outcome"] for row in told["outcomes"]] == list(found)
        for row in told["outcomes"]:
            change = found[row["outcome"]]
            assert change.difference.value == pytest.approx(row["difference"]["value"], abs=1e-7)
            assert change.difference.standard_error == pytest.approx(row["difference"]["standard_error"], abs=1e-7)
        assert found.ratios["minutes/price"].value == pytest.approx(told["ratios"][0]["ratio"]["value"], rel=1e-6)
        assert found.travellers == told["travellers"] == 5.0
    text = command.run("counterfactual", *files, *options, "--level", "0.9", "--robust", "--outcome", "visits:3").stdout
    again = loaded.counterfactual(scenario, trips=pairs, **wanted)
    assert str(again) == text and "<pre>" in again._repr_html_()


def test_trips_are_those_of_trajectories() -> None:
    demonstrations = revealed.Trajectories(trips())
    irl = revealed.MaxEntIRL(inference="recursive-logit", progress=False).fit(roads(), demonstrations)
    found = irl.counterfactual({"close": [3]}, summary=irl.summary(demonstrations), trips=demonstrations, outcomes=["visits:1"])
    p = shares(irl.theta_, open_=(0, 1))[0][0]
    assert found["visits:1"].scenario.value == pytest.approx(300 * p) and found.travellers == 300.0
    assert found.base_visits == pytest.approx(np.array([300.0, *(300 * shares(irl.theta_)[0]), 300.0]))


def test_states_may_have_labels() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph()
    for road, minutes in (("bridge", 10.0), ("ferry", 20.0)):
        graph.add_edge("home", road, minutes=minutes)
        graph.add_edge(road, "work", minutes=0.0)
    mdp = revealed.Mdp.from_graph(graph, edge_attributes=["minutes"], start="home", terminal=["work"])
    bridge, ferry = (mdp._state("x", name) for name in ("bridge", "ferry"))
    walks = [[("home", mdp_action(mdp, road)), (road, 0), ("work", None)] for road in ("bridge", "bridge", "ferry")]
    irl = revealed.MaxEntIRL(ends="terminal", progress=False).fit(mdp, walks)
    found = irl.counterfactual({"close": ["bridge"]}, summary=irl.summary(walks), outcomes=[f"visits:{ferry}"])
    assert found[f"visits:{ferry}"].base.value == pytest.approx(1 / 3, abs=1e-6)
    assert found[f"visits:{ferry}"].scenario.value == pytest.approx(1.0)
    assert found.scenario_visits[bridge] == 0.0


def mdp_action(mdp: revealed.Mdp, road: str) -> int:
    """The action that leads from home to a road."""
    state, to = mdp._state("x", "home"), mdp._state("x", road)
    return next(int(a) for s, a, t, _ in zip(*mdp.transitions) if (s, t) == (state, to))


def test_what_cannot_be_asked_is_refused(irl: revealed.MaxEntIRL) -> None:
    summary = irl.summary(trips())
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"scenario": {"close": [1]}}, "intervals need standard errors"),
        ({"summary": summary}, "there is nothing to compare"),
        ({"summary": summary, "scenario": {"closed": [1]}}, "unknown field `closed`"),
        ({"summary": summary, "scenario": {"close": [9]}}, "there is no such state"),
        ({"summary": summary, "scenario": {"close": [1, 2, 3]}}, "no path is left from state 0"),
        ({"summary": summary, "ratios": ["price"]}, "is not a ratio"),
        ({"summary": summary, "scenario": {"close": [1]}, "trips": [(0,)]}, "it must be \\(from, to\\)"),
        ({"summary": summary, "scenario": {"close": [1]}, "level": 2.0}, "the level is 2"),
    ]
    for arguments, words in wrong:
        with pytest.raises(ValueError, match=words):
            irl.counterfactual(**arguments)
    with pytest.raises(KeyError, match="the outcomes are visits:1"):
        irl.counterfactual({"close": [2]}, summary=summary, outcomes=["visits:1"], flows=0)["visits:2"]
