"""One gradient of the causal model in SciPy: the soft Bellman recursion and the visits, vectorised.

There are three versions. All have one CSR matrix of all (state, action) pairs by states, its transpose computed once, and
policies that are kept for the forward pass. Episodes end at the horizon or in terminal states. One thread.

- The version with `scipy.special.logsumexp` is the recursion as it is written on paper.
- The version with one exponential per pair and step (`--version shared`) uses `max`, `exp`, `sum` and `log` of NumPy
  instead, because the policy has the same exponentials.
- The version tuned by hand (`--version tuned`) is the fastest that we could write: SciPy's private `csr_matvec` without
  the copies of `@`, and nothing allocated in the loops.

    python benchmarks/scipy_causal.py problem.npz theta.json --horizon 100

prints {"log_partition": E[V_1], "seconds": [...]}. The seconds are the time of an evaluation at a new theta.
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
from scipy.special import logsumexp


class Vectorised:
    """E[V_1] and the expected features for any theta. Rewards are those of states."""

    def __init__(self, problem, horizon):
        self.problem, self.horizon = problem, horizon
        n, actions = problem.n_states, problem.n_actions
        pair = problem.action * n + problem.from_state
        matrix = scipy.sparse.csr_matrix((problem.probability, (pair, problem.to_state)), (n * actions, n))
        self.forward, self.backward = matrix.tocsr(), matrix.T.tocsr()
        self.offered = np.full((actions, n), -np.inf)
        self.offered.ravel()[pair] = 0.0
        self.terminal = np.zeros(n, dtype=bool)
        self.terminal[problem.terminal] = True
        value, feature = problem.numbers("features.state.value"), problem.integers("features.state.feature")
        shape = (problem.n_features, n)
        self.of_state = scipy.sparse.csr_matrix((value, (feature, problem.integers("features.state.state"))), shape)

    def evaluate(self, theta):
        reward = self.of_state.T @ theta
        value, policies = reward, []
        for _ in range(self.horizon - 1):
            value, policy = self.step(reward, value)
            policies.append(policy)
        x = self.problem.start
        occupancy = x.copy()
        for policy in reversed(policies):
            x = self.backward @ (policy * x).ravel()
            occupancy += x
        return float(self.problem.start @ value), self.of_state @ occupancy

    def step(self, reward, value):
        q = self.offered + (self.forward @ value).reshape(self.offered.shape)
        future = np.where(self.terminal, 0.0, logsumexp(q, axis=0))
        return reward + future, np.exp(q - future)


class Shared(Vectorised):
    """The same with one exponential per pair and step."""

    def step(self, reward, value):
        q = self.offered + (self.forward @ value).reshape(self.offered.shape)
        most = np.where(self.terminal, 0.0, q.max(axis=0))
        weight = np.exp(q - most)
        total = np.where(self.terminal, 1.0, weight.sum(axis=0))
        return reward + most + np.log(total), weight / total


class Tuned(Vectorised):
    """The same, with memory that is allocated once."""

    def __init__(self, problem, horizon):
        super().__init__(problem, horizon)
        n, actions = problem.n_states, problem.n_actions
        self.policy = np.empty((horizon, actions, n))
        self.most, self.sum, self.value, self.x, self.occupancy = np.empty((5, n))
        self.flow = np.empty((actions, n))

    def evaluate(self, theta):
        n, actions = self.problem.n_states, self.problem.n_actions
        reward = self.of_state.T @ theta
        self.value[:] = reward
        for t in reversed(range(self.horizon - 1)):
            q = self.policy[t]
            q[:] = self.offered
            csr_matvec(n * actions, n, self.forward.indptr, self.forward.indices, self.forward.data, self.value, q.ravel())
            np.max(q, axis=0, out=self.most)
            self.most[self.terminal] = 0.0
            np.subtract(q, self.most, out=q)
            np.exp(q, out=q)
            np.sum(q, axis=0, out=self.sum)
            self.sum[self.terminal] = 1.0
            np.divide(q, self.sum, out=q)
            np.log(self.sum, out=self.value)
            self.value += self.most
            self.value += reward
        expected_value = float(self.problem.start @ self.value)
        self.x[:] = self.problem.start
        self.occupancy[:] = self.x
        for t in range(self.horizon - 1):
            np.multiply(self.policy[t], self.x, out=self.flow)
            self.x.fill(0.0)
            csr_matvec(n, n * actions, self.backward.indptr, self.backward.indices, self.backward.data, self.flow.ravel(), self.x)
            self.occupancy += self.x
        return expected_value, self.of_state @ self.occupancy


VERSIONS = {"logsumexp": Vectorised, "shared": Shared, "tuned": Tuned}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem")
    parser.add_argument("theta")
    parser.add_argument("--horizon", type=int, required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--version", choices=VERSIONS, default="logsumexp")
    arguments = parser.parse_args()
    with open(arguments.theta) as file:
        theta = json.load(file)
    theta = np.asarray(theta["theta"] if isinstance(theta, dict) else theta)
    causal = VERSIONS[arguments.version](Problem(arguments.problem), arguments.horizon)
    seconds = []
    for _ in range(arguments.repeats + 1):
        begun = time.perf_counter()
        value, expected = causal.evaluate(theta)
        seconds.append(time.perf_counter() - begun)
    print(json.dumps({"log_partition": value, "expected_features": expected.tolist(), "seconds": seconds[1:]}))
