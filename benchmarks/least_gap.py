"""The smallest gap of visits that any policy can reach: a limit for causal models, which do not tilt outcomes."""

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def least_gap(table, start, visits):
    """The minimum over all policies, stationary or not, of the largest difference from `visits`, by a linear programme.

    `table` is T[s, a, s'], in which terminal states lead to themselves. `visits` are expected numbers of visits over
    steps 0 to H, which sum to H + 1.
    """
    n_states, n_actions, _ = table.shape
    horizon = round(visits.sum()) - 1
    # x[t, s, a] is the probability of taking a in s at t, x[H, s, 0] that of ending in s. The last variable is the gap.
    size = (horizon + 1) * n_states * n_actions
    where = np.arange(size).reshape(horizon + 1, n_states, n_actions)
    rows, columns, values = [], [], []

    def add(row, column, value):
        for part, of in ((rows, row), (columns, column), (values, value)):
            part.append(np.broadcast_to(of, np.broadcast_shapes(np.shape(row), np.shape(column), np.shape(value))).ravel())

    flow = np.arange((horizon + 1) * n_states).reshape(horizon + 1, n_states)
    add(flow[:, :, None], where, 1.0)
    source, action, target = np.nonzero(table)
    add(flow[1:, target], where[:-1, source, action], -table[source, action, target])
    equal = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(flow.size, size + 1))
    balance = np.zeros(flow.size)
    balance[:n_states] = start

    rows, columns, values = [], [], []
    for sign, first in ((1.0, 0), (-1.0, n_states)):
        state = np.arange(n_states)[None, :, None] + first
        add(state, where, sign)
        add(np.arange(n_states) + first, size, -1.0)
    bound = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(2 * n_states, size + 1))
    cost = np.zeros(size + 1)
    cost[-1] = 1.0
    found = linprog(cost, A_ub=bound, b_ub=np.concatenate([visits, -visits]), A_eq=equal, b_eq=balance, method="highs")
    if not found.success:
        raise SystemExit(f"the linear programme was not solved: {found.message}")
    return float(found.fun)
