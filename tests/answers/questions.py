"""Asks the installed Python package every question on the problems of `collect`, and writes down the exact answers.

An answer is a line of `PART.answers`: the name of the question and its value, with floats in hexadecimal. The questions
are in python_cases.py.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import pickle
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import cases  # noqa: E402
import python_cases as tables  # noqa: E402
import revealed  # noqa: E402
from exact import columns, exact, found, learned, public, text  # noqa: E402


def progress(fit: Callable[[Callable], Any]) -> list[Any]:
    """What a callback is told."""
    told: list[Any] = []
    fit(lambda at: told.append(dataclasses.replace(at, theta=at.theta.copy())))
    return told


def jax_loss(mdp: Any, paths: Any, *, ends: str, transitions: bool) -> Any:
    """The loss of revealed.jax and its gradient, in double precision."""
    import jax

    jax.config.update("jax_enable_x64", True)
    loss = revealed.jax.maxent_loss(mdp, paths, ends=ends, transitions=transitions)
    rewards = [np.linspace(-1.0, 1.0, mdp.n_states), *([np.linspace(0.0, 1.0, mdp.n_transitions)] if transitions else [])]
    value, gradient = jax.value_and_grad(loss, argnums=tuple(range(len(rewards))))(*rewards)
    return [float(value), *(np.asarray(part) for part in gradient)]


class Part:
    """One file of answers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []
        self.known: dict[str, Any] = {"revealed": revealed, "np": np, "pickle": pickle, "text": text, "learned": learned}
        self.known |= {"progress": progress, "saved": self.saved, "picture": self.picture, "jax_loss": jax_loss, "public": public}
        self.at = ""

    def saved(self, save: Callable[[Any], None], name: str) -> str:
        """Writes a file beside the answers: its bytes are compared, too."""
        file = f"{self.name}-{re.sub(r'[^a-z0-9]+', '-', self.at)}-{name}"
        save(file)
        return file

    def picture(self, axes: Any) -> str:
        """Draws a figure as SVG."""
        import matplotlib
        import matplotlib.pyplot as plt

        matplotlib.rcParams["svg.hashsalt"] = "answers"
        matplotlib.rcParams["svg.fonttype"] = "none"
        file = self.saved(lambda name: axes.figure.savefig(name, metadata={"Date": None, "Creator": None}), "figure.svg")
        plt.close("all")
        return file

    def ask(self, table: dict[str, str], prefix: str, known: dict[str, Any]) -> None:
        for name, question in table.items():
            self.at = prefix + name
            self.lines.append(f"{self.at}: {json.dumps(self.answer(question, known), ensure_ascii=False)}\n")
        Path(f"{self.name}.answers").write_text("".join(self.lines))

    def answer(self, question: str, known: dict[str, Any]) -> Any:
        """What comes of a question: a value, what is warned of, or what is raised."""
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                answer = exact(self.evaluate(question, known))
            except Exception as error:
                answer = {"raises": type(error).__name__, "message": str(error)}
        said = sorted({str(one.message) for one in warned if issubclass(one.category, UserWarning)})
        return {"answer": answer, "warnings": said} if said else answer

    def evaluate(self, question: str, known: dict[str, Any]) -> Any:
        names = self.known | known
        try:
            return eval(question, names)
        except (AttributeError, TypeError):
            renamed = question
            for old, new in tables.RENAMED.items():
                renamed = re.sub(rf"\b{old}\b", new, renamed)
            if renamed == question:
                raise
            return eval(renamed, names)


def of_problem(name: str, problems: Path) -> None:
    """The questions to one of the problems of the command line, and to every fit of it."""
    folder = problems / name
    mdp = revealed.Mdp.load(folder / cases.PROBLEMS[name][0])
    demos, finished = revealed.Trajectories.load(folder / "demos.jsonl"), folder / "finished.jsonl"
    finished = revealed.Trajectories.load(finished) if finished.stat().st_size else demos
    longest = max(demos, key=len)
    states = [state for state, _ in longest]
    theta = np.array(json.loads((folder / "theta.json").read_text()))
    known = {
        "mdp": mdp,
        "demos": demos,
        "theta": theta,
        "reward": mdp.reward(theta),
        "weights": np.array(json.loads((folder / "weights.json").read_text())),
        "start": states[0],
        "goal": states[-1],
        "states": states,
        "prefix": [*longest[: len(longest[:3]) - 1], (states[:3][-1], None)],
        "longest": len(states),
        "firsts": [path[0][0] for path in demos],
        "lasts": [path[-1][0] for path in demos],
    }
    part = Part(name)
    part.ask(tables.OF_WORLD, "world ", known)
    part.ask(tables.OF_DEMONSTRATIONS, "demonstrations ", known)
    for ends in ("anywhere", "horizon", "terminal", "goal"):
        part.ask(tables.OF_ENDS, f"ends {ends} ", known | {"ends": ends, "of": finished if ends == "terminal" else demos})
    for fit, settings in cases.FITS.items():
        chosen = {key: len(states) if value == "longest" else value for key, value in settings.items()}
        asked: dict[str, Any] = {}
        known |= {"of": finished if fit in cases.FINISHED_ONLY else demos, "chosen": chosen, "asked": asked}
        part.ask({"fit": "asked.update(irl=revealed.MaxEntIRL(**chosen).fit(mdp, of))"}, f"{fit} ", known)
        if asked:
            part.ask(tables.OF_FIT, f"{fit} ", known | asked)


