"""The recursive logit in Python: how sure it is, and what is said where loops hardly cost anything."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import revealed


def roundabout(*, link: bool) -> revealed.Mdp:
    """0 leads round 1, 2, 3 and 4 (two metres each), and from 3 by 5 (100 m) or 6 (200 m) to 7."""
    steps = [(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 5), (3, 1, 6), (3, 2, 4), (4, 0, 1), (5, 0, 7), (6, 0, 7)]
    rows = [(*step, 1.0) for step in steps]
    metres = np.array([50.0, 2.0, 2.0, 2.0, 2.0, 100.0, 200.0, 50.0])
    features = np.column_stack([metres, np.ones(8)] if link else [metres])
    return revealed.Mdp(8, 3, transitions=tuple(zip(*rows)), start=0, terminal=[7], features=features)


def trips() -> revealed.Trajectories:
    near = [(0, 0), (1, 0), (2, 0), (3, 0), (5, 0), (7, None)]
    far = [(0, 0), (1, 0), (2, 0), (3, 1), (6, 0), (7, None)]
    round_again = [(0, 0), (1, 0), (2, 0), (3, 2), (4, 0), *near[1:]]
    return revealed.Trajectories([near, far, round_again], weights=[14.0, 5.0, 1.0])


def test_standard_errors_are_those_of_a_coin_and_of_rounds() -> None:
    irl = revealed.MaxEntIRL(inference="recursive-logit", progress=False)
    with pytest.warns(UserWarning, match="where the demonstrations have 6.2: loops hardly cost anything"):
        irl.fit(roundabout(link=False), trips())
    summary = irl.summary(trips())
    odds, r = np.exp(100.0 * irl.theta_[0]), np.exp(8.0 * irl.theta_[0])
    variance = 100.0**2 * odds / (1.0 + odds) ** 2 + 8.0**2 * r / (1.0 - r) ** 2
    assert summary.standard_errors == pytest.approx([1.0 / np.sqrt(20.0 * variance)], rel=1e-6)
    assert summary.null_log_likelihood is None and summary.likelihood_ratio is None and summary.rho_squared is None
    assert summary.robust_standard_errors is not None and summary.errors == "model"
    assert "recursive logit, exact" in str(summary) and "no null model" in str(summary)


def test_where_links_count_nothing_is_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irl = revealed.MaxEntIRL(inference="recursive-logit", progress=False).fit(roundabout(link=True), trips())
    assert np.isfinite(irl.summary(trips()).standard_errors).all()


def test_scores_are_among_paths_of_any_length() -> None:
    irl = revealed.MaxEntIRL(inference="recursive-logit", progress=False).fit(roundabout(link=True), trips())
    scores = irl.score_samples(trips())
    assert np.average(scores, weights=[14.0, 5.0, 1.0]) == pytest.approx(irl.log_likelihood_, abs=1e-12)
    bounded = irl.with_paths(horizon=10)
    assert bounded.inference_ == "exact" and np.all(bounded.score_samples(trips()) > scores)


def test_a_network_that_fills_in_is_refused_and_the_remedy_works() -> None:
    """Three arcs from each state to any other: eliminating some states connects the rest with each other."""
    n = 3000
    rng = np.random.default_rng(1)
    to = rng.integers(0, n, (n, 3))
    rows = np.repeat(np.arange(n), 3), np.tile([0, 1, 2], n), to.ravel(), np.ones(3 * n)
    mdp = revealed.Mdp(n, 3, transitions=rows, start=0, features=np.ones((n, 1)))
    states = [0]
    for action in (0, 1, 2, 0, 1):
        states.append(int(to[states[-1], action]))
    path = revealed.Trajectories([[*zip(states[:-1], (0, 1, 2, 0, 1)), (states[-1], None)]])
    logit = revealed.MaxEntIRL(inference="recursive-logit", memory=2_000_000, progress=False)
    with pytest.raises(MemoryError, match="eliminating 3000 states makes at least .* ends='goal'.* memory="):
        logit.fit(mdp, path)
    irl = revealed.MaxEntIRL(ends="goal", memory=2_000_000, l2=1e-3, progress=False).fit(mdp, path)
    assert irl.converged_


def test_columns_of_trips_go_through_files_and_frames(tmp_path: Path) -> None:
    paths = revealed.Trajectories(trips(), trip={"driver": ["a", "b", "a"], "hour": [8, 9.5, 23]})
    for name in ("trips.jsonl", "trips.npz"):
        paths.save(tmp_path / name)
        assert revealed.Trajectories.load(tmp_path / name).trip == paths.trip
    assert paths[[2, 0]].trip == {"driver": ["a", "a"], "hour": [23.0, 8.0]}
    for library in ("pandas", "polars"):
        assert revealed.Trajectories(paths.to_frame(library)).trip == paths.trip
    frame = paths.to_frame()
    frame.loc[1, "trip.driver"] = "c"
    with pytest.raises(ValueError, match="its trip.driver is 'a' on one row and 'c' on another"):
        revealed.Trajectories(frame)
    gaps = revealed.Trajectories(trips(), trip={"driver": ["a", None, 3]})
    gaps.save(tmp_path / "gaps.jsonl")
    assert revealed.Trajectories.load(tmp_path / "gaps.jsonl").trip == {"driver": ["a", None, 3.0]}
    with pytest.raises(ValueError, match="numbers alone or texts alone|a value for every demonstration"):
        gaps.save(tmp_path / "gaps.npz")
    with pytest.raises(ValueError, match="has 2 values, but there are 3 paths"):
        revealed.Trajectories(trips(), trip={"driver": ["a", "b"]})
    with pytest.raises(TypeError, match="give a number or a text"):
        revealed.Trajectories(trips(), trip={"driver": ["a", "b", [1]]})
    irl = revealed.MaxEntIRL(inference="recursive-logit", progress=False).fit(roundabout(link=True), trips())
    with pytest.raises(ValueError, match="its trip has no column driver"):
        irl.summary(gaps, cluster="driver")
    with pytest.raises(ValueError, match="errors is"):
        irl.summary(trips(), errors="robustly")  # type: ignore[arg-type]


def test_link_size_and_products() -> None:
    mdp = roundabout(link=True)
    paths = revealed.Trajectories(trips(), trip={"night": [0, 1, 1]})
    first = revealed.MaxEntIRL(inference="recursive-logit", progress=False).fit(mdp, paths)
    sized, moved = mdp.with_trip_features(paths, products=[(0, "night")], link_size=first)
    assert sized.feature_names[2:] == ["feature 0*night", "link size"]
    # All trips have the same ends: a copy by day and one by night.
    assert sized.n_states == 16 and moved.trip["origin-destination"] == ["0-7"] * 3
    likelihood = revealed.LogLikelihood(sized, moved, inference="recursive-logit")
    plain = revealed.LogLikelihood(mdp, paths, inference="recursive-logit")
    assert likelihood([*first.theta_, 0.0, 0.0]) == pytest.approx(plain(first.theta_), abs=1e-12)
    with pytest.raises(ValueError, match="there is nothing to add"):
        mdp.with_trip_features(paths)
    with pytest.raises(ValueError, match="there is no feature 'toll'"):
        mdp.with_trip_features(paths, products=[("toll", "night")])


def test_nested_and_discounted() -> None:
    mdp, paths = roundabout(link=True), trips()
    plain = revealed.MaxEntIRL(inference="recursive-logit", progress=False).fit(mdp, paths)
    fit = revealed.nested_logit(mdp, paths, discounted=True)
    assert fit.names == ["feature 0", "feature 1", "discount"]
    assert fit.plain_log_likelihood == pytest.approx(20 * plain.log_likelihood_, rel=1e-9)
    assert fit.likelihood_ratio > -1e-6 and fit.degrees_of_freedom == 1
    assert "discounted recursive logit" in str(fit) and fit.errors == "model"
    clustered = revealed.nested_logit(mdp, paths, discounted=True, cluster=["a", "b", "b"])
    assert clustered.errors == "robust" and "clust. s.e." in str(clustered)
    assert fit.robust_standard_errors is not None and not np.isnan(fit.robust_standard_errors).all()
    with pytest.raises(ValueError, match="nothing to learn besides theta"):
        revealed.nested_logit(mdp, paths)


def test_mixed() -> None:
    mdp = roundabout(link=True)
    near, far = ([0, 1, 2, 3, 5, 7], [0, 0, 0, 0, 0]), ([0, 1, 2, 3, 6, 7], [0, 0, 0, 1, 0])
    round_again = ([0, 1, 2, 3, 4, 1, 2, 3, 5, 7], [0, 0, 0, 2, 0, 0, 0, 0, 0])
    paths = [path for often in [1, 4, 7] * 10 for path in [near] * often + [far] * (8 - often) + [round_again]]
    drivers = [at // 9 for at in range(len(paths))]
    fit = revealed.mixed_logit(mdp, paths, random=0, panel=drivers, draws=100)
    plain = revealed.MaxEntIRL(inference="recursive-logit", progress=False).fit(mdp, paths)
    assert fit.names == ["feature 0", "feature 1", "sd:feature 0"] and fit.n_travellers == 30
    assert fit.plain_log_likelihood == pytest.approx(len(paths) * plain.log_likelihood_, rel=1e-9)
    assert fit.converged and fit.likelihood_ratio > 10.0 and fit.degrees_of_freedom == 1
    assert fit.robust_standard_errors is not None and np.isfinite(fit.standard_errors).all()
    assert "mixed recursive logit" in str(fit) and fit.errors == "model"
    named = revealed.Trajectories(paths, trip={"driver": drivers})
    assert (revealed.mixed_logit(mdp, named, random=[0], panel="driver", draws=100).parameters == fit.parameters).all()
    lognormal = revealed.mixed_logit(mdp, named, negative=[0], panel="driver", draws=50, common_draws=True, errors="robust")
    assert lognormal.names[0] == "log:feature 0" and lognormal.errors == "robust" and lognormal.diverged == 0.0
    summary = plain.summary(paths)
    shown = revealed.table({"plain": summary, "mixed": fit, "discounted": revealed.nested_logit(mdp, paths, discounted=True)})
    assert "sd:feature 0" in shown and "discount" in shown
    with pytest.raises(ValueError, match="no coefficient is random"):
        revealed.mixed_logit(mdp, paths)
    with pytest.raises(ValueError, match="random twice"):
        revealed.mixed_logit(mdp, paths, random=[0], negative=[0])
    with pytest.raises(ValueError, match="errors is"):
        revealed.mixed_logit(mdp, paths, random=[0], errors="robustly")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="give summaries"):
        revealed.table({"plain": plain})  # type: ignore[dict-item]


def test_flows_are_those_of_all_trips() -> None:
    mdp = roundabout(link=True)
    irl = revealed.MaxEntIRL(inference="recursive-logit", progress=False).fit(mdp, trips())
    flows = irl.flows([(0, 7, 20.0), (5, 7)])
    assert flows[0] == pytest.approx(20.0) and flows[7] == pytest.approx(21.0)
    assert flows[:7] == pytest.approx(20.0 * irl.marginals(start=0, to=7)[:7] + np.eye(8)[5][:7], rel=1e-9)
    with pytest.raises(ValueError, match="trip 0 is"):
        irl.flows([(0,)])


def test_elasticities_are_derivatives_of_flows() -> None:
    mdp = roundabout(link=True)
    irl = revealed.MaxEntIRL(inference="recursive-logit", progress=False).fit(mdp, trips())
    demand = [(0, 7, 20.0), (5, 7)]
    found = irl.flow_elasticities(demand, 1)
    step = 1e-5

    def flows(factor: float) -> np.ndarray:
        theta = irl.theta_ * np.where(np.arange(2) == 1, factor, 1.0)
        return revealed.MaxEntIRL.from_theta(mdp, theta, horizon="any", ends="goal").flows(demand)

    expected = (np.log(flows(1 + step)) - np.log(flows(1 - step))) / (2 * step)
    assert found == pytest.approx(expected, abs=1e-7)
    with pytest.raises(ValueError, match="there is no feature 'toll'"):
        irl.flow_elasticities(demand, "toll")
    with pytest.raises(ValueError, match="there are no trips"):
        irl.flow_elasticities([], 0)


def test_different_paths_share_little() -> None:
    mdp = roundabout(link=True)
    irl = revealed.MaxEntIRL(inference="recursive-logit", progress=False).fit(mdp, trips())
    found = irl.different_paths(0, 7, k=3, overlap=0.5)
    assert found[0].states.tolist() == irl.predict_path(0, 7).states.tolist()
    weights = [path.log_weight for path in found]
    assert weights == sorted(weights, reverse=True)
    for number, path in enumerate(found):
        for other in found[:number]:
            assert len(set(path.states) & set(other.states)) <= 0.5 * min(len(path), len(other))
    # Only the ends count, so that no second path is different enough.
    ends = np.where(np.isin(np.arange(mdp.n_states), [0, 7]), 1.0, 0.0)
    assert len(irl.different_paths(0, 7, lengths=ends)) == 1
    with pytest.raises(ValueError, match="the largest overlap is 2"):
        irl.different_paths(0, 7, overlap=2.0)
