//! What an expert does in a world.

use revealed::worlds::World;
use revealed::{Error, Trajectory, optimal_policy, rollouts};

/// Planning needs a discount below 1, also where the world has none.
const DISCOUNT: f64 = 0.99;
const TOLERANCE: f64 = 1e-10;

/// `n` episodes of an optimal policy for the true reward, of at most `longest` states.
pub(crate) fn optimal(world: &World, n: usize, longest: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
    let reward = world.features.reward(&world.mdp, &world.theta)?;
    let policy = optimal_policy(&world.mdp, &reward, world.mdp.discount().min(DISCOUNT), TOLERANCE)?;
    Ok(rollouts(&world.mdp, &policy, n, longest, seed))
}
