"""A deep reward: a network of flax, trained by optax with the exact gradient of the likelihood."""
import flax.linen as nn, jax, numpy as np, optax

import revealed, revealed.jax

lake = revealed.worlds.frozen_lake("4x4", slippery=False, discount=0.99)
loss = revealed.jax.maxent_loss(lake, lake.rollouts(lake.plan().policy, 50, seed=1))
net, places = nn.Sequential([nn.Dense(16), nn.tanh, nn.Dense(1)]), np.indices((4, 4)).reshape(2, -1).T / 3.0
weights, adam = net.init(jax.random.key(0), places), optax.adam(0.05)
state, step = adam.init(weights), jax.value_and_grad(lambda w: loss(net.apply(w, places)[:, 0]))
for _ in range(60):
    value, slope = step(weights)
    change, state = adam.update(slope, state)
    weights = optax.apply_updates(weights, change)
print("loss", round(float(value), 1), "and the best cell is", int(net.apply(weights, places).argmax()))
