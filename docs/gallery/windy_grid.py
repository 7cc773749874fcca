"""A windy 10 x 10 grid from dense arrays: the reward of three features, with standard errors."""
import numpy as np, revealed

rng, cells = np.random.default_rng(0), np.arange(100)
T = np.zeros((100, 4, 100))  # with probability 0.3, the wind blows one cell down after the step
for action, (down, right) in enumerate([(1, 0), (0, 1), (-1, 0), (0, -1)]):
    row, column = np.clip(cells // 10 + down, 0, 9), np.clip(cells % 10 + right, 0, 9)
    for gust, p in [(0, 0.7), (1, 0.3)]:
        T[cells, action, np.clip(row + gust, 0, 9) * 10 + column] += p
features = revealed.Features(state=np.c_[rng.random((100, 2)), cells == 99], names=["sun", "mud", "home"])
world = revealed.Mdp.from_dense(T, axes=("state", "action", "next"), start=0, features=features, grid=(10, 10), discount=0.9)
expert = revealed.MaxEntIRL.from_theta(world, [2.0, -3.0, 4.0], horizon="any", chance="fixed", ends="horizon")
irl = revealed.MaxEntIRL(inference="causal", horizon="any").fit(world, walks := expert.sample(200, states=30, seed=1))
print(irl.summary(walks).to_frame()[["estimate", "std_err", "low", "high"]].round(2))
