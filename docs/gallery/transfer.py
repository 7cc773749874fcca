"""A reward that was learned on one lake, used on another: planned there, it loses nothing."""
import numpy as np

import revealed

def world(seed):
    rows = revealed.worlds.random_lake(8, seed=seed)
    letters = np.array(list("".join(rows)))
    features = revealed.Features(state=np.c_[letters == "H", letters == "G"], names=["hole", "goal"])
    return revealed.worlds.frozen_lake(rows, discount=0.95, slippery=False).with_features(features)
here, there = world(1), world(2)
irl = revealed.MaxEntIRL(inference="causal", horizon="any", bounds=(-20, 20), l2=1e-3)
irl.fit(here, here.rollouts(here.plan().policy, 100, seed=1))
print(dict(zip(here.feature_names, irl.theta_.round(2).tolist())))
print("lost there:", there.compare(irl.theta_).expected_value_difference, "of", (there.start @ there.plan().value).round(3))
