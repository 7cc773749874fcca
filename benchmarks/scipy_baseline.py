"""One gradient of the exact model in SciPy: forward-backward on a CSR matrix, rescaled step by step.

It is the fastest version that we could write. Parallel transitions are summed into one S x S matrix; the reward is
multiplied into it if it does not change with time; the transpose is computed once; the products add to preallocated
arrays (`csr_matvec`, without the copies of `@`); and nothing is allocated in the loops. Paths may end anywhere. It uses
one thread, because SciPy's sparse products are single-threaded.

    python benchmarks/scipy_baseline.py problem.npz theta.json --horizon 400

prints {"log_partition", "expected_features", "seconds": [...], "states", "transitions", "horizon"}. The seconds are the
time of an evaluation at a new theta, without loading the file.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import json
import time

import numpy as np
import scipy.sparse
from problem import Problem
from scipy.sparse._sparsetools import csr_matvec

# A step is rescaled when its largest number leaves this range, which is far inside the range of a double.
LARGEST = 2.0**200


class Matrix:
    """A CSR matrix with a fixed pattern and changing values; transitions with the same ends are one entry."""

    def __init__(self, row, column, n_states):
        self.n_states = n_states
        order = np.lexsort((column, row))
        row, column = row[order], column[order]
        new = np.ones(len(row), dtype=bool)
        new[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
        self.entry_of = np.empty(len(row), dtype=np.int64)
        self.entry_of[order] = np.cumsum(new) - 1
        self.row = row[new]
        self.column = column[new].astype(np.int32)
        self.offsets = np.searchsorted(self.row, np.arange(n_states + 1)).astype(np.int32)
        self.values = np.zeros(len(self.row))

    def set(self, of_transition):
        self.values[:] = np.bincount(self.entry_of, of_transition, len(self.values))

    def add_product(self, x, y):
        """y += M x."""
        csr_matvec(self.n_states, self.n_states, self.offsets, self.column, self.values, x, y)


class ForwardBackward:
    """log Z and E[phi] for any theta; memory is allocated once."""

    def __init__(self, problem, horizon, budget):
        self.problem, self.horizon, self.gamma = problem, horizon, problem.discount
        self.base = problem.probability * problem.reference_policy()
        self.children = Matrix(problem.from_state, problem.to_state, problem.n_states)
        self.parents = Matrix(problem.to_state, problem.from_state, problem.n_states)
        self._read_features()
        # All backward messages, or checkpoints and the messages of one segment between two checkpoints.
        everything = horizon * problem.n_states * 8
        self.segment = horizon if everything <= budget else int(np.ceil(np.sqrt(horizon)))
        n_segments = -(-horizon // self.segment)
        self.messages = np.empty((self.segment, problem.n_states))
        self.checkpoints = np.empty((n_segments, problem.n_states))
        self.scale = np.zeros(horizon + 2)  # log of the factor by which beta_t was divided
        self.weight, self.v, self.following, self.visits, self.occupancy = np.zeros((5, problem.n_states))
        self.occupancy_of_transition = np.zeros(len(problem.row))

    def _read_features(self):
        problem = self.problem
        shape = (problem.n_features, problem.n_states)
        value, feature = problem.numbers("features.state.value"), problem.integers("features.state.feature")
        self.of_state = scipy.sparse.csr_matrix((value, (feature, problem.integers("features.state.state"))), shape)
        self.of_transition = self._features_of_transitions()
        self.on_states_only = self.of_transition.nnz == 0

    def _features_of_transitions(self):
        """phi_sa and phi_sas', one column per transition."""
        problem = self.problem
        n_transitions = len(problem.row)
        place = np.full(len(problem.fields["transitions.from"]), -1)
        place[problem.row] = np.arange(n_transitions)
        transition = place[problem.integers("features.transition.transition")]
        kept = transition >= 0
        parts = [(problem.numbers("features.transition.value")[kept],
                  problem.integers("features.transition.feature")[kept], transition[kept])]
        pair = problem.integers("features.state_action.state") * problem.n_actions
        pair += problem.integers("features.state_action.action")
        n_pairs = problem.n_states * problem.n_actions
        of_pair = scipy.sparse.csr_matrix(
            (problem.numbers("features.state_action.value"), (problem.integers("features.state_action.feature"), pair)),
            (problem.n_features, n_pairs)).tocsc()
        spread = of_pair[:, problem.from_state * problem.n_actions + problem.action].tocoo()
        parts.append((spread.data, spread.row, spread.col))
        value, feature, column = (np.concatenate(lists) for lists in zip(*parts))
        return scipy.sparse.csr_matrix((value, (feature, column)), (problem.n_features, n_transitions))

    def evaluate(self, theta):
        self.reward = self.of_state.T @ theta
        self.reward_of_transition = self.of_transition.T @ theta
        self._set_constant_weights()
        self._backward()
        return self._forward()

    def _set_constant_weights(self):
        """The weights that do not change with time. Without a discount they include e^R, as part of the matrices."""
        self.m = self.base
        if self.gamma == 1.0:
            self.weight = np.exp(self.reward)
            self.m = self.base * np.exp(self.reward_of_transition) * self.weight[self.problem.from_state]
        self.children.set(self.m)
        self.parents.set(self.m)

    def _set_weights(self, t, matrix):
        """e^R of the states at time t (from 1), and the values of the matrix that is needed next."""
        if self.gamma == 1.0:
            return
        discount = self.gamma ** (t - 1)
        np.multiply(self.reward, discount, out=self.weight)
        np.exp(self.weight, out=self.weight)
        if not self.on_states_only:
            self.m = self.base * np.exp(discount * self.reward_of_transition)
            matrix.set(self.m)

    def _step_back(self, t, after, into):
        """beta_t = e^R (1 + M beta_{t+1}), divided by e^{scale_t}."""
        self._set_weights(t, self.children)
        stop = np.exp(-self.scale[t + 1])
        if self.gamma == 1.0:
            np.multiply(self.weight, stop, out=into)
        else:
            into.fill(stop)
        if after is not None:
            self.children.add_product(after, into)
        if self.gamma != 1.0:
            into *= self.weight
        self.scale[t] = self.scale[t + 1]
        largest = into.max()
        if not 1 / LARGEST < largest < LARGEST:
            into /= largest
            self.scale[t] += np.log(largest)

    def _backward(self):
        """Fills the messages of the first segment, and a checkpoint at the start of every other segment."""
        after = None
        for segment in reversed(range(len(self.checkpoints))):
            self._fill(segment, after)
            self.checkpoints[segment] = self.messages[0]
            after = self.checkpoints[segment]

    def _fill(self, segment, after):
        first = segment * self.segment + 1
        for t in reversed(range(first, min(first + self.segment, self.horizon + 1))):
            self._step_back(t, after, self.messages[t - first])
            after = self.messages[t - first]

    def _forward(self):
        """With p_t = beta_t v_t: v_{t+1} = M^T (e^R v_t). Occupancies are discounted."""
        self.occupancy.fill(0.0)
        self.occupancy_of_transition.fill(0.0)
        z = self.problem.start @ self.checkpoints[0]
        np.divide(self.problem.start, z, out=self.v)
        for segment in range(len(self.checkpoints)):
            last = segment + 1 == len(self.checkpoints)
            after = None if last else self.checkpoints[segment + 1]
            if segment > 0:
                self._fill(segment, after)
            first = segment * self.segment + 1
            for t in range(first, min(first + self.segment, self.horizon + 1)):
                self._visit(t, self.messages[t - first])
                if t < self.horizon:
                    self._step_on(t, self.messages[t - first + 1] if t - first + 1 < self.segment else after)
        expected = self.of_state @ self.occupancy
        if not self.on_states_only:
            expected += self.of_transition @ self.occupancy_of_transition
        return float(np.log(z) + self.scale[1]), expected

    def _visit(self, t, beta):
        np.multiply(beta, self.v, out=self.visits)
        if self.gamma != 1.0:
            self.visits *= self.gamma ** (t - 1)
        self.occupancy += self.visits

    def _step_on(self, t, beta_after):
        problem = self.problem
        self._set_weights(t, self.parents)
        if self.gamma != 1.0:
            self.v *= self.weight
        # v is in units of 1 / beta_t. Rescaling is rare, so this is nearly always 1.
        change = np.exp(self.scale[t + 1] - self.scale[t])
        if not self.on_states_only:
            flow = self.v[problem.from_state] * self.m * beta_after[problem.to_state]
            self.occupancy_of_transition += flow * (change * self.gamma ** (t - 1))
        self.following.fill(0.0)
        self.parents.add_product(self.v, self.following)
        if change != 1.0:
            self.following *= change
        self.v, self.following = self.following, self.v


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("problem", help="npz")
    parser.add_argument("theta", help="a JSON array")
    parser.add_argument("--horizon", type=int, required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--budget", type=float, default=4e9, help="bytes for the backward messages (default 4e9)")
    arguments = parser.parse_args()
    problem = Problem(arguments.problem)
    with open(arguments.theta) as file:
        theta = np.array(json.load(file), dtype=np.float64)
    engine = ForwardBackward(problem, arguments.horizon, arguments.budget)
    seconds = []
    for _ in range(arguments.repeats):
        start = time.perf_counter()
        log_partition, expected = engine.evaluate(theta)
        seconds.append(time.perf_counter() - start)
    if not (np.isfinite(log_partition) and np.isfinite(expected).all()):
        raise SystemExit("the numbers left the range of a double, which one scale per step cannot prevent")
    print(json.dumps({
        "log_partition": log_partition,
        "expected_features": expected.tolist(),
        "seconds": seconds,
        "states": problem.n_states,
        "transitions": len(problem.row),
        "horizon": arguments.horizon,
    }))


if __name__ == "__main__":
    main()
