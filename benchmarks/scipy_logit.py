"""The recursive logit by maximum likelihood in SciPy: one sparse LU per theta, right-hand sides in blocks of 32.

    python benchmarks/scipy_logit.py problem.npz paths.jsonl "[-1, -1, -1, -1]"

An evaluation factorises I - W once, solves for the sums to each destination, and gets the gradient from one adjoint
solution for each destination. The search is SciPy's L-BFGS-B in the units and with the tolerance of `revealed`, and
standard errors are from central differences of the gradient. It prints {"theta", "errors", "seconds", "evaluations",
"log_likelihood"}; the seconds are those of the search and the standard errors, without loading the files. It uses one
thread, because SuperLU does.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import json
import time

import numpy as np
import scipy.optimize
import scipy.sparse
from problem import Problem
from scipy.sparse.linalg import splu

BLOCK = 32
TOLERANCE = 1e-8
MEMORY = 30
# SuperLU's three orders for such a matrix differ by less than a tenth. On the town all are equal; on the grid this one is
# faster than MMD_AT_PLUS_A and as fast as COLAMD.
ORDER = "MMD_ATA"


class RecursiveLogit:
    """The mean log-likelihood of trips and its gradient."""

    def __init__(self, problem, paths):
        self.problem = problem
        self.features = transition_features(problem)
        place = {ends: at for at, ends in enumerate(zip(problem.from_state, problem.action, strict=True))}
        observed, first, last = [], [], []
        for path in paths:
            steps = [place[step] for step in zip(path["states"], path["actions"], strict=False)]
            observed.append(np.asarray(self.features[steps].sum(axis=0)).ravel())
            first.append(path["states"][0])
            last.append(path["states"][-1])
        self.observed = np.mean(observed, axis=0)
        self.unit = np.sqrt(np.mean(np.square(observed), axis=0))
        self.first, self.n_trips = np.array(first), len(first)
        self.goals, self.goal_of = np.unique(last, return_inverse=True)
        n = problem.n_states
        pattern = (np.ones(len(problem.row)), (problem.from_state, problem.to_state))
        self.identity = scipy.sparse.identity(n, format="csc")
        # Where each transition stands in the matrix, so that a new theta only changes its values.
        numbered = scipy.sparse.csc_matrix((np.arange(1, len(problem.row) + 1), pattern[1]), shape=(n, n))
        self.entry = numbered.data - 1
        self.matrix = scipy.sparse.csc_matrix(pattern, shape=(n, n))
        self.evaluations = 0

    def evaluate(self, theta):
        self.evaluations += 1
        problem, weight = self.problem, np.exp(self.features @ theta)
        self.matrix.data[:] = weight[self.entry]
        solver = splu(self.identity - self.matrix, permc_spec=ORDER, options={"SymmetricMode": True})
        log_sum, uses = 0.0, np.zeros(len(weight))
        for begin in range(0, len(self.goals), BLOCK):
            goals = self.goals[begin : begin + BLOCK]
            columns = np.arange(len(goals))
            right = np.zeros((problem.n_states, len(goals)))
            right[goals, columns] = 1.0
            sums = solver.solve(right)
            trips = np.flatnonzero((self.goal_of >= begin) & (self.goal_of < begin + len(goals)))
            column = self.goal_of[trips] - begin
            of_trips = sums[self.first[trips], column]
            if not (of_trips > 0).all():
                return np.inf, np.zeros_like(theta)
            log_sum += np.log(of_trips).sum()
            adjoint = np.zeros_like(right)
            np.add.at(adjoint, (self.first[trips], column), 1.0 / of_trips)
            adjoint = solver.solve(adjoint, trans="T")
            uses += np.einsum("ij,ij->i", adjoint[problem.from_state], sums[problem.to_state])
        expected = self.features.T @ (uses * weight) / self.n_trips
        return log_sum / self.n_trips - self.observed @ theta, expected - self.observed

    def fit(self, theta):
        def objective(x):
            value, gradient = self.evaluate(x / self.unit)
            return value, gradient / self.unit

        options = {"maxcor": MEMORY, "gtol": TOLERANCE, "ftol": 0.0, "maxiter": 10_000, "maxfun": 100_000}
        found = scipy.optimize.minimize(objective, theta * self.unit, jac=True, method="L-BFGS-B", options=options)
        return found.x / self.unit, found.fun

    def errors(self, theta):
        information = np.empty((len(theta), len(theta)))
        for k, unit in enumerate(self.unit):
            step = np.zeros_like(theta)
            step[k] = 1e-5 / unit
            information[k] = (self.evaluate(theta + step)[1] - self.evaluate(theta - step)[1]) / (2 * step[k])
        return np.sqrt(np.diag(np.linalg.inv(0.5 * (information + information.T))) / self.n_trips)


def transition_features(problem):
    """A row for each transition: the features of the choice, of the transition and of the state that it leads to."""
    shape = (problem.n_features, problem.n_states)
    of_state = scipy.sparse.csr_matrix(
        (
            problem.numbers("features.state.value"),
            (problem.integers("features.state.feature"), problem.integers("features.state.state")),
        ),
        shape,
    )
    pair = problem.integers("features.state_action.state") * problem.n_actions + problem.integers("features.state_action.action")
    of_pair = scipy.sparse.csr_matrix(
        (problem.numbers("features.state_action.value"), (problem.integers("features.state_action.feature"), pair)),
        (problem.n_features, problem.n_states * problem.n_actions),
    )
    if len(problem.integers("features.transition.transition")) > 0:
        raise SystemExit("features of transitions are not supported here")
    wanted = problem.from_state * problem.n_actions + problem.action
    return (of_state.tocsc()[:, problem.to_state] + of_pair.tocsc()[:, wanted]).T.tocsr()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("problem", help="npz")
    parser.add_argument("paths", help="jsonl")
    parser.add_argument("theta", help="a JSON array: where the search starts")
    arguments = parser.parse_args()
    with open(arguments.paths) as file:
        paths = [json.loads(line) for line in file]
    logit = RecursiveLogit(Problem(arguments.problem), paths)
    start = time.perf_counter()
    theta, value = logit.fit(np.array(json.loads(arguments.theta)))
    evaluations = logit.evaluations
    errors = logit.errors(theta)
    seconds = time.perf_counter() - start
    print(
        json.dumps(
            {
                "theta": theta.tolist(),
                "errors": errors.tolist(),
                "seconds": seconds,
                "evaluations": evaluations,
                "log_likelihood": -value,
            }
        )
    )


if __name__ == "__main__":
    main()
