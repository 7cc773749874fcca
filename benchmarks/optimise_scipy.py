"""SciPy's L-BFGS-B on the problems of crates/revealed/src/learning/optimise/problems.rs: change both together.

It prints the lines of SCIPY in problems.rs, with the value and the reason why SciPy stopped as a comment.
"""

import math

import numpy as np
import scipy
from scipy.optimize import minimize


class Random:
    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2.0**53

    def symmetric(self):
        return 2.0 * self.uniform() - 1.0


def rosenbrock(x):
    a, b = x[1:] - x[:-1] ** 2, 1.0 - x[:-1]
    g = np.zeros_like(x)
    g[:-1] += -400.0 * a * x[:-1] - 2.0 * b
    g[1:] += 200.0 * a
    return (100.0 * a**2 + b**2).sum(), g


def softmax(scores):
    p = np.exp(scores - scores.max())
    return scores.max() + math.log(p.sum()), p / p.sum()


def crf(n, decades, offset):
    random = Random(7)
    size = [math.exp(-decades * j / max(n - 1, 1) * math.log(10.0)) for j in range(n)]
    a = np.array([[random.symmetric() * size[j] for j in range(n)] for _ in range(300)])
    truth = np.array([2.0 * random.symmetric() for _ in range(n)])
    mu = softmax(a @ truth)[1] @ a

    def objective(x):
        log_z, p = softmax(a @ x)
        return offset + log_z - mu @ x, p @ a - mu

    return objective


def softmax_regression():
    random = Random(11)
    xs, classes = np.empty((60, 4)), []
    for x in xs:
        x[:] = [random.symmetric() for _ in range(4)]
        noise = random.symmetric()
        classes.append(0 if x[0] + x[1] + noise < -0.4 else 1 if x[0] - x[2] + noise < 0.3 else 2)

    def objective(w):
        f, g = 0.5e-3 * w @ w, 1e-3 * w
        for x, c in zip(xs, classes):
            scores = w.reshape(3, 4) @ x
            log_z, p = softmax(scores)
            f += (log_z - scores[c]) / 60.0
            p[c] -= 1.0
            g = g + np.outer(p, x).ravel() / 60.0
        return f, g

    return objective


def separable(x):
    f, g = 0.0, np.zeros(2)
    for a in np.array([[1.0, 0.2], [0.5, 1.0], [2.0, -0.5]]):
        margin = x @ a
        f += max(-margin, 0.0) + math.log1p(math.exp(-abs(margin)))
        g -= a / (1.0 + math.exp(margin))
    return f, g


def quadratic(x):
    i = np.arange(len(x))
    h, centre = 1.0 + 10.0 * i, np.array([2.0, 0.4, -1.0])[i % 3]
    g = h * (x - centre)
    g[1:] += 0.4 * x[:-1]
    g[:-1] += 0.4 * x[1:]
    return 0.5 * (h * (x - centre) ** 2).sum() + 0.4 * (x[1:] * x[:-1]).sum(), g


def valley(n):
    return np.array([-1.2 if i % 2 == 0 else 1.0 for i in range(n)])


INF = math.inf
CASES = [
    ("rosenbrock 2", valley(2), -INF, INF, 1e-8, rosenbrock),
    ("rosenbrock 2, box", valley(2), -2.0, 0.8, 1e-8, rosenbrock),
    ("rosenbrock 10", valley(10), -INF, INF, 1e-8, rosenbrock),
    ("rosenbrock 10, box", valley(10), -2.0, 0.8, 1e-8, rosenbrock),
    ("crf, condition 1e4", np.zeros(14), -INF, INF, 1e-8, crf(14, 2.0, 0.0)),
    ("crf, condition 1e5", np.zeros(14), -INF, INF, 1e-8, crf(14, 2.5, 0.0)),
    ("1000 + crf", np.zeros(14), -INF, INF, 1e-10, crf(14, 0.0, 1000.0)),
    ("1000 + crf, condition 1e4", np.zeros(14), -INF, INF, 1e-9, crf(14, 2.0, 1000.0)),
    ("crf, condition 1e4, x <= 0", -np.ones(14), -INF, 0.0, 1e-8, crf(14, 2.0, 0.0)),
    ("softmax regression", np.zeros(12), -INF, INF, 1e-8, softmax_regression()),
    ("separable", np.zeros(2), -INF, INF, 1e-8, separable),
    ("quadratic 20, box", np.full(20, 0.5), 0.0, 1.0, 1e-8, quadratic),
]

print("SciPy", scipy.__version__)
for name, start, lower, upper, tolerance, objective in CASES:
    found, notes = [], []
    for memory in (10, 30):
        options = dict(maxcor=memory, gtol=tolerance, ftol=0.0, maxiter=5000, maxfun=20000)
        bounds = [(lower, upper)] * len(start)
        r = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        norm = np.abs(r.x - np.clip(r.x - r.jac, lower, upper)).max()
        found.append(f"({r.nfev}, {norm:.1e})".replace("e-0", "e-").replace("e+00", "e0"))
        notes.append(f"{r.fun:.9e} {r.message.removeprefix('CONVERGENCE: ').lower()}")
    print(f"[{', '.join(found)}],  // {name}: {'; '.join(notes)}")
