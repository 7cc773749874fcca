"""Data as people keep it: Minari, trajectories and Transitions of `imitation`, and steps (s, a, r, s')."""
import os, tempfile
from types import SimpleNamespace
os.environ["MINARI_DATASETS_PATH"] = tempfile.mkdtemp()
import gymnasium, minari, numpy as np, revealed

collector = minari.DataCollector(gymnasium.make("FrozenLake-v1"))
episodes = revealed.collect(collector, None, 20, seed=1)
dataset = collector.create_dataset(dataset_id="lake/random-v0", eval_env="FrozenLake-v1")
obs, acts = episodes[0].observations, episodes[0].actions
trajectory = SimpleNamespace(obs=obs, acts=acts)  # as imitation.data.types.Trajectory has them
transitions = SimpleNamespace(obs=obs[:-1], acts=acts, next_obs=obs[1:], dones=np.arange(len(acts)) == len(acts) - 1)
steps = [(int(s), int(a), 0.0, int(to)) for s, a, to in zip(obs, acts, obs[1:])]
first, kept = revealed.Trajectories(episodes)[0], (dataset, [trajectory], transitions, [steps])
print(*(revealed.Trajectories(data)[0] == first for data in kept))
