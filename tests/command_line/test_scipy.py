"""Likelihoods against independent implementations, and the optimum against SciPy's L-BFGS-B."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

import dense
import enumeration
import problems

DISCOUNTS = (0.0, 0.5, 0.9, 1.0)
MIXTURES = [kinds for n in (1, 2, 3) for kinds in itertools.combinations(problems.KINDS, n)]


def random_case(seed, ends, discount, kinds, with_reference, longest):
    """A problem that has paths of this sort, and some of them as demonstrations."""
    rng = np.random.default_rng(seed)
    while True:
        with_terminal = ends == "terminal" or rng.random() < 0.5
        problem = problems.random_problem(rng, discount, kinds, with_reference, with_terminal)
        horizon = int(rng.integers(1, longest + 1))
        if demonstrations := problems.random_demonstrations(rng, problem, ends, horizon):
            return rng, problem, demonstrations, horizon


def compare(revealed, folder, problem, demonstrations, theta, ends, horizon, oracle, tolerance):
    """Errors are relative to log Z, of which log-likelihoods are differences; gradients to 1."""
    answer = revealed(
        "likelihood",
        problems.save_json(folder / "problem.json", problem),
        problems.save_lines(folder / "demonstrations.jsonl", demonstrations),
        "--theta", problems.save_json(folder / "theta.json", list(theta)),
        "--ends", ends, "--horizon", horizon,
    )  # fmt: skip
    log_z, log_likelihood, gradient = oracle.likelihood(problem, demonstrations, theta, ends, horizon)
    assert answer["horizon"] == horizon and answer["ends"] == ends
    assert ("log_partition" in answer) == (ends != "goal")
    size = max(1.0, *(abs(float(value)) for value in (log_z or 0.0, log_likelihood)))
    if log_z is not None:
        assert abs(answer["log_partition"] - log_z) <= tolerance * size
    assert abs(answer["log_likelihood"] - log_likelihood) <= tolerance * size
    assert len(answer["gradient"]) == len(gradient)
    for found, expected in zip(answer["gradient"], gradient):
        assert abs(found - expected) <= tolerance * max(1.0, abs(float(expected)))


@pytest.mark.parametrize("discount", DISCOUNTS)
@pytest.mark.parametrize("ends", problems.ENDS)
def test_likelihood_and_gradient_equal_a_dense_implementation(revealed, tmp_path, ends, discount):
    cases = itertools.product(MIXTURES, (False, True))
    for seed, (kinds, with_reference) in enumerate(cases):
        rng, problem, demonstrations, horizon = random_case(seed, ends, discount, kinds, with_reference, longest=8)
        theta = rng.normal(scale=2.0, size=problem["n_features"])
        compare(revealed, tmp_path, problem, demonstrations, theta, ends, horizon, dense, 1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e5])
@pytest.mark.parametrize("discount", DISCOUNTS)
@pytest.mark.parametrize("ends", problems.ENDS)
def test_likelihood_and_gradient_equal_enumeration_at_50_digits(revealed, tmp_path, ends, discount, scale):
    for seed, (with_reference, ties) in enumerate(itertools.product((False, True), repeat=2)):
        case = random_case(seed, ends, discount, problems.KINDS, with_reference, longest=4)
        rng, problem, demonstrations, horizon = case
        theta = scale * rng.normal(size=problem["n_features"])
        if ties:
            # Without ties the best path has probability 1 at the larger scales, and the gradient is easy.
            theta = np.full(problem["n_features"], scale)
            for kind in problems.KINDS:
                problem["features"][kind]["value"] = np.round(problem["features"][kind]["value"]).tolist()
        compare(revealed, tmp_path, problem, demonstrations, theta, ends, horizon, enumeration, 1e-9)


BOUND = 10.0
# Past steps to remember, as many as `revealed learn` does: with its own default of 10, SciPy takes far longer.
MEMORY = 30


def test_scipy_finds_the_same_optimum(revealed, tmp_path, capsys):
    """FrozenLake 4x4 from 50 demonstrations."""
    demo = revealed("demo", "--out", tmp_path / "demo", "-n", 50)
    files = demo["problem"], demo["demonstrations"]
    ours = revealed("learn", *files, "-o", tmp_path / "model.json", "--bounds", f"{-BOUND},{BOUND}")
    assert ours["converged"] and ours["n_demonstrations"] == 50
    theta = np.array(ours["theta"])
    assert np.abs(theta).max() <= BOUND

    theta_file = tmp_path / "theta.json"
    gradients = []

    def negative_log_likelihood(x):
        answer = revealed("likelihood", *files, "--theta", problems.save_json(theta_file, x.tolist()))
        gradient = -np.array(answer["gradient"])
        gradients.append(largest_free(x, gradient))
        return -answer["log_likelihood"], gradient

    value, gradient = negative_log_likelihood(theta)
    our_gradient = largest_free(theta, gradient)
    assert our_gradient < 1e-6
    assert ours["gradient_norm"] == pytest.approx(our_gradient, abs=1e-9)
    assert ours["log_likelihood"] == pytest.approx(-value, abs=1e-10)

    gradients.clear()
    theirs = minimize(
        negative_log_likelihood,
        np.zeros_like(theta),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-BOUND, BOUND)] * len(theta),
        options={"ftol": 0.0, "gtol": 1e-10, "maxcor": MEMORY, "maxiter": 5000, "maxfun": 5000},
    )
    apart = np.abs(theirs.x - theta).max()
    # SciPy polishes until rounding stops it; the fair count is the one up to the gradient that was asked of us.
    enough = 1 + next(n for n, norm in enumerate(gradients) if norm < 1e-6)
    with capsys.disabled():
        print(
            f"\nFrozenLake 4x4, 50 demonstrations: log-likelihood {ours['log_likelihood']:.10f}, SciPy {-theirs.fun:.10f}; "
            f"theta {apart:.1e} apart; largest free gradient {our_gradient:.1e}, SciPy {min(gradients):.1e}; "
            f"evaluations {ours['evaluations']}, SciPy {theirs.nfev} ({enough} to 1e-6); {1e3 * ours['seconds']:.1f} ms"
        )
    assert -theirs.fun == pytest.approx(ours["log_likelihood"], abs=1e-6)
    assert apart < 1e-6  # one indicator per state: every weight is identified
    assert 2 * enough >= ours["evaluations"]


def largest_free(theta, gradient):
    """The largest component of a gradient to descend that no bound holds back."""
    return np.abs(theta - np.clip(theta - gradient, -BOUND, BOUND)).max()
