"""The same model in `imitation`: with the reward that we learn, its causal-entropy policy visits states as ours does."""
import numpy as np
import revealed
from imitation.algorithms.mce_irl import mce_occupancy_measures, mce_partition_fh
from seals.base_envs import TabularModelPOMDP

ring, length = np.arange(8), 21
T = np.stack([np.eye(8)[(ring + 1) % 8], np.eye(8)[(ring - 1) % 8], np.eye(8)], axis=1)  # T[s, a, s']: on, back, stay
world = revealed.Mdp.from_dense(T, axes=("state", "action", "next"), start=0)
taste = revealed.MaxEntIRL.from_theta(world, np.sin(ring), horizon=length, chance="fixed", ends="horizon")
irl = revealed.MaxEntIRL(inference="causal", horizon=length, l2=1e-4).fit(world, taste.sample(500, seed=1))
parts = {"transition_matrix": T, "observation_matrix": np.eye(8), "initial_state_dist": np.eye(8)[0], "horizon": length}
env = TabularModelPOMDP(**parts, reward_matrix=irl.reward_)
theirs = mce_occupancy_measures(env, pi=mce_partition_fh(env, discount=1.0)[2], discount=1.0)[0][:-1]  # without the last step
print("largest difference of the visits:", np.abs(theirs.sum(axis=0) - irl.marginals()).max())
