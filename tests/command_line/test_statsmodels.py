"""Standard errors against statsmodels: choices of one step are multinomial logits."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import log_softmax
from statsmodels.base.model import GenericLikelihoodModel
from statsmodels.discrete.conditional_models import ConditionalLogit

import problems

CLOSE = dict(rel=1e-5, abs=1e-7)


def one_step_problem(starts, n_actions, features, names):
    """Each start offers every action, and each pair leads to a terminal state of its own. `features` maps (start, action) to
    (feature, value) pairs, and (start, None) to those of the start itself."""
    n_starts = len(starts)
    end = {(s, a): n_starts + s * n_actions + a for s in range(n_starts) for a in range(n_actions)}
    of_choice = [(s, a, k, value) for (s, a), entries in features.items() if a is not None for k, value in entries]
    of_start = [(s, k, value) for (s, a), entries in features.items() if a is None for k, value in entries]
    return {
        "format": "revealed-problem/1",
        "n_states": n_starts + len(end),
        "n_actions": n_actions,
        "n_features": len(names),
        "start": problems.table(("state", "p"), enumerate(starts)),
        "terminal": list(end.values()),
        "transitions": problems.table(("from", "action", "to", "p"), [(s, a, to, 1.0) for (s, a), to in end.items()]),
        "features": {
            "state": problems.table(("state", "feature", "value"), of_start),
            "state_action": problems.table(("state", "action", "feature", "value"), of_choice),
            "names": names,
        },
    }


def summary_of(revealed, folder, problem, demonstrations, *how):
    model = revealed(
        "learn",
        problems.save_json(folder / "problem.json", problem),
        problems.save_lines(folder / "demonstrations.jsonl", demonstrations),
        "-o", folder / "model.json", *(how or ["--ends", "terminal"]), "--summary",
    )  # fmt: skip
    assert model["converged"]
    return model["theta"], model["summary"]


def demonstration(start, action, n_starts, n_actions):
    return {"states": [int(start), int(n_starts + start * n_actions + action)], "actions": [int(action)]}


class Choices(GenericLikelihoodModel):
    """Conditional logit among the same alternatives for everybody; statsmodels differentiates it."""

    def __init__(self, chosen, alternatives):
        self.alternatives = alternatives
        super().__init__(chosen, alternatives[chosen])

    def loglikeobs(self, params):
        return log_softmax(self.alternatives @ params)[self.endog.astype(int)]


# With one step and no chance, the path model and both causal models are the conditional logit.
MODELS = [["--ends", "terminal"], ["--inference", "causal"], ["--inference", "causal", "--horizon", "any"]]


@pytest.mark.parametrize("how", MODELS, ids=["paths", "causal", "causal without a horizon"])
def test_alternatives_with_attributes(revealed, tmp_path, how):
    """Three attributes of seven alternatives: too few to fit every share, so robust errors differ from the model's."""
    rng = np.random.default_rng(1)
    alternatives = rng.normal(size=(7, 3)) * [1.0, 0.1, 20.0]
    features = {(0, a): list(enumerate(row)) for a, row in enumerate(alternatives.tolist())}
    problem = one_step_problem([1.0], 7, features, ["price", "quality", "distance"])
    # Not the model's own shares.
    chosen = rng.choice(7, size=300, p=rng.dirichlet(np.full(7, 3.0)))
    theta, summary = summary_of(revealed, tmp_path, problem, [demonstration(0, a, 1, 7) for a in chosen], *how)

    endog = (chosen[:, None] == np.arange(7)).astype(float).ravel()
    exog, groups = np.tile(alternatives, (300, 1)), np.repeat(np.arange(300), 7)
    theirs = ConditionalLogit(endog, exog, groups=groups).fit(method="newton", disp=False)
    assert theta == pytest.approx(theirs.params, **CLOSE)
    assert summary["standard_errors"] == pytest.approx(theirs.bse, **CLOSE)
    assert summary["z_values"] == pytest.approx(theirs.tvalues, **CLOSE)
    assert summary["p_values"] == pytest.approx(theirs.pvalues, rel=1e-4, abs=1e-9)
    assert np.array(summary["intervals"]) == pytest.approx(np.array(theirs.conf_int()), **CLOSE)
    assert np.array(summary["covariance"]) == pytest.approx(theirs.cov_params(), rel=1e-5, abs=1e-10)
    assert summary["log_likelihood"] == pytest.approx(theirs.llf, rel=1e-9)
    assert summary["null_log_likelihood"] == pytest.approx(300 * np.log(1 / 7), rel=1e-9)

    robust = Choices(chosen, alternatives).fit(start_params=theirs.params, method="newton", cov_type="HC0", disp=False)
    assert summary["robust_standard_errors"] == pytest.approx(robust.bse, rel=1e-5)
    # Otherwise the test would say nothing.
    assert np.abs(np.array(summary["robust_standard_errors"]) / summary["standard_errors"] - 1).max() > 0.02


