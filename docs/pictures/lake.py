"""Draws fifty crossings of a frozen lake, the true and the learned reward, and a forecast: lake.py OUTPUT."""

import sys

import matplotlib.pyplot as plt
import revealed

lake = revealed.worlds.frozen_lake("4x4", discount=0.99)
crossings = lake.rollouts(lake.plan().policy, 50, seed=1)
irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.001).fit(lake, crossings)

figure, axes = plt.subplots(1, 4, figsize=(13, 3.6), layout="constrained")
figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
lake.plot(demonstrations=crossings, ax=axes[0], title="50 demonstrations")
truth = lake.reward(lake.true_theta)
lake.plot(truth, labels="values", ax=axes[1], title="true reward", limits=(-1, 1), cmap="RdBu", colorbar=False)
irl.plot("reward", labels="values", ax=axes[2], title="learned reward", colorbar=False)
lake.plot(irl.marginals(6).round(2), labels="values", ax=axes[3], title="forecast: position after 5 steps", colorbar=False)
figure.savefig(sys.argv[1], dpi=90)
