"""Watching a search: stop it by a callback, keep a checkpoint, go on where it ended."""
import tempfile
from pathlib import Path

import revealed

lake = revealed.worlds.frozen_lake("8x8", discount=0.99)
paths, kept = lake.rollouts(lake.plan().policy, 50, seed=1), Path(tempfile.mkdtemp()) / "model.json"
irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.001)
irl.fit(lake, paths, checkpoint=kept, callback=lambda step: step.iteration == 5)  # Ctrl-C would leave partial_theta_
print(irl.stopped_, irl.stopped_because_, "after", irl.n_iter_)
irl.fit(lake, paths, checkpoint=kept, resume=True)  # or theta0=irl.theta_
print(irl.converged_, "and saved:", kept.exists(), "and no longer partial:", not kept.with_name("model.json.partial").exists())
