"""Planning against QuantEcon's DiscreteDP, by policy iteration: exact linear solves of its own.

quantecon has no terminal states: here they lead to one more state that pays nothing for ever, or back to themselves.
"""

import numpy as np
import pytest
import scipy.sparse
from problems import KINDS, probabilities, random_problem, save_json, some, table
from quantecon.markov import DiscreteDP

TOLERANCE = 1e-8
DISCOUNTS = (0.0, 0.5, 0.9, 0.99)


def small(seed):
    """Every kind of reward, alone and together."""
    rng = np.random.default_rng(seed)
    kinds = KINDS if seed % 4 == 3 else (KINDS[seed % 4],)
    problem = random_problem(rng, DISCOUNTS[seed // 4 % 4], kinds, with_reference=False, with_terminal=seed % 3 > 0)
    problem["reward"] = {"true": rng.normal(size=problem["n_features"]).tolist()}
    return problem


def large(seed):
    """Two hundred states with a few successors each, and rewards of all kinds."""
    rng = np.random.default_rng(seed)
    n_states, n_actions, n_features = 200, 4, 3
    rows = []
    for state in range(5, n_states):
        for action in some(rng, range(n_actions)):
            outcomes = rng.choice(n_states, 3, replace=False).tolist()
            rows += [(state, action, to, p) for to, p in zip(outcomes, probabilities(rng, 3))]
    pairs = sorted({row[:2] for row in rows})
    return {
        "n_states": n_states, "n_actions": n_actions, "n_features": n_features, "discount": DISCOUNTS[seed % 4],
        "start": {"state": [n_states - 1], "p": [1.0]},
        "terminal": list(range(5)),
        "transitions": table(("from", "action", "to", "p"), rows),
        "features": {
            "state": table(("state", "feature", "value"), [(state, 0, rng.normal()) for state in range(n_states)]),
            "state_action": table(("state", "action", "feature", "value"), [(*pair, 1, rng.normal()) for pair in pairs]),
            "transition": table(("transition", "feature", "value"), [(row, 2, rng.normal()) for row in range(len(rows))]),
        },
        "reward": {"true": rng.normal(size=n_features).tolist()},
    }


def rewards(problem):
    """R_s, R_sa and R_sas' of a problem, the last by row of the transitions."""
    theta, features = problem["reward"]["true"], problem["features"]
    of_state, of_row = np.zeros(problem["n_states"]), np.zeros(len(problem["transitions"]["p"]))
    of_pair = np.zeros((problem["n_states"], problem["n_actions"]))
    for state, feature, value in zip(*features.get("state", {}).values()):
        of_state[state] += theta[feature] * value
    for state, action, feature, value in zip(*features.get("state_action", {}).values()):
        of_pair[state, action] += theta[feature] * value
    for row, feature, value in zip(*features.get("transition", {}).values()):
        of_row[row] += theta[feature] * value
    return of_state, of_pair, of_row


def discrete_dp(problem, keeps_paying, on_arrival, sparse):
    """The problem in state-action pairs, and the reward of each state that is not part of it."""
    n_states, terminal = problem["n_states"], problem["terminal"]
    of_state, of_pair, of_row = rewards(problem)
    transitions = list(zip(*problem["transitions"].values()))
    pairs = sorted({row[:2] for row in transitions if row[0] not in terminal})
    place = {pair: at for at, pair in enumerate(pairs)}
    pairs += [(state, 0) for state in [*terminal, n_states]]
    pays, to_state = np.zeros(len(pairs)), np.zeros((len(pairs), n_states + 1))
    for at, (state, action) in enumerate(pairs[: len(place)]):
        pays[at] = of_pair[state, action] + (0.0 if on_arrival else of_state[state])
    for row, (state, action, to, p) in enumerate(transitions):
        if state not in terminal:
            to_state[place[state, action], to] += p
            pays[place[state, action]] += p * (of_row[row] + (of_state[to] if on_arrival else 0.0))
    for at in range(len(place), len(pairs)):
        state = pairs[at][0]
        to_state[at, state if keeps_paying else n_states] = 1.0
        if state < n_states and (keeps_paying or not on_arrival):
            pays[at] = of_state[state]
    # DiscreteDP wants pairs in the order of their states.
    order = sorted(range(len(pairs)), key=pairs.__getitem__)
    states, actions = np.array(pairs)[order].T
    to_state = scipy.sparse.csr_matrix(to_state[order]) if sparse else to_state[order]
    return DiscreteDP(pays[order], to_state, problem["discount"], states, actions)


def solved(problem, **settings):
    """V*, and what each action of each state is worth; actions that are not offered are missing."""
    model = discrete_dp(problem, **settings)
    # A tie may make policy iteration go round in circles: value iteration then, to well below the tolerance.
    result = model.solve(method="policy_iteration", max_iter=200)
    if result.num_iter >= 200:
        result = model.solve(method="value_iteration", epsilon=1e-12, max_iter=1_000_000)
    worth = model.R + model.beta * (model.Q @ result.v)
    action_values = dict(zip(zip(model.s_indices.tolist(), model.a_indices.tolist()), worth.tolist()))
    return result.v[: problem["n_states"]], action_values


def agrees(revealed, path, problem, keeps_paying, on_arrival, sparse):
    values, action_values = solved(problem, keeps_paying=keeps_paying, on_arrival=on_arrival, sparse=sparse)
    at_terminal, paid = ("keeps-paying" if keeps_paying else "ends"), ("on-arrival" if on_arrival else "in-state")
    found = revealed("plan", save_json(path, problem), "--at-terminal", at_terminal, "--paid", paid)
    np.testing.assert_allclose(found["values"], values, rtol=TOLERANCE, atol=TOLERANCE)
    assert found["error_bound"] < TOLERANCE
    for state, action in enumerate(found["policy"]):
        assert (action is None) == (state in problem["terminal"])
        if action is not None:
            # Several actions may be best: what counts is what they are worth.
            assert abs(action_values[state, action] - values[state]) <= TOLERANCE * max(1.0, abs(values[state]))


@pytest.mark.parametrize("seed", range(88))
def test_small_problems(tmp_path, revealed, seed):
    agrees(revealed, tmp_path / "problem.json", small(seed), seed % 5 == 0, seed % 2 == 1, sparse=seed % 7 == 0)


@pytest.mark.parametrize("seed", range(12))
def test_large_sparse_problems(tmp_path, revealed, seed):
    agrees(revealed, tmp_path / "problem.json", large(seed), seed % 3 == 0, seed % 2 == 1, sparse=True)


def test_the_problems_are_of_many_kinds():
    """Rewards of every kind, all discounts, with and without terminal states: else the tests above say little."""
    problems = [small(seed) for seed in range(88)]
    for kind in KINDS:
        assert sum(len(problem["features"].get(kind, {"value": []})["value"]) > 0 for problem in problems) > 30
    for discount in DISCOUNTS:
        assert sum(problem["discount"] == discount for problem in problems) > 15
    assert 20 < sum(not problem["terminal"] for problem in problems) < 40
    assert sum(len(set(zip(*list(problem["transitions"].values())[:2]))) > problem["n_states"] for problem in problems) > 40
