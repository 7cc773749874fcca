//! Worlds with their own rewards.

use revealed::Reward;
use revealed::worlds::World;

/// R of the world's own θ.
pub fn reward_of(world: &World) -> Reward {
    world.features.reward(&world.mdp, &world.theta).unwrap()
}
