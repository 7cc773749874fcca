"""CartPole without a model of the world: rollouts of a sampler that imitates the demonstrations."""
import gymnasium

import revealed

env = gymnasium.make("CartPole-v1")
balance = lambda seen: int(seen[2] + 0.5 * seen[3] > 0.0)
episodes = revealed.collect(env, balance, 50, seed=1, max_steps=19)
cost = lambda seen, action, after: {"angle²": after[2] ** 2, "turning²": after[3] ** 2}
irl = revealed.ModelFreeIRL(features=cost, n_rollouts=500, rounds=2, l2=1e-4).fit(env, episodes)
print(irl.summary())
print("effective sample size:", round(irl.effective_sample_size_), "of 500")
