"""The files that cases read: problems, demonstrations and tables, valid and invalid. They are the same in every run."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import maps
import numpy as np

Document = dict[str, Any]


# -- Problems ------------------------------------------------------------------------------------------------


def table(columns: str, rows: Any) -> dict[str, list]:
    """Rows as named columns."""
    rows = list(rows)
    return {name: [row[at] for row in rows] for at, name in enumerate(columns.split())}


def fork() -> Document:
    """From state 0 to 1 or 2, or by a die to either or back: every kind of feature, with names."""
    return {
        "format": "revealed-problem/1",
        "n_states": 3,
        "n_actions": 3,
        "n_features": 3,
        "start": {"state": [0], "p": [1.0]},
        "terminal": [1, 2],
        "transitions": table(
            "from action to p", [(0, 0, 1, 1.0), (0, 1, 2, 1.0), (0, 2, 1, 0.25), (0, 2, 2, 0.25), (0, 2, 0, 0.5)]
        ),
        "features": {
            "state": table("state feature value", [(1, 0, 1.0)]),
            "state_action": table("state action feature value", [(0, 2, 1, 1.0)]),
            "transition": table("transition feature value", [(4, 2, 1.0)]),
            "names": ["left", "dice", "back"],
        },
    }


def random(
    seed: int,
    states: int,
    actions: int,
    features: int,
    outcomes: int,
    kinds: str,
    terminal: int,
    discount: float,
    reference: int = 0,
) -> Document:
    """A random problem: some actions are not offered, and rows stand in any order."""
    rng = np.random.default_rng(seed)
    moving = states - terminal
    rows = []
    for state in range(moving):
        for action in [action for action in range(actions) if rng.random() < 0.8] or [0]:
            to = rng.permutation(states)[: rng.integers(1, outcomes + 1)].tolist()
            rows += [(state, action, *outcome) for outcome in zip(to, rng.dirichlet(np.ones(len(to))).tolist())]
    rows = [rows[at] for at in rng.permutation(len(rows))]
    pairs = sorted({row[:2] for row in rows})
    places = {
        "state": [(state,) for state in range(states)],
        "state_action": pairs,
        "transition": [(at,) for at in range(len(rows))],
    }
    columns = {"state": "state", "state_action": "state action", "transition": "transition"}
    document = {
        "format": "revealed-problem/1",
        "n_states": states,
        "n_actions": actions,
        "n_features": features,
        "discount": discount,
        "start": table("state p", enumerate(rng.dirichlet(np.ones(moving)).tolist())),
        "terminal": list(range(moving, states)),
        "transitions": table("from action to p", rows),
        "features": {
            kind: table(
                f"{columns[kind]} feature value",
                [(*place, k, rng.normal()) for place in places[kind] for k in range(features) if rng.random() < 0.7],
            )
            for kind in kinds.split("+")
        },
        "reward": {"true": rng.normal(size=features).tolist()},
    }
    if reference:
        shares = {state: rng.uniform(0.2, 1.0, size=actions) for state in range(moving)}
        offered = {state: [action for s, action in pairs if s == state] for state in range(moving)}
        policy = [(s, a, float(shares[s][a] / shares[s][offered[s]].sum())) for s, a in pairs]
        document["reference"] = table("state action p", policy)
    return document


def streets(rows: int, columns: int) -> Document:
    """A grid of crossings with streets of different slope. The last corner is the goal."""
    rng = np.random.default_rng(rows * columns)
    last = rows * columns - 1
    moves = [(-1, 0), (0, 1), (1, 0), (0, -1)]
    steps = [
        (row * columns + column, action, (row + down) * columns + column + right)
        for row in range(rows)
        for column in range(columns)
        for action, (down, right) in enumerate(moves)
        if 0 <= row + down < rows and 0 <= column + right < columns and row * columns + column != last
    ]
    steep = rng.uniform(0.0, 2.0, size=len(steps)).tolist()
    return {
        "format": "revealed-problem/1",
        "n_states": last + 1,
        "n_actions": 4,
        "n_features": 3,
        "start": {"state": list(range(last)), "p": [1.0 / last] * last},
        "terminal": [last],
        "transitions": table("from action to p", [(*step, 1.0) for step in steps]),
        "features": {
            "state": table("state feature value", [(state, 0, 1.0) for state in range(last + 1)]),
            "state_action": table(
                "state action feature value", [(state, 0, 2, 1.0) for state, action, _ in steps if action == 0]
            ),
            "transition": table("transition feature value", [(at, 1, value) for at, value in enumerate(steep)]),
            "names": ["crossing", "slope", "north"],
        },
        "reward": {"true": [-1.2, -0.7, -0.4]},
        "layout": {"grid": [rows, columns]},
    }


def made(line: str) -> Document:
    """The problem of a line such as `random seed=1 states=7`."""
    name, *settings = line.split()
    return globals()[name](**{key: number(value) for key, value in (setting.split("=") for setting in settings)})


def number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return float(text) if text[0].isdigit() else text


def flat(document: Document, prefix: str = "") -> dict[str, Any]:
    """The fields of a document under their dotted names, as an archive has them."""
    fields = {}
    for name, value in document.items():
        fields.update(flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value})
    return fields


def save(path: Path, document: Any) -> Path:
    """Writes a .json document, or the same as an archive."""
    if path.suffix == ".npz":
        np.savez(path, **{name: np.array(value) for name, value in flat(document).items()})
    else:
        path.write_text(json.dumps(document))
    return path


def sizes(path: Path) -> tuple[int, int, list[int]]:
    """The numbers of states and features of a problem file, and its terminal states."""
    fields = np.load(path) if path.suffix == ".npz" else json.loads(path.read_text())
    return int(fields["n_states"]), int(fields["n_features"]), [int(state) for state in fields["terminal"]]


def lines(path: Path) -> list[Document]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def save_lines(path: Path, rows: list[Document]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def broken(document: Document, place: str, value: Any) -> Document:
    """A copy with something else in a place such as `transitions/p/0`; None takes it out."""
    document = copy.deepcopy(document)
    *way, last = (int(part) if part.isdigit() else part for part in place.split("/"))
    inner: Any = document
    for part in way:
        inner = inner[part]
    if value is None and isinstance(inner, dict):
        del inner[last]
    else:
        inner[last] = value
    return document


# -- Beside a problem ----------------------------------------------------------------------------------------


def beside(folder: Path, problem: Path, demos: Path) -> dict[str, Any]:
    """Writes the files that questions to a problem need. Returns the values for the names in their commands."""
    n_states, n_features, terminal = sizes(problem)
    paths = lines(demos)
    rng = np.random.default_rng(n_states)
    save_lines(folder / "finished.jsonl", [path for path in paths if path["states"][-1] in terminal])
    save(folder / "theta.json", rng.normal(scale=0.3, size=n_features).tolist())
    save(folder / "weights.json", (0.1 + np.bincount([path["states"][0] for path in paths], minlength=n_states)).tolist())
    save(folder / "prior.json", (0.1 + np.bincount([path["states"][-1] for path in paths], minlength=n_states)).tolist())
    save(folder / "bounds.json", [[-1.0, None] if k % 2 else [None, 0.5] for k in range(n_features)])
    pairs = [(path["states"][0], path["states"][-1]) for path in paths] + [(n_states - 1, 0), (0, 0)]
    save_lines(folder / "pairs.jsonl", [{"from": start, "to": goal} for start, goal in pairs])
    rows = [f"{start},{goal},trip {at}\n" for at, (start, goal) in enumerate(pairs)]
    (folder / "pairs.csv").write_text("from,to,id\n" + "".join(rows))
    longest = max(paths, key=lambda path: len(path["states"]))
    states, actions = longest["states"], longest["actions"]
    steps = [f"{states[0]}\n", *(f"{action} {state}\n" for action, state in zip(actions, states[1:]))]
    (folder / "steps.txt").write_text("".join([*steps[:2], "nonsense\n", *steps[2:]]))
    (folder / "rest.txt").write_text("".join(steps[3:]))
    begun = [states[0], *(part for step in zip(actions[:2], states[1:3]) for part in step)]
    return {
        "start": states[0],
        "goal": states[-1],
        "prefix": ",".join(map(str, begun)),
        "longest": len(states),
        "longer": len(states) + 5,
        "pairs": "pairs",
        **{name: f"{name}.json" for name in ("theta", "weights", "prior", "bounds")},
        "finished": "finished.jsonl",
        "steps": "steps.txt",
        "rest": "rest.txt",
    }


def with_weights(demos: Path) -> None:
    """Gives the demonstrations of a file weights and names."""
    rows = [{**path, "weight": 0.5 + at % 4, "id": f"walk {at}"} for at, path in enumerate(lines(demos))]
    save_lines(demos, rows)


# -- Broken files --------------------------------------------------------------------------------------------


def sound(folder: Path) -> None:
    """Writes the input files of the commands that must fail."""
    save(folder / "problem.json", fork())
    (folder / "demos.jsonl").write_text(
        '{"states": [0, 1], "actions": [0]}\n{"states": [0, 0, 2], "actions": [2, 1], "id": "second"}\n'
    )
    save(folder / "theta.json", [0.5, -1.0, 0.25])
    save(folder / "huge.json", [1e308, 1e308, 1e308])
    save(folder / "few.json", [1.0, 2.0])
    save(folder / "nobody.json", [0.0, 0.0, 0.0])
    save(folder / "other.json", random(9, 4, 2, 3, 2, "state", 1, 0.9))
    (folder / "other.jsonl").write_text('{"states": [3], "actions": []}\n{"states": [0, 9], "actions": [0]}\n')
    save(folder / "broken.json", broken(broken(fork(), "start/p/0", 0.5), "transitions/p/0", 2.0))
    (folder / "broken.jsonl").write_text('{"states": [0')
    cycle = broken(broken(fork(), "transitions/p", [1.0, 1.0, 0.0, 0.0, 1.0]), "reward", {"true": [0.0, 1.0, 1.0]})
    save(folder / "cycle.json", cycle)
    save_lines(folder / "features.jsonl", [{"features": [1, 0, 2], "weight": 3}, {"features": [0, 1, 1]}])
    samples = [{"features": [at % 2, at % 3, at % 5], "log_policy": -1.0 - at % 4, "length": 2} for at in range(60)]
    save_lines(folder / "samples.jsonl", samples)
    (folder / "pairs.csv").write_text("from,to\n0,1\n0,2\n")
    (folder / "pairs.txt").write_text("0 1\n")
    (folder / "out-of-range.csv").write_text("from,to\n0,1\n0,7\n")
    (folder / "no-columns.csv").write_text("origin,to\n0,1\n")
    (folder / "broken.steps").write_text("0\nnonsense\n2 9\n2 0\n0 1\n0 1\n")
    (folder / "file").write_text("mine")
    (folder / "folder").mkdir()
    maps.broken(folder)


NOISE = np.random.default_rng(7).bytes(4096)

# How an input file is made unreadable. Each function takes the path and the bytes of a valid file.
WAYS_TO_BREAK = {
    "missing": lambda path, sound: None,
    "empty": lambda path, sound: path.write_bytes(b""),
    "noise": lambda path, sound: path.write_bytes(NOISE),
    "cut": lambda path, sound: path.write_bytes(sound[: len(sound) * 2 // 3]),
    "folder": lambda path, sound: path.mkdir(),
}


# -- Long work to interrupt ----------------------------------------------------------------------------------


def long_work(folder: Path, trips: Path) -> None:
    """Inputs that take much longer than INTERRUPT: a large map, many trips, a large network, many pairs."""
    node = b'<node id="1" lat="41.1" lon="-8.6"/>\n' * 100_000
    (folder / "country.osm.gz").write_bytes(gzip.compress(b'<osm version="0.6">') + gzip.compress(node) * 2000)
    header, *rows = trips.read_text().splitlines()
    copies = (f'"{at}-{row[1:] if row[0] == chr(34) else row}' for at in range(150) for row in rows)
    (folder / "many.csv").write_text("\n".join([header, *copies]) + "\n")
    save(folder / "wide.npz", streets(160, 160))
    save(folder / "town.npz", streets(60, 60))
    save(folder / "town.json", {"theta": [-1.2, -0.7, -0.4], "horizon": 900, "ends": "anywhere"})
    pairs = (f"{at * 7919 % 3600},{at * 104729 % 3600}\n" for at in range(400_000))
    (folder / "many-pairs.csv").write_text("from,to\n" + "".join(pairs))
