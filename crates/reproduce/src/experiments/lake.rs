//! Pictures of FrozenLake4x4.

use revealed::Reward;
use revealed::worlds::{FROZEN_LAKE_4X4, World, frozen_lake};
use revealed_draw::{Canvas, GridMap, grid_maps};

use super::expert::keeps_paying;
use crate::error::Error;

/// The true reward and a learned one side by side, with the arrows of their optimal policies.
pub(crate) fn true_and_learned(theta: &[f64]) -> Result<Canvas, Error> {
    draw(theta).map_err(|cause| Error::Engine { experiment: "the picture of the lake", cause })
}

/// θ as a cell of a table.
pub(crate) fn write_theta(theta: &[f64]) -> String {
    theta.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// θ from such a cell, if it has one.
pub(crate) fn read_theta(cell: &str) -> Option<Vec<f64>> {
    cell.split(' ').map(|theta| theta.parse().ok()).collect()
}

fn draw(theta: &[f64]) -> Result<Canvas, revealed::Error> {
    let world = frozen_lake(&FROZEN_LAKE_4X4, true)?;
    let letters: Vec<char> = FROZEN_LAKE_4X4.concat().chars().map(|letter| if letter == 'F' { ' ' } else { letter }).collect();
    let (truth, learned) = (arrows(&world, &world.theta)?, arrows(&world, theta)?);
    let map = |title, values, arrows| GridMap { title, columns: 4, values, letters: &letters, arrows };
    Ok(grid_maps(&[map("true reward", &world.theta, &truth), map("learned reward", theta, &learned)], false))
}

fn arrows(world: &World, theta: &[f64]) -> Result<Vec<Option<usize>>, revealed::Error> {
    let reward: Reward = world.features.reward(&world.mdp, theta)?;
    let policy = keeps_paying().solve(&world.mdp, &reward)?.policy;
    Ok((0..world.mdp.n_states()).map(|state| policy.action(&world.mdp, state)).collect())
}
