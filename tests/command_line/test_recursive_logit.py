"""`learn --inference recursive-logit` against a dense inverse and SciPy's optimiser."""

import json

import numpy as np
import pytest
import scipy.optimize


def world(rng, n):
    """A problem with features of states and of transitions, a ring with shortcuts, and trips drawn from a reward, from anywhere to anywhere."""
    steps = [(s, 0, (s + 1) % n) for s in range(n)] + [(s, 1, int(rng.integers(n))) for s in range(n)]
    state, turn = rng.uniform(0.5, 1.5, (n, 2)), rng.uniform(0, 1, len(steps))
    problem = {
        "format": "revealed-problem/1", "n_states": n, "n_actions": 2, "n_features": 3, "discount": 1,
        "start": {"state": list(range(n)), "p": [1 / n] * n}, "terminal": [],
        "transitions": {"from": [s for s, _, _ in steps], "action": [a for _, a, _ in steps], "to": [t for _, _, t in steps], "p": [1] * len(steps)},
        "features": {
            "state": {"state": [s for s in range(n) for _ in range(2)], "feature": [0, 1] * n, "value": state.ravel().tolist()},
            "transition": {"transition": list(range(len(steps))), "feature": [2] * len(steps), "value": turn.tolist()},
        },
    }
    return problem, steps, state, turn


def inverse(theta, steps, state, turn):
    n = len(state)
    weights = np.zeros((n, n))
    for (s, _, t), value in zip(steps, turn):
        weights[s, t] += np.exp(theta[2] * value + state[t] @ theta[:2])
    if max(abs(np.linalg.eigvals(weights))) >= 1:
        return None
    return np.linalg.inv(np.eye(n) - weights)


def walk(rng, theta, steps, state, turn, start, goal):
    """A path of any length from the recursive logit itself."""
    n, sums = len(state), inverse(theta, steps, state, turn)
    states, actions = [start], []
    while True:
        here = states[-1]
        options = [(a, t, np.exp(theta[2] * value + state[t] @ theta[:2]) * sums[t, goal]) for (s, a, t), value in zip(steps, turn) if s == here]
        weights = np.array([weight for _, _, weight in options] + [1.0 if here == goal else 0.0])
        choice = rng.choice(len(weights), p=weights / weights.sum())
        if choice == len(options):
            return {"states": states, "actions": actions}
        states.append(int(options[choice][1]))
        actions.append(int(options[choice][0]))
        assert len(states) < 100 * n


@pytest.mark.parametrize("seed", range(3))
def test_theta_and_likelihood_are_those_of_a_dense_inverse(revealed, tmp_path, seed):
    rng = np.random.default_rng(seed)
    problem, steps, state, turn = world(rng, 12)
    truth = np.array([-0.9, -0.5, 0.7])
    trips = [walk(rng, truth, steps, state, turn, *map(int, rng.integers(12, size=2))) for _ in range(300)]
    (tmp_path / "world.json").write_text(json.dumps(problem))
    (tmp_path / "trips.jsonl").write_text("".join(json.dumps(trip) + "\n" for trip in trips))
    model = revealed("learn", tmp_path / "world.json", tmp_path / "trips.jsonl", "-o", tmp_path / "model.json", "--inference", "recursive-logit")
    # Whoever asks the model later hears the same.
    likelihood = revealed("likelihood", tmp_path / "world.json", tmp_path / "trips.jsonl", "--model", tmp_path / "model.json")
    score = revealed("score", tmp_path / "world.json", tmp_path / "model.json", tmp_path / "trips.jsonl")
    assert [likelihood["log_likelihood"], score["log_likelihood"]] == pytest.approx([model["log_likelihood"]] * 2, abs=1e-9)
    assert likelihood["horizon"] == "any" and score["horizon"] == "any"

    value_of = {(s, a): value for (s, a, _), value in zip(steps, turn)}

    def minus(theta):
        sums = inverse(theta, steps, state, turn)
        if sums is None:
            return np.inf
        total = 0.0
        for trip in trips:
            s = trip["states"]
            total += sum(state[t] @ theta[:2] for t in s[1:]) + theta[2] * sum(value_of[pair] for pair in zip(s, trip["actions"]))
            total -= np.log(sums[s[0], s[-1]])
        return -total / len(trips)

    assert model["converged"] and model["ends"] == "goal"
    assert model["log_likelihood"] == pytest.approx(-minus(np.array(model["theta"])), abs=1e-10)
    best = scipy.optimize.minimize(minus, truth, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 4000})
    np.testing.assert_allclose(model["theta"], best.x, atol=2e-4)
    # Standard errors are those of the numerical Hessian; at theta = 0 loops cost nothing, and there is no null model.
    summary = revealed("summary", tmp_path / "world.json", tmp_path / "model.json", tmp_path / "trips.jsonl")["summary"]
    there, step = np.array(model["theta"]), 1e-3 * np.eye(3)
    bend = [[minus(there + a + b) - minus(there + a - b) - minus(there - a + b) + minus(there - a - b) for a in step] for b in step]
    covariance = np.linalg.inv(len(trips) * np.array(bend) / (4 * 1e-3**2))
    np.testing.assert_allclose(summary["standard_errors"], np.sqrt(np.diag(covariance)), rtol=1e-4)
    assert summary["null_log_likelihood"] is None and summary["rho_squared"] is None
    # Robust and clustered ones are those of numerical scores.
    sums = [inverse(there + sign * one, steps, state, turn) for one in step for sign in (1, -1)]
    observed = np.array([[*state[trip["states"][1:]].sum(axis=0), sum(value_of[pair] for pair in zip(trip["states"], trip["actions"]))] for trip in trips])
    ends = [(trip["states"][0], trip["states"][-1]) for trip in trips]
    slopes = [[np.log(up[pair] / down[pair]) / 2e-3 for up, down in zip(sums[::2], sums[1::2])] for pair in ends]
    scores = observed - np.array(slopes)
    bread = np.linalg.inv(np.array(bend) / (4 * 1e-3**2)) / len(trips)
    clusters = sorted(set(ends))
    summed = np.array([scores[[pair == other for other in ends]].sum(axis=0) for pair in clusters])
    for how, rows, factor in (("--errors", scores, 1.0), ("--cluster", summed, len(clusters) / (len(clusters) - 1))):
        value = "robust" if how == "--errors" else "origin-destination"
        files = tmp_path / "world.json", tmp_path / "model.json", tmp_path / "trips.jsonl"
        found = revealed("summary", *files, how, value)["summary"]["robust_covariance"]
        expected = factor * bread @ rows.T @ rows @ bread
        scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
        np.testing.assert_allclose(found / scale, expected / scale, atol=1e-4)
    # Three hundred trips tell the truth to about a tenth.
    np.testing.assert_allclose(model["theta"], truth, atol=0.6)


def test_what_it_cannot_do_is_said(revealed, tmp_path):
    rng = np.random.default_rng(0)
    problem, *_ = world(rng, 6)
    (tmp_path / "world.json").write_text(json.dumps(problem))
    (tmp_path / "trips.jsonl").write_text('{"states": [0, 1, 2], "actions": [0, 0]}\n')
    learn = ["learn", tmp_path / "world.json", tmp_path / "trips.jsonl", "-o", tmp_path / "model.json", "--inference", "recursive-logit"]
    assert "goal" in revealed.refuses(*learn, "--ends", "anywhere")
    (tmp_path / "world.json").write_text(json.dumps(problem | {"discount": 0.9}))
    assert "discount of 0.9 paths of any length cannot be summed" in revealed.refuses(*learn)