def test_persons_with_a_covariate(revealed, tmp_path):
    """A start for each value of a covariate, with a weight of its own that fits how often it occurs: given the start, choices are
    those of a multinomial logit. The sum of these weights changes nothing, and has no standard error; the rest has."""
    rng = np.random.default_rng(2)
    covariate = np.array([-1.5, -0.4, 0.1, 0.9, 2.0])
    n_starts, n_actions, n = 5, 3, 600
    names = ["const 1", "slope 1", "const 2", "slope 2"] + [f"start {s}" for s in range(n_starts)]
    features = {(s, None): [(4 + s, 1.0)] for s in range(n_starts)}
    for s in range(n_starts):
        features |= {(s, a): [(2 * a - 2, 1.0), (2 * a - 1, covariate[s])] for a in (1, 2)}
    problem = one_step_problem([1 / n_starts] * n_starts, n_actions, features, names)
    start = rng.choice(n_starts, size=n, p=[0.1, 0.3, 0.25, 0.2, 0.15])
    # Curved in the covariate, so that the model is wrong and robust errors differ.
    utility = np.stack([0 * covariate, 0.3 + 0.8 * covariate**2 - covariate, -0.2 + 0.5 * covariate], axis=1)
    chosen = np.array([rng.choice(3, p=np.exp(log_softmax(utility[s]))) for s in start])
    demonstrations = [demonstration(s, a, n_starts, n_actions) for s, a in zip(start, chosen)]
    theta, summary = summary_of(revealed, tmp_path, problem, demonstrations)

    exog = sm.add_constant(covariate[start])
    for cov_type, ours in (("nonrobust", "standard_errors"), ("HC0", "robust_standard_errors")):
        theirs = sm.MNLogit(chosen, exog).fit(method="newton", cov_type=cov_type, disp=False, tol=1e-12)
        assert theta[:4] == pytest.approx(np.asarray(theirs.params).ravel(order="F"), **CLOSE)
        assert summary[ours][:4] == pytest.approx(np.asarray(theirs.bse).ravel(order="F"), **CLOSE)
        assert summary[ours][4:] == [None] * n_starts
    robust, plain = (np.array(summary[name][:4]) for name in ("robust_standard_errors", "standard_errors"))
    assert np.abs(robust / plain - 1).max() > 0.02
    [direction] = summary["unidentified"]
    assert direction["words"] == " + ".join(names[4:])
    assert direction["changes_rewards"] and summary["estimated"] == 8


class ExactChoices(Choices):
    """The same with exact derivatives: differences of the likelihood have five digits only."""

    def score_obs(self, params, **_):
        mean = np.exp(log_softmax(self.alternatives @ params)) @ self.alternatives
        return self.alternatives[self.endog.astype(int)] - mean

    def score(self, params, **_):
        return self.score_obs(params).sum(axis=0)

    def hessian(self, params, **_):
        p = np.exp(log_softmax(self.alternatives @ params))
        mean = p @ self.alternatives
        return len(self.endog) * (np.outer(mean, mean) - (self.alternatives.T * p) @ self.alternatives)


WITH_ENDS = [*MODELS[:2], ["--ends", "goal"], ["--inference", "recursive-logit"]]


@pytest.mark.parametrize("how", WITH_ENDS, ids=["paths", "causal", "goal", "recursive logit"])
def test_clusters(revealed, tmp_path, how):
    """Seven alternatives that lead to the same end, and drivers who prefer some of them."""
    rng = np.random.default_rng(3)
    n_drivers, n_alternatives, n = 25, 7, 400
    alternatives = rng.normal(size=(n_alternatives, 3)) * [1.0, 0.1, 20.0]
    rows = [(0, a, 1 + a, 1.0) for a in range(n_alternatives)] + [(1 + a, 0, 8, 1.0) for a in range(n_alternatives)]
    entries = [(1 + a, k, value) for a, row in enumerate(alternatives.tolist()) for k, value in enumerate(row)]
    problem = {
        "format": "revealed-problem/1", "n_states": 9, "n_actions": n_alternatives, "n_features": 3,
        "start": {"state": [0], "p": [1]}, "terminal": [8],
        "transitions": problems.table(("from", "action", "to", "p"), rows),
        "features": {"state": problems.table(("state", "feature", "value"), entries), "names": ["price", "quality", "distance"]},
    }  # fmt: skip
    driver = rng.integers(n_drivers, size=n)
    shares = rng.dirichlet(np.full(n_alternatives, 2.0), size=n_drivers)
    chosen = np.array([rng.choice(n_alternatives, p=shares[d]) for d in driver])
    trips = [
        {"states": [0, 1 + int(a), 8], "actions": [int(a), 0], "trip": {"driver": f"d{d}"}} for a, d in zip(chosen, driver)
    ]
    theta, summary = summary_of(revealed, tmp_path, problem, trips, *how, "--cluster", "driver")
    clusters = {"groups": driver, "use_correction": False}
    theirs = ExactChoices(chosen, alternatives).fit(start_params=theta, method="newton", cov_type="cluster", cov_kwds=clusters, disp=False)
    assert theta == pytest.approx(theirs.params, **CLOSE)
    # Stata's and R's correction for maximum likelihood.
    expected = theirs.bse * np.sqrt(n_drivers / (n_drivers - 1))
    assert summary["n_clusters"] == n_drivers and summary["cluster"] == "driver" and summary["errors"] == "robust"
    assert summary["robust_standard_errors"] == pytest.approx(expected, rel=1e-5)
    assert summary["z_values"] == pytest.approx(np.array(theta) / expected, rel=1e-5)
    robust = revealed("summary", *(tmp_path / name for name in ("problem.json", "model.json", "demonstrations.jsonl")), "--errors", "robust")
    theirs = ExactChoices(chosen, alternatives).fit(start_params=theta, method="newton", cov_type="HC0", disp=False)
    assert robust["summary"]["robust_standard_errors"] == pytest.approx(theirs.bse, rel=1e-5)
    # Otherwise the test would say nothing.
    assert np.abs(expected / theirs.bse - 1).max() > 0.1
