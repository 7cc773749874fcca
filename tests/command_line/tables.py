"""Problem files against tables P[state][action] = [(probability, next state, reward, done), ...], as Gymnasium has them."""

import json
from collections import defaultdict

import numpy as np

import problems


def read(file):
    """The fields of a problem file by their dotted names."""
    if file.suffix == ".json":
        return problems.flat(json.loads(file.read_text(encoding="utf-8")))
    with np.load(file, allow_pickle=False) as archive:
        return {name: archive[name].tolist() for name in archive.files}


def assert_same(ours, table, start, rewards_of="transitions"):
    """Every state, action, transition, start, end and reward of a problem is the table's.

    A state is terminal if some transition into it is done; what the table has for leaving it is never used. Outcomes
    with the same next state are one transition. Its reward is their mean; with `rewards_of="state-actions"`, only the mean over all
    outcomes of an action is the table's.
    """
    n_states, n_actions = len(table), len(table[0])
    assert (ours["n_states"], ours["n_actions"]) == (n_states, n_actions)

    found = np.zeros(n_states)
    found[ours["start.state"]] = ours["start.p"]
    np.testing.assert_allclose(found, start, rtol=0, atol=1e-15)

    outcomes = [(s, a, *outcome) for s in range(n_states) for a in range(n_actions) for outcome in table[s][a]]
    outcomes = [outcome for outcome in outcomes if outcome[2] > 0.0]
    terminal = {to for _, _, _, to, _, done in outcomes if done}
    assert sorted(ours["terminal"]) == sorted(terminal)
    outcomes = [outcome for outcome in outcomes if outcome[0] not in terminal]

    probability, paid = defaultdict(float), defaultdict(float)
    for s, a, p, to, reward, _ in outcomes:
        probability[s, a, to] += p
        paid[s, a, to] += p * reward
    rows = list(zip(ours["transitions.from"], ours["transitions.action"], ours["transitions.to"]))
    assert sorted(rows) == sorted(probability)
    np.testing.assert_allclose(ours["transitions.p"], [probability[row] for row in rows], rtol=0, atol=1e-15)

    # Done is a matter of the next state, at least for whoever comes from a start.
    reached = reachable(start, rows)
    assert all(done == (to in terminal) for s, _, _, to, _, done in outcomes if s in reached)

    states, ours_paid = rewards(ours, rows)
    assert not states[np.flatnonzero(start)].any(), "nothing is paid for starting"
    expected = np.array([paid[row] / probability[row] for row in rows])
    if rewards_of == "state-actions":
        of_pair = defaultdict(float)
        for (s, a, _), amount in paid.items():
            of_pair[s, a] += amount
        expected = np.array([of_pair[s, a] for s, a, _ in rows])
    np.testing.assert_allclose(ours_paid, expected, rtol=1e-14, atol=1e-15)


def reachable(start, rows):
    children = defaultdict(set)
    for s, _, to in rows:
        children[s].add(to)
    seen, open_states = set(), set(np.flatnonzero(start).tolist())
    while open_states:
        seen |= open_states
        open_states = set().union(*(children[s] for s in open_states)) - seen
    return seen


def rewards(ours, rows):
    """R(s) of each state, and R(s') + R(s, a) + R(s, a, s') of each transition: theta times the features."""
    theta = ours["reward.true"]

    def block(name, *places):
        columns = [ours.get(f"features.{name}.{column}", []) for column in (*places, "feature", "value")]
        sums = defaultdict(float)
        for *place, feature, value in zip(*columns):
            sums[tuple(place)] += theta[feature] * value
        return sums

    by_state, by_pair = block("state", "state"), block("state_action", "state", "action")
    by_row = block("transition", "transition")
    states = np.array([by_state[s,] for s in range(ours["n_states"])])
    return states, np.array([states[to] + by_pair[s, a] + by_row[row,] for row, (s, a, to) in enumerate(rows)])
