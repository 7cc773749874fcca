"""The estimator: settings, questions, and the habits of scikit-learn."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest
import revealed
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.validation import check_is_fitted


def test_a_fit_of_milliseconds_finds_the_goal(irl: revealed.MaxEntIRL, lake: revealed.Mdp, paths: revealed.Trajectories) -> None:
    assert irl.converged_ and irl.reward_.argmax() == 15
    assert irl.score(lake, paths) == pytest.approx(irl.log_likelihood_, abs=1e-9) == irl.score(paths)
    assert lake.compare(irl.theta_, paid="on-arrival").inverse_learning_error < lake.compare(-irl.theta_).inverse_learning_error


def test_questions_fit_together(irl: revealed.MaxEntIRL, paths: revealed.Trajectories) -> None:
    at = [irl.marginals(t) for t in range(1, irl.horizon_ + 1)]
    lengths = irl.lengths()
    survival = 1.0 - np.concatenate([[0.0], np.cumsum(lengths[1:])])[:-1]
    assert [p.sum() for p in at] == pytest.approx(survival, abs=1e-9)
    assert irl.marginals() == pytest.approx(sum(0.99**t * p for t, p in enumerate(at)), abs=1e-9)
    policy = irl.policy()
    assert policy.shape == (16, 4) and policy.sum(axis=1)[[0, 4, 8]] == pytest.approx(1.0)
    assert (policy[[5, 7, 11, 12, 15]] == 0.0).all()
    rows = irl.predict_destination([(0, 0), (4, 0), (8, None)], follow=True)
    assert rows.shape == (3, 16) and rows.sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(rows[0], irl.predict_destination([(0, None)]))
    assert np.array_equal(rows[2], irl.predict_destination([(0, 0), (4, 0), (8, None)]))
    samples = irl.sample(2000, seed=1)
    share = np.bincount([path[-1][0] for path in samples], minlength=16) / 2000
    assert np.abs(share - rows[0]).max() < 5.0 * np.sqrt(0.25 / 2000)
    for path in irl.sample(20, seed=2, prefix=[(0, 0), (4, None)], to=15):
        assert path[:2] == [(0, 0), (4, path[1][1])] and path[-1] == (15, None)
    assert np.isneginf(irl.score_samples([[(0, 0), (4, None)] * 1])).sum() == 0


def test_many_pairs_are_answered_as_single_ones_are(irl: revealed.MaxEntIRL) -> None:
    roads = revealed.worlds.road_like(400, 800, seed=2)
    theta = roads.true_theta
    assert theta is not None
    start = np.random.default_rng(1).integers(0, 400, size=(30, 2))
    known = revealed.MaxEntIRL(max_iter=0).fit(roads, [[(0, None)]], theta0=theta).with_paths(horizon=60)
    assert np.array_equal(known.theta_, theta)
    found = known.predict_paths(start[:, 0], start[:, 1])
    for (a, b), path in zip(start, found, strict=True):
        try:
            alone = known.predict_path(int(a), int(b))
        except ValueError:
            assert path is None
            continue
        assert path is not None and path.log_weight == pytest.approx(alone.log_weight, abs=1e-9) and len(path) <= 60
    # With a discount there is no likeliest path of any length, and each pair is searched for by itself.
    assert [len(path) for path in irl.predict_paths([0, 0], [15, 10]) if path is not None] == [7, 5]
    with pytest.raises(ValueError, match="discount"):
        irl.predict_paths([0], [15], any_length=True)
    with pytest.raises(ValueError, match="pairs"):
        irl.predict_paths([0, 1], [15])


def test_another_set_of_paths(irl: revealed.MaxEntIRL) -> None:
    longer = irl.with_paths(ends="terminal", horizon=500)
    assert (irl.ends_, longer.ends_, longer.horizon_) == ("anywhere", "terminal", 500)
    assert {path[-1][0] for path in longer.sample(100)} <= {5, 7, 11, 12, 15}
    with pytest.raises(ValueError, match="ends"):
        irl.with_paths(ends="nowhere")  # type: ignore[arg-type]


def test_summary(irl: revealed.MaxEntIRL, paths: revealed.Trajectories) -> None:
    summary = irl.summary(paths, level=0.9)
    assert "90 % interval" in str(summary) and summary.level == 0.9
    frame = summary.to_frame()
    assert list(frame.index) == irl.mdp_.feature_names and (frame["standing"] == summary.standing).all()
    free = np.isfinite(summary.standard_errors)
    width = summary.intervals[free, 1] - summary.intervals[free, 0]
    assert width == pytest.approx(2 * 1.6448536269514722 * summary.standard_errors[free])
    assert "<th" in summary._repr_html_() and summary.names[0] in summary._repr_html_()
    with pytest.raises(ValueError, match="level"):
        irl.summary(paths, level=1.5)


def test_clones_and_settings() -> None:
    irl = revealed.MaxEntIRL(bounds=(-3, 3), l2=0.5, ends="terminal")
    other = clone(irl)
    assert other is not irl and other.get_params() == irl.get_params()
    assert repr(irl) == "MaxEntIRL(bounds=(-3, 3), l2=0.5, ends='terminal')"
    assert irl.set_params(l2=0.1).l2 == 0.1
    with pytest.raises(ValueError, match="no parameter 'alpha'"):
        irl.set_params(alpha=1)
    with pytest.raises(Exception, match="fitted"):
        check_is_fitted(irl)


def test_grid_search(lake: revealed.Mdp, paths: revealed.Trajectories) -> None:
    search = GridSearchCV(revealed.MaxEntIRL(mdp=lake, ends="terminal", horizon=400), {"l2": [0.001, 0.01, 1.0]}, cv=3)
    finished = [path for path in paths if path[-1][0] in (5, 7, 11, 12, 15)]
    search.fit(finished)
    assert search.best_params_["l2"] < 1.0 and np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.mdp is lake
    assert search.best_estimator_.predict_path(0, 15).states[-1] == 15
    # A horizon, because a demonstration that is longer than any in training is no path of the model.
    scores = cross_val_score(revealed.MaxEntIRL(mdp=lake, l2=0.01, horizon=400), finished, cv=3)
    assert scores.shape == (3,) and np.isfinite(scores).all()


def test_sample_weights_count_demonstrations(lake: revealed.Mdp, paths: revealed.Trajectories) -> None:
    few = [paths[0], paths[1], paths[1], paths[1]]
    weighted = revealed.MaxEntIRL(l2=0.1).fit(lake, few[:2], sample_weight=[1, 3])
    repeated = revealed.MaxEntIRL(l2=0.1).fit(lake, few)
    assert weighted.theta_ == pytest.approx(repeated.theta_, abs=1e-6)
    with pytest.raises(ValueError, match="sample_weight has 3 entries, expected 2"):
        revealed.MaxEntIRL().fit(lake, few[:2], sample_weight=[1, 2, 3])


def test_files(irl: revealed.MaxEntIRL, lake: revealed.Mdp, tmp_path: Path) -> None:
    irl.save(tmp_path / "model.json")
    loaded = revealed.MaxEntIRL.load(tmp_path / "model.json", lake)
    assert np.array_equal(loaded.theta_, irl.theta_) and loaded.converged_ and loaded.notes_ == irl.notes_
    assert np.array_equal(loaded.marginals(), irl.marginals())
    with pytest.raises(ValueError, match="64 features"):
        revealed.MaxEntIRL.load(tmp_path / "model.json", revealed.worlds.frozen_lake("8x8"))
    with pytest.raises(FileNotFoundError, match="nothing.json"):
        revealed.MaxEntIRL.load(tmp_path / "nothing.json", lake)
    with pytest.raises(OSError, match="nowhere"):
        irl.save(tmp_path / "nowhere" / "model.json")
    with pytest.raises(revealed.NotFittedError):
        revealed.MaxEntIRL().save(tmp_path / "empty.json")
    assert not (tmp_path / "empty.json").exists()


def test_what_is_wrong_is_said(irl: revealed.MaxEntIRL, lake: revealed.Mdp, paths: revealed.Trajectories) -> None:
    for settings, message in [
        ({"ends": "nowhere"}, "ends is .nowhere.: it must be one of anywhere, horizon, terminal, goal"),
        ({"inference": "guess"}, "inference is .guess.: it must be one of exact"),
        ({"l2": -1.0}, "l2"),
        ({"bounds": (1, -1)}, "bound"),
        ({"bounds": [(0, 1)]}, "one such pair for each of the 16 features"),
        ({"horizon": 0}, "horizon is 0: it must be at least 1"),
        ({"threads": 0}, "threads is 0"),
        ({"threads": 5000}, "threads is 5000: it must be between 1 and 1024"),
        ({"discount": 1.5}, "discount"),
    ]:
        with pytest.raises(ValueError, match=message):
            revealed.MaxEntIRL(**settings).fit(lake, paths)
    with pytest.raises(TypeError, match="mdp is a list"):
        revealed.MaxEntIRL().fit([[(0, None)]], paths)
    with pytest.raises(TypeError, match="no demonstrations"):
        revealed.MaxEntIRL().fit(lake)
    with pytest.raises(ValueError, match="demonstration 1"):
        revealed.MaxEntIRL().fit(lake, [[(0, None)], [(0, 1), (14, None)]])
    with pytest.raises(ValueError, match="to is 99: there is no such state among the 16"):
        irl.predict_path(0, 99)
    with pytest.raises(ValueError, match="start or prefix, not both"):
        irl.sample(1, start=0, prefix=[(0, None)])
    with pytest.raises(ValueError, match="the prefix"):
        irl.predict_destination([(0, 1), (14, None)])
    with pytest.raises(ValueError, match="prior has 3 entries, expected 16"):
        irl.predict_destination([(0, None)], prior=[1, 2, 3])
    with pytest.raises(revealed.NotFittedError, match="call fit"):
        _ = revealed.MaxEntIRL().reward_


def test_a_model_is_loaded_with_its_own_discount(lake: revealed.Mdp, paths: revealed.Trajectories, tmp_path: Path) -> None:
    irl = revealed.MaxEntIRL(discount=0.9, l2=0.1, ends="anywhere", horizon=200).fit(lake, paths)
    irl.save(tmp_path / "model.json")
    loaded = revealed.MaxEntIRL.load(tmp_path / "model.json", lake)
    assert loaded.mdp_.discount == 0.9 and loaded.get_params() == irl.get_params()
    assert loaded.score(paths) == irl.score(paths) and np.array_equal(loaded.marginals(), irl.marginals())
    with pytest.warns(UserWarning, match="another MDP"):
        revealed.MaxEntIRL.load(tmp_path / "model.json", revealed.worlds.frozen_lake("4x4", slippery=False))


def test_another_set_of_paths_is_saved_as_such(irl: revealed.MaxEntIRL, paths: revealed.Trajectories, tmp_path: Path) -> None:
    other = irl.with_paths(ends="goal", horizon=50)
    other.save(tmp_path / "other.json")
    loaded = revealed.MaxEntIRL.load(tmp_path / "other.json", irl.mdp_)
    assert (loaded.ends_, loaded.horizon_, loaded.converged_, other.log_likelihood_) == ("goal", 50, None, None)
    with pytest.raises(ValueError, match="not learned over these paths"):
        other.summary(paths)
    assert irl.converged_ and irl.log_likelihood_ < 0.0


def test_demonstrations_of_weight_0_do_not_count(irl: revealed.MaxEntIRL, paths: revealed.Trajectories) -> None:
    short = irl.with_paths(horizon=30)
    possible = paths.lengths <= 30
    assert np.isneginf(short.score(paths)) and 0 < possible.sum() < len(paths)
    assert short.score(paths, sample_weight=possible.astype(float)) == pytest.approx(short.score(paths[possible]))
    with pytest.raises(ValueError, match="nothing to score"):
        short.score(paths, sample_weight=np.zeros(len(paths)))


def test_stopping_completes_the_policy() -> None:
    """Walks by policy and stopping at each time visit states as often as the model says."""
    chain = revealed.worlds.linear_chain(4)
    irl = revealed.MaxEntIRL.from_theta(chain, [0.3, -0.2, 0.1, 0.4], horizon=4)
    here = irl.marginals(1)
    for t in range(1, 4):
        going_on = here * (1.0 - irl.stopping(t))
        here = np.zeros(4)
        source, action, target, p = chain.transitions
        np.add.at(here, target, going_on[source] * irl.policy(t)[source, action] * p)
        assert here == pytest.approx(irl.marginals(t + 1), abs=1e-12)


def test_labels_are_what_people_write() -> None:
    graph = networkx.DiGraph([(1, 0), (0, 1), (1, 2), (0, 2)])
    mdp = revealed.Mdp.from_graph(graph)
    assert mdp.labels == [1, 0, 2]
    walks = mdp.paths([[0, 2]] * 5)
    assert walks[0] == [(1, 1), (2, None)]
    irl = revealed.MaxEntIRL(ends="terminal", l2=0.01, horizon=4)
    by_walk = irl.fit(mdp, walks).theta_
    for written in ([[(0, 1), (2, None)]] * 5, [([0, 2], [1])] * 5, walks.to_frame().assign(state=[0, 2] * 5)):
        assert np.array_equal(irl.fit(mdp, written).theta_, by_walk)
    assert irl.reward_[mdp.index(1)] == irl.reward_.min()
    posterior = irl.predict_destination([(1, 0), (0, None)])
    seen = mdp.paths([[1, 0]])
    assert np.array_equal(posterior, irl.predict_destination(seen))
    assert np.array_equal(posterior, irl.predict_destination(seen[0])) and seen[0] == [(0, 0), (1, None)]
    assert np.array_equal(irl.fit(mdp, [walks[0]] * 5).theta_, by_walk)
    assert [mdp.labels[state] for state in irl.predict_path(1, 2).states][:: len(irl.predict_path(1, 2)) - 1] == [1, 2]
    for wrong, message in [
        ([[0, 7]], "sequence 0: step 1: the state is 7: there is no such state"),
        ([[2, 0]], "sequence 0: step 0: no action leads from 2 to 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            mdp.paths(wrong)
    twice = networkx.MultiDiGraph([("a", "b"), ("a", "b")])
    with pytest.raises(ValueError, match="the actions 0, 1 all lead from 'a' to 'b': give"):
        revealed.Mdp.from_graph(twice).paths([["a", "b"]])
    with pytest.raises(ValueError, match="demonstration 0: step 0: the state is 'x'"):
        irl.fit(revealed.Mdp.from_graph(twice), [[("x", 0), ("b", None)]])


def test_pictures_read_labels_as_fits_do() -> None:
    graph = networkx.DiGraph([("home", "shop"), ("shop", "work")])
    mdp = revealed.Mdp.from_graph(graph)
    written = [[("home", 0), ("shop", 0), ("work", None)]]
    assert mdp.plot(demonstrations=written).has_data()
    with pytest.raises(ValueError, match="demonstration 0: step 0: the state is 'pub'"):
        mdp.plot(demonstrations=[[("pub", 0), ("work", None)]])
