"""Moves matched paths to another network of the same map: moved_trips.py ROADS PATHS OTHER_ROADS OTHER_PATHS.

A path is moved along the same segments. One with a segment or a turn that the other network lacks is left out.
"""

import json
import sys

import numpy as np


def segments(roads):
    """The ids of the ends and of the way of each segment."""
    ends = (roads["roads.node.id"][roads[f"roads.segment.{end}"]] for end in ("from", "to"))
    return list(zip(*ends, roads["roads.way.id"][roads["roads.segment.way"]], strict=True))


def main(here, paths, there, moved):
    here, there = np.load(here), np.load(there)
    places = {segment: state for state, segment in enumerate(segments(there))}
    place = [places.get(segment) for segment in segments(here)]
    turns = zip(*(there[f"transitions.{part}"].tolist() for part in ("from", "to", "action")), strict=True)
    action = {(state, to): action for state, to, action in turns}
    with open(paths) as lines, open(moved, "w") as file:
        for path in map(json.loads, lines):
            states = [place[state] for state in path["states"]]
            actions = [action.get(pair) for pair in zip(states, states[1:])]
            if None not in states and None not in actions:
                file.write(json.dumps({**path, "states": states, "actions": actions}) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
