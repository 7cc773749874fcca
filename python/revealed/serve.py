"""The process behind `revealed learn --engine`: it places worlds, and answers the questions of a search.

It reads a line with the worlds and settings, and then a question a line. It writes a line for each: the answers of all
parts, or an error. `null` ends it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from .engines.engine import Engine
from .engines.partition import WorldSource, divided
from .inputs.options import path_options


def _engine(given: dict[str, Any]) -> Engine:
    workers = given["workers"]
    if given["engine"] == "ray":
        from .ray import RayEngine

        return RayEngine(given["address"], workers=workers, threads=given["threads"])
    if given["engine"] == "joblib":
        from .engines.with_joblib import JoblibEngine

        return JoblibEngine(workers)
    from .engines.processes import ProcessEngine

    return ProcessEngine(workers)


def _placed(given: dict[str, Any]) -> Engine:
    horizon = given["horizon"]
    if horizon not in (None, "any"):
        horizon = int(horizon)
    settings = {
        "options": path_options(given["ends"], horizon, given["threads"], given["memory"]),
        "inference": given["inference"],
        "bounds": None,
        "l2": 0.0,
        "start": None,
        "tolerance": 1e-8,
        "max_iterations": 0,
        "history": None,
    }
    worlds = [WorldSource(problem, demos) for problem, demos in given["worlds"]]
    engine = _engine(given)
    try:
        engine.place(worlds, divided(worlds, settings, given["groups"]))
    except BaseException:
        engine.close()
        raise
    return engine


def main() -> None:
    """Serves until the end of the input."""
    # What others print must not get between the answers.
    out, sys.stdout = sys.stdout, sys.stderr

    def say(words: dict[str, Any]) -> None:
        print(json.dumps(words), file=out, flush=True)

    engine: Engine | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        if asked is None:
            break
        try:
            if engine is None:
                engine = _placed(asked)
                say({"placed": True})
            else:
                say({"answers": engine.evaluate(line.strip())})
        except Exception as error:
            name = "" if isinstance(error, (ValueError, RuntimeError, OSError)) else f"{type(error).__name__}: "
            say({"error": f"{name}{error}"})
            if engine is None:
                break
    if engine is not None:
        engine.close()


if __name__ == "__main__":
    main()
