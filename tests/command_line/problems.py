"""Small random problems with demonstrations, and their files written by Python alone."""

import json

import numpy as np

KINDS = ("state", "state_action", "transition")
ENDS = ("anywhere", "horizon", "terminal", "goal")


def random_problem(rng, discount, kinds, with_reference, with_terminal):
    """A problem document. Some actions are not offered, some states may be unreachable, some rows and some actions of
    the reference policy have probability 0, and rows stand in any order."""
    n_states, n_actions, n_features = (int(rng.integers(low, high)) for low, high in ((2, 6), (1, 4), (1, 5)))
    terminal = [n_states - 1] if with_terminal else []
    rows = []
    for state in range(n_states):
        for action in some(rng, range(n_actions)):
            outcomes = [state] if state in terminal else some(rng, range(n_states))[:3]
            rows += [(state, action, to, p) for to, p in zip(outcomes, probabilities(rng, len(outcomes)))]
    rows = [rows[row] for row in rng.permutation(len(rows))]
    pairs = sorted({row[:2] for row in rows})
    starts = some(rng, range(n_states))
    document = {
        "format": "revealed-problem/1",
        "n_states": n_states,
        "n_actions": n_actions,
        "n_features": n_features,
        "discount": discount,
        "start": table(("state", "p"), zip(starts, probabilities(rng, len(starts)))),
        "terminal": terminal,
        "transitions": table(("from", "action", "to", "p"), rows),
        "features": {"names": [f"feature {k}" for k in range(n_features)]},
    }
    places = {
        ("state",): [(state,) for state in range(n_states)],
        ("state", "action"): pairs,
        ("transition",): [(row,) for row in range(len(rows))],
    }
    for columns, rows_of_kind in places.items():
        if "_".join(columns) in kinds:
            entries = [(*place, k, rng.normal()) for place in rows_of_kind for k in range(n_features) if rng.random() < 0.7]
            document["features"]["_".join(columns)] = table((*columns, "feature", "value"), entries)
    if with_reference:
        policy = []
        for state in range(n_states):
            actions = [action for s, action in pairs if s == state]
            policy += [(state, action, p) for action, p in zip(actions, probabilities(rng, len(actions)))]
        document["reference"] = table(("state", "action", "p"), policy)
    return document


def some(rng, items):
    """At least one of them, in any order."""
    return rng.permutation(list(items))[: rng.integers(1, len(items) + 1)].tolist()


def probabilities(rng, n):
    """Sum to 1; one of them may be 0."""
    weights = rng.uniform(0.1, 1.0, n)
    if n > 1 and rng.random() < 0.3:
        weights[rng.integers(n)] = 0.0
    return (weights / weights.sum()).tolist()


def table(columns, rows):
    rows = list(rows)
    return {name: [row[place] for row in rows] for place, name in enumerate(columns)}


def random_demonstrations(rng, problem, ends, horizon, most=6, trials=400):
    """Random walks that belong to the path set; none if the problem has no such path, or hardly any."""
    steps = possible_steps(problem)
    starts = [state for state, p in zip(problem["start"]["state"], problem["start"]["p"]) if p > 0.0]
    demonstrations = []
    for _ in range(trials):
        states, actions = [int(rng.choice(starts))], []
        length = horizon if ends in ("horizon", "terminal") else int(rng.integers(1, horizon + 1))
        while len(states) < length and states[-1] not in problem["terminal"]:
            action, to = rng.choice(steps[states[-1]]).tolist()
            states.append(to)
            actions.append(action)
        if ends == "terminal" and states[-1] not in problem["terminal"]:
            continue
        demonstrations.append({"states": states, "actions": actions, "weight": rng.uniform(0.5, 2.0)})
        if len(demonstrations) == most:
            break
    return demonstrations


def possible_steps(problem):
    """For each state the (action, next state) of positive probability, under the reference policy too."""
    reference = problem.get("reference", {"state": [], "action": [], "p": []})
    avoided = {(s, a) for s, a, p in zip(reference["state"], reference["action"], reference["p"]) if p == 0.0}
    steps = {}
    for state, action, to, p in zip(*problem["transitions"].values()):
        if p > 0.0 and (state, action) not in avoided:
            steps.setdefault(state, []).append((action, to))
    return steps


def save_json(path, document):
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def save_lines(path, demonstrations):
    path.write_text("".join(json.dumps(one) + "\n" for one in demonstrations), encoding="utf-8")
    return path


def flat(document, prefix=""):
    """The fields of a document under their dotted names."""
    fields = {}
    for name, value in document.items():
        fields.update(flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value})
    return fields


def demonstration_arrays(demonstrations):
    """The arrays of a demonstration archive."""
    return {
        "offsets": np.cumsum([0] + [len(one["states"]) for one in demonstrations]),
        "states": np.concatenate([one["states"] for one in demonstrations]),
        "actions": np.concatenate([[*one["actions"], -1] for one in demonstrations]),
        "weights": np.array([one.get("weight", 1.0) for one in demonstrations]),
    }
