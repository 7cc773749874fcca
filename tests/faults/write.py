"""Writes a file by the Python package: `write.py WHAT FILE`. The faults of `inject.py` are injected into it."""

from __future__ import annotations

import sys

import numpy as np
import revealed


def main() -> int:
    what, file = sys.argv[1:]
    mdp = revealed.worlds.frozen_lake("4x4", discount=0.9)
    paths = mdp.rollouts(mdp.plan(temperature=1.0).policy, 5, max_states=9, seed=1)
    try:
        if what == "mdp":
            mdp.save(file)
        elif what == "paths":
            paths.save(file)
        elif what == "model":
            revealed.MaxEntIRL.from_theta(mdp, np.zeros(mdp.n_features), horizon=5).save(file)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
