"""A path of 100,000 states, and paths without any limit: both are exact."""
import revealed

lake = revealed.worlds.frozen_lake("4x4", slippery=False)
model = revealed.MaxEntIRL.from_theta(lake, [-3.0] * 15 + [3.0], horizon=100_000, ends="terminal")
print("mean length within 100,000 states:", round(model.mean_length()[0], 6))
free = model.with_paths(horizon="any")
print("without a limit:", round(free.mean_length()[0], 6))
idle = revealed.Mdp(2, 2, transitions=([0, 0], [0, 1], [0, 1], [1, 1]), start=0, terminal=[1])
long = ([0] * 99_999 + [1], [0] * 99_998 + [1])
irl = revealed.MaxEntIRL(ends="terminal", l2=1e-9).fit(idle, [long])
print("a path of", irl.horizon_, "states:", irl.theta_.round(4))
