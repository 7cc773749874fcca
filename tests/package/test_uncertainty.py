"""How sure a fit is, done again by hand: standard errors, cross-validation, what cannot be told, and what a reward loses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import revealed

ENDS = ["anywhere", "horizon", "terminal", "goal"]
HORIZON = 5


def world(discount: float = 0.9) -> revealed.Mdp:
    """Five states, two actions, chance, two terminal states, and two features of states, choices and transitions."""
    rows = [
        (0, 0, 1, 0.8), (0, 0, 2, 0.2), (0, 1, 2, 1.0), (1, 0, 3, 0.5), (1, 0, 0, 0.5), (1, 1, 4, 1.0),
        (2, 0, 3, 1.0), (2, 1, 0, 0.4), (2, 1, 4, 0.6),
    ]  # fmt: skip
    random = np.random.default_rng(3)
    features = revealed.Features(
        state=random.normal(size=(5, 2)), state_action=random.normal(size=(5, 2, 2)), transition=random.normal(size=(9, 2))
    )
    return revealed.Mdp(
        5,
        2,
        transitions=tuple(zip(*rows)),
        start={0: 0.6, 1: 0.2, 2: 0.2},
        terminal=[3, 4],
        discount=discount,
        features=features,
    )


def draws(mdp: revealed.Mdp, ends: Any, n: int = 40) -> revealed.Trajectories:
    """Draws from a known model, with weights from 1 to 3."""
    model = revealed.MaxEntIRL.from_theta(mdp, [0.4, -0.3], horizon=HORIZON, ends="anywhere" if ends == "goal" else ends)
    weights = np.random.default_rng(4).integers(1, 4, size=n).astype(float)
    return revealed.Trajectories(model.sample(n, seed=5), weights=weights)


def fit(mdp: revealed.Mdp, paths: revealed.Trajectories, ends: Any, l2: float = 0.0, **given: Any) -> revealed.MaxEntIRL:
    return revealed.MaxEntIRL(ends=ends, horizon=HORIZON, l2=l2, progress=False).fit(mdp, paths, **given)


def hessian(likelihood: revealed.LogLikelihood, theta: Any) -> Any:
    """Of the mean log-likelihood, by differences of its gradient."""
    step = 1e-5
    return np.array(
        [(likelihood.gradient(theta + h) - likelihood.gradient(theta - h)) / (2.0 * step) for h in step * np.eye(len(theta))]
    )


@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("ends", ENDS)
def test_standard_errors_are_those_of_the_hessian(ends: Any, l2: float) -> None:
    mdp = world()
    paths = draws(mdp, ends)
    irl = fit(mdp, paths, ends, l2)
    summary = irl.summary(paths)
    likelihood = revealed.LogLikelihood(mdp, paths, ends=ends, horizon=HORIZON)
    n = paths.weights.sum()
    information = -n * hessian(likelihood, irl.theta_)
    # With a penalty, the information that there is, seen through the curvature of what was maximised.
    inverse = np.linalg.inv(information + n * l2 * np.eye(2))
    covariance = inverse @ information @ inverse
    errors = np.sqrt(np.diag(covariance))
    assert irl.converged_ and summary.standing == ["estimated", "estimated"]
    assert summary.standard_errors == pytest.approx(errors, rel=1e-5)
    assert summary.covariance == pytest.approx(covariance, rel=1e-5)
    assert summary.z_values == pytest.approx(irl.theta_ / errors, rel=1e-5)
    assert summary.intervals == pytest.approx(irl.theta_[:, None] + 1.959963985 * errors[:, None] * [-1.0, 1.0], rel=1e-5)
    assert summary.n == n and summary.degrees_of_freedom == 2
    assert summary.log_likelihood == pytest.approx(n * likelihood(irl.theta_), abs=1e-8)
    assert summary.null_log_likelihood == pytest.approx(n * likelihood(np.zeros(2)), abs=1e-8)
    assert summary.likelihood_ratio == pytest.approx(2.0 * (summary.log_likelihood - summary.null_log_likelihood), abs=1e-8)
    # The sandwich: how much the demonstrations themselves vary, a weight of 3 counting as three.
    scores = np.array([revealed.LogLikelihood(mdp, [path], ends=ends, horizon=HORIZON).gradient(irl.theta_) for path in paths])
    scores -= np.average(scores, axis=0, weights=paths.weights)
    robust = np.sqrt(np.diag(inverse @ (scores.T * paths.weights) @ scores @ inverse))
    assert summary.robust_standard_errors == pytest.approx(robust, rel=1e-5)
    # With clusters, the scores of each are added first.
    labels = np.arange(len(paths)) % 7
    added = np.array([(scores * paths.weights[:, None])[labels == label].sum(axis=0) for label in range(7)])
    clustered = np.sqrt(np.diag(inverse @ added.T @ added @ inverse) * 7 / 6)
    named = revealed.Trajectories(paths, trip={"driver": [f"d{label}" for label in labels]})
    for summary in (irl.summary(paths, cluster=labels), irl.summary(named, cluster="driver")):
        assert summary.robust_standard_errors == pytest.approx(clustered, rel=1e-5)
        assert summary.z_values == pytest.approx(irl.theta_ / clustered, rel=1e-5)
        assert (summary.n_clusters, summary.errors) == (7, "robust") and "clust. s.e." in str(summary)


def test_weights_count_as_repeats_and_may_be_given_apart() -> None:
    mdp = world()
    paths = draws(mdp, "terminal")
    irl = fit(mdp, paths, "terminal")
    summary = irl.summary(paths)
    plain, weights = list(paths), paths.weights
    apart = fit(mdp, revealed.Trajectories(plain), "terminal", sample_weight=weights)
    assert np.array_equal(apart.theta_, irl.theta_)
    again = apart.summary(plain, sample_weight=weights)
    assert np.array_equal(again.standard_errors, summary.standard_errors) and again.n == summary.n
    repeated = [path for path, weight in zip(plain, weights) for _ in range(int(weight))]
    assert apart.summary(repeated).standard_errors == pytest.approx(summary.standard_errors, rel=1e-9)
    # It is not ignored.
    assert np.abs(apart.summary(plain).standard_errors / summary.standard_errors - 1.0).min() > 0.1


def test_degrees_of_freedom_count_weights_at_bounds_but_not_pinned_ones() -> None:
    mdp = world()
    paths = draws(mdp, "terminal")
    free = fit(mdp, paths, "terminal")
    half = float(free.theta_[0]) / 2.0
    for bounds, degrees in (((half - 1.0, half), 2), ((half, half), 1)):
        held = revealed.MaxEntIRL(ends="terminal", horizon=HORIZON, bounds=[bounds, (None, None)]).fit(mdp, paths)
        summary = held.summary(paths)
        assert summary.standing == ["at bound", "estimated"] and np.isnan(summary.standard_errors[0])
        assert summary.degrees_of_freedom == degrees


@pytest.mark.parametrize("ends", ENDS)
def test_cross_validation_by_hand(ends: Any) -> None:
    mdp, penalties, folds = world(), [0.01, 0.3, 3.0], 4
    paths = draws(mdp, ends)
    found = revealed.MaxEntIRL(ends=ends, horizon=HORIZON, progress=False).cross_validate(
        mdp, paths, l2=penalties, folds=folds, seed=3
    )
    assert np.array_equal(np.bincount(found.fold_of), [10, 10, 10, 10])
    weights = paths.weights / paths.weights.sum()
    each = np.zeros((3, len(paths)))
    for row, l2 in enumerate(penalties):
        seen, total = 0.0, 0.0
        for fold in range(folds):
            out = found.fold_of == fold
            trained = fit(mdp, paths[~out], ends, l2)
            each[row, out] = trained.score_samples(paths[out])
            seen += weights[~out] @ trained.score_samples(paths[~out])
            total += weights[~out].sum()
        assert found.in_sample[row] == pytest.approx(seen / total, abs=1e-8)

    def mean_and_error(values: Any) -> tuple[float, float]:
        mean = weights @ values
        return float(mean), float(np.sqrt(len(values) / (len(values) - 1.0) * np.sum((weights * (values - mean)) ** 2)))

    assert found.l2.tolist() == penalties
    held_out, error = np.array([mean_and_error(values) for values in each]).T
    best = int(held_out.argmax())
    shortfall, shortfall_error = np.array([mean_and_error(each[best] - values) for values in each]).T
    assert found.held_out == pytest.approx(held_out, abs=1e-7) and found.standard_error == pytest.approx(error, abs=1e-7)
    assert found.shortfall == pytest.approx(shortfall, abs=1e-7)
    assert found.shortfall_error == pytest.approx(shortfall_error, abs=1e-7)
    assert found.best_l2 == penalties[best]
    assert found.simplest_l2 == max(l2 for l2, less, sure in zip(penalties, shortfall, shortfall_error) if less <= sure)


def test_identical_paths_may_stay_in_one_fold() -> None:
    mdp = world()
    # Few different paths, many times.
    paths = draws(mdp, "terminal")
    irl = revealed.MaxEntIRL(ends="terminal", horizon=HORIZON, progress=False)
    same = [[other == path for other in paths] for path in paths]
    assert np.sum(same) > 2 * len(paths)
    grouped = irl.cross_validate(mdp, paths, l2=[0.1], folds=3, group_identical=True).fold_of
    assert all(len(set(grouped[those].tolist())) == 1 for those in same) and set(grouped.tolist()) == {0, 1, 2}
    apart = irl.cross_validate(mdp, paths, l2=[0.1], folds=3).fold_of
    assert any(len(set(apart[those].tolist())) > 1 for those in same)


def test_cross_validation_with_weights_given_apart() -> None:
    mdp = world()
    paths = draws(mdp, "anywhere")
    irl = revealed.MaxEntIRL(horizon=HORIZON, progress=False)
    settings: dict[str, Any] = {"l2": [0.1, 1.0], "folds": 4, "seed": 2}
    own = irl.cross_validate(mdp, paths, **settings)
    apart = irl.cross_validate(mdp, list(paths), sample_weight=paths.weights, **settings)
    assert np.array_equal(own.held_out, apart.held_out) and np.array_equal(own.fold_of, apart.fold_of)
    assert np.abs(irl.cross_validate(mdp, list(paths), **settings).held_out - own.held_out).min() > 1e-6
    # A weight of 0 is as if the path were not there: it is in no fold.
    weights = paths.weights.copy()
    weights[[3, 8]] = 0.0
    without = irl.cross_validate(mdp, list(paths), sample_weight=weights, **settings)
    assert np.flatnonzero(without.fold_of == -1).tolist() == [3, 8]
    gone = irl.cross_validate(mdp, paths[np.delete(np.arange(len(paths)), [3, 8])], **settings)
    assert without.held_out == pytest.approx(gone.held_out, abs=1e-9)


def test_null_directions_change_no_reward() -> None:
    plain = world()
    paths = draws(plain, "terminal")
    assert fit(plain, paths, "terminal").null_directions_ == []
    matrix = np.random.default_rng(6).normal(size=(5, 2))
    collinear = np.column_stack([matrix, matrix[:, 0] - 2.0 * matrix[:, 1], np.zeros(5)])
    names = ["length", "hills", "both", "nothing"]
    irl = fit(plain.with_features(revealed.Features(state=collinear, names=names)), paths, "terminal", 0.1)
    assert len(irl.null_directions_) == 2
    mixed, alone = sorted(irl.null_directions_, key=len, reverse=True)
    assert all(name in mixed for name in names[:3]) and "nothing" not in mixed
    assert "nothing" in alone and not any(name in alone for name in names[:3])
    for direction in ([1.0, -2.0, -1.0, 0.0], [0.0, 0.0, 0.0, 1.0]):
        assert irl.mdp_.reward(direction) == pytest.approx(np.zeros(5), abs=1e-12)
    assert any("both" in note for note in irl.notes_)


def test_states_in_which_the_policies_differ() -> None:
    mdp = world()
    random = np.random.default_rng(8)
    counts = set()
    for _ in range(20):
        truth, learned = random.normal(size=(2, 2))
        plans = mdp.plan(truth), mdp.plan(learned)
        differ = np.any(plans[0].policy != plans[1].policy, axis=1)
        lost = plans[0].value - mdp.policy_value(plans[1].policy, truth)
        recovery = mdp.compare(learned, truth)
        assert recovery.n_different == differ.sum()
        counts.add(recovery.n_different)
        assert recovery.inverse_learning_error == pytest.approx(lost.sum(), abs=1e-8)
        assert recovery.expected_value_difference == pytest.approx(mdp.start @ lost, abs=1e-8)
    assert len(counts) > 2
    assert mdp.compare(truth, truth) == revealed.Recovery(0.0, 0.0, 0)
