"""Taxi with its action masks: a reward of choices (s, a), compared with the true one."""
import gymnasium

import revealed

env = gymnasium.make("Taxi-v4")
world = revealed.Mdp.from_env(env, discount=0.95)  # actions that the masks rule out are not offered
kind = lambda state, action: {"drive": float(action < 4), "pick up": float(action == 4), "drop off": float(action == 5)}
by_action = world.with_features(revealed.Features(state_action=kind))
episodes = revealed.collect(env, world.plan().policy, 100, mdp=world, seed=1)
irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.01).fit(by_action, episodes)
print(dict(zip(by_action.feature_names, irl.theta_.round(2).tolist())), irl.reward("state-action").shape)
print("lost by planning with it:", by_action.compare(irl.theta_).expected_value_difference)
