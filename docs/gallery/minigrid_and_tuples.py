"""Worlds from environments that run: MiniGrid's DoorKey, tuples (Blackjack), and states that are numbered from 1."""
import gymnasium
import minigrid  # noqa: F401

import revealed

class Stairs(gymnasium.Env):
    observation_space, action_space = gymnasium.spaces.Discrete(5, start=1), gymnasium.spaces.Discrete(2)
    reset = lambda self, seed=None, options=None: (setattr(self, "at", 1) or self.at, {})
    step = lambda self, up: (setattr(self, "at", self.at + up) or self.at, float(self.at == 5), self.at == 5, False, {})
for env in (gymnasium.make("MiniGrid-DoorKey-5x5-v0"), gymnasium.make("Blackjack-v1"), Stairs()):
    world = revealed.Mdp.from_env(env, resets=20, samples=40, discount=0.95)
    irl = revealed.MaxEntIRL(inference="causal", horizon="any", l2=0.1)
    irl.fit(world, world.rollouts(world.plan().policy, 30, seed=1))
    print(world.n_states, "states; the best is", world.labels[irl.reward_.argmax()])
