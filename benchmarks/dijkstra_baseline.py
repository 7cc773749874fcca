"""Shortest paths by SciPy and by rustworkx on the costs of a problem's states, answering queries from stdin.

    echo '{"package": "rustworkx", "pairs": [[3, 9]]}' | python benchmarks/dijkstra_baseline.py problem.npz theta.json

For every line of stdin it searches once for each pair and prints {"seconds", "costs"}, one number per pair. Before the
first line it builds both graphs, and prints {"packages"} with their versions. The cost of a step is the cost of the
state that it enters, -theta' phi. All steps must be deterministic, and all rewards must be rewards of states.

SciPy's search has no goal: it finds the paths to all states, with predecessors, and cannot stop early. rustworkx stops
at the goal and returns only the length.
"""

import argparse
import json
import sys
import time

import numpy as np
import rustworkx
import scipy
import scipy.sparse
from problem import Problem
from scipy.sparse.csgraph import dijkstra


def step_costs(problem, theta):
    others = [problem.integers(f"features.{kind}.feature") for kind in ("state_action", "transition")]
    if any(len(features) for features in others) or (problem.probability != 1).any() or problem.discount != 1:
        raise SystemExit("this needs rewards of states only, deterministic steps and no discount")
    state, feature = (problem.integers("features.state." + name) for name in ("state", "feature"))
    reward = np.bincount(state, problem.numbers("features.state.value") * theta[feature], problem.n_states)
    return -reward[problem.to_state]


class Searches:
    def __init__(self, problem, costs):
        ends = (problem.from_state, problem.to_state)
        self.matrix = scipy.sparse.csr_matrix((costs, ends), (problem.n_states,) * 2)
        self.graph = rustworkx.PyDiGraph()
        self.graph.add_nodes_from(range(problem.n_states))
        self.graph.add_edges_from(list(zip(*(end.tolist() for end in ends), costs.tolist())))

    def scipy(self, start, goal):
        distances, _ = dijkstra(self.matrix, indices=start, return_predecessors=True)
        return float(distances[goal])

    def rustworkx(self, start, goal):
        return 0.0 if start == goal else rustworkx.digraph_dijkstra_shortest_path_lengths(self.graph, start, float, goal)[goal]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("problem", help="npz")
    parser.add_argument("theta", help="JSON array")
    arguments = parser.parse_args()
    problem = Problem(arguments.problem)
    with open(arguments.theta) as file:
        searches = Searches(problem, step_costs(problem, np.array(json.load(file))))
    print(json.dumps({"packages": {"scipy": scipy.__version__, "rustworkx": rustworkx.__version__}}), flush=True)
    for line in sys.stdin:
        query = json.loads(line)
        search = getattr(searches, query["package"])
        seconds, costs = [], []
        for start, goal in query["pairs"]:
            begun = time.perf_counter()
            costs.append(search(start, goal))
            seconds.append(time.perf_counter() - begun)
        print(json.dumps({"seconds": seconds, "costs": costs}), flush=True)


if __name__ == "__main__":
    main()
