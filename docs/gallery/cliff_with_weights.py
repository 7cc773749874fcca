"""CliffWalking: careful walkers count three times as much as hasty ones."""
import gymnasium
import numpy as np

import revealed

env = gymnasium.make("CliffWalking-v1")
cliff = revealed.Mdp.from_gymnasium(env, discount=0.9)
hasty = revealed.collect(env, cliff.plan().policy, 10, mdp=cliff, seed=0)  # along the edge
around = [36, 24, 12, *range(12), 23, 35, 47]  # as far from the cliff as possible
careful = [(around, [0] * 3 + [1] * 11 + [2] * 3)] * 10
irl = revealed.MaxEntIRL(l2=0.01).fit(cliff, [*hasty, *careful], sample_weight=np.repeat([1.0, 3.0], 10))
print("the top row is visited", round(irl.marginals()[:12].sum(), 1), "times, the edge", round(irl.marginals()[25:35].sum(), 1))
print(irl.reward_.reshape(4, 12).round(1))
