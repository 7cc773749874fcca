"""100,000 states from sparse matrices: two features, learned in seconds."""
import numpy as np
import scipy.sparse

import revealed

side, n = 317, 317 * 317
row, column = np.divmod(np.arange(n), side)
moves = [(np.minimum(row + down, side - 1)) * side + np.minimum(column + right, side - 1) for down, right in [(1, 0), (0, 1)]]
T = [scipy.sparse.csr_matrix((np.ones(n), (np.arange(n), to)), shape=(n, n)) for to in moves]
features = revealed.Features(state=np.random.default_rng(0).random((n, 2)), names=["shade", "mud"])
world = revealed.Mdp.from_sparse(T, start=0, features=features)
walks = revealed.MaxEntIRL.from_theta(world, [0.5, -1.0], horizon=101, ends="horizon").sample(200, seed=1)
irl = revealed.MaxEntIRL(ends="horizon").fit(world, walks)
print(world.n_states, "states:", dict(zip(world.feature_names, irl.theta_.round(2).tolist())))