ROWS = [(0, 0, 1, 1.0), (0, 1, 3, 0.75), (0, 1, 0, 0.25), (1, 0, 2, 1.0), (1, 1, 0, 0.5), (1, 1, 3, 0.5)]


def small(**changed: Any) -> Any:
    """A world of four states, two of them terminal, with something changed."""
    settings = {"transitions": tuple(zip(*ROWS)), "start": {0: 0.75, 1: 0.25}, "terminal": [2, 3]}
    return revealed.Mdp(4, 2, **(settings | changed))


def of_worlds() -> None:
    import gymnasium
    import networkx
    import pandas
    from scipy import sparse

    dense = np.zeros((4, 2, 4))
    for state, action, to, p in ROWS:
        dense[state, action, to] = p
    graph = networkx.DiGraph()
    graph.add_nodes_from([("a", {"shops": 3}), ("b", {"shops": 1}), ("c", {"shops": 0}), ("d", {"shops": 5})])
    graph.add_weighted_edges_from([("a", "b", 1.5), ("b", "c", 2.0), ("a", "c", 4.0), ("b", "a", 1.5), ("c", "d", 0.5)], "length")
    labelled = small(labels=["home", "shop", "work", "park"])
    trips = [
        [("home", 0), ("shop", 0), ("work", None)],
        [("home", 1), ("park", None)],
        [("home", 0), ("shop", 1), ("park", None)],
    ]
    road = revealed.worlds.road_like(150, 320, seed=5)
    known = {
        "gymnasium": gymnasium,
        "pandas": pandas,
        "SPARSE": [sparse.csr_array(dense[:, action]) for action in (0, 1)],
        "TURNED": dense.transpose(1, 2, 0),
        "graph": graph,
        "ROWS": ROWS,
        "DENSE": dense,
        "small": small,
        "labelled": revealed.MaxEntIRL(l2=0.1, ends="terminal").fit(labelled, trips),
        "road": road,
        "road_paths": revealed.MaxEntIRL.from_theta(road, road.true_theta, horizon=30).sample(25, seed=1),
    }
    without_jax = {
        name: question
        for name, question in tables.WORLDS.items()
        if not name.startswith("jax") or importlib.util.find_spec("jax")
    }
    Part("worlds").ask(without_jax, "", known)


def cost(observation: Any, action: Any, _: Any) -> dict[str, float]:
    angle = float(np.arctan2(observation[1], observation[0]))
    return {"angle": angle**2, "speed": float(observation[2]) ** 2, "torque": float(action[0]) ** 2}


def steps(state: int, action: int, after: int) -> list[float]:
    return [float(action == 2), 0.5 * (after // 4)]


def of_rollouts() -> None:
    import gymnasium

    box = gymnasium.spaces.Box(-2.0, 2.0, shape=(1,))
    gaussian = revealed.GaussianPolicy(lambda observation: -4.0 * observation[1], 1.0, space=box)
    nearly_up = {"x_init": 0.5, "y_init": 1.0}
    rollouts = revealed.Rollouts.sample(
        gymnasium.make("Pendulum-v1"), gaussian, cost, 150, horizon=5, reset_options=nearly_up, seed=1
    )
    swings = rollouts.resample([-0.1, -0.1, -0.5], 50)
    lake = gymnasium.make("FrozenLake-v1")
    lake_rollouts = revealed.Rollouts.sample(
        lake, revealed.UniformPolicy(lake.action_space), steps, 60, horizon=8, discount=0.9, seed=3
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        free = revealed.ModelFreeIRL(features=cost, l2=0.1).fit(rollouts, swings)
    known = {
        "gymnasium": gymnasium,
        "box": box,
        "uniform": revealed.UniformPolicy(box),
        "gaussian": gaussian,
        "cost": cost,
        "steps": steps,
        "rng": np.random.default_rng,
        "seen": np.array([0.8, 0.6, 0.1]),
        "rollouts": rollouts,
        "swings": swings,
        "free": free,
        "found": found,
        "columns": columns,
        "pendulum": lambda: gymnasium.make("Pendulum-v1"),
        "lake": lake,
        "lake_paths": lake_rollouts.resample([0.5, -1.0], 40, seed=4),
        "coin": revealed.Rollouts(np.tile([[0.0], [1.0]], (200, 1)), np.zeros(400)),
    }
    Part("model-free").ask(tables.MODEL_FREE, "", known)


def of_pictures() -> None:
    lake = revealed.worlds.frozen_lake("4x4", discount=0.99)
    demos = lake.rollouts(lake.plan().policy, 20, seed=1)
    roads = revealed.worlds.road_like(300, 600)
    known = {
        "lake": lake,
        "demos": demos,
        "irl": revealed.MaxEntIRL(bounds=(-10, 10)).fit(lake, demos),
        "chain": revealed.worlds.n_chain(5),
        "cliff": revealed.worlds.cliff_walking(),
        "taxi": revealed.worlds.taxi(),
        "roads": roads,
        "road_paths": revealed.MaxEntIRL.from_theta(roads, roads.true_theta, horizon=30).sample(10, seed=2),
    }
    Part("pictures").ask(tables.PICTURES, "", known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", help="a problem, or worlds, model-free, pictures")
    parser.add_argument("--problems", type=Path, required=True, help="the folder of the problems that collect made")
    given = parser.parse_args()
    others = {"worlds": of_worlds, "model-free": of_rollouts, "pictures": of_pictures}
    if given.part in others:
        others[given.part]()
    else:
        of_problem(given.part, given.problems)


if __name__ == "__main__":
    main()
