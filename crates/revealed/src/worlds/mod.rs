//! Worlds whose true reward is known: for examples, tests and measurements.

mod cliff_walking;
mod frozen_lake;
mod linear_chain;
mod n_chain;
mod payments;
mod road_like;
mod taxi;

pub use cliff_walking::cliff_walking;
pub use frozen_lake::{FROZEN_LAKE_4X4, FROZEN_LAKE_8X8, frozen_lake, random_lake};
pub use linear_chain::linear_chain;
pub use n_chain::n_chain;
pub use payments::StepFeatures;
pub use road_like::road_like;
pub use taxi::taxi;

use crate::Error;
use crate::world::{Features, Mdp};

/// Longer chains are refused: their files would be of no use.
const LONGEST_CHAIN: usize = 1_000_000;

/// An MDP with features, the reward that its inhabitants follow, and where to draw its states.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// What it is called in files and tables.
    pub name: String,
    /// The MDP.
    pub mdp: Mdp,
    /// Its features.
    pub features: Features,
    /// θ of the true reward R = θᵀφ.
    pub theta: Vec<f64>,
    /// Where its states lie.
    pub layout: Layout,
}

/// Where the states of a world lie, for drawing.
#[derive(Debug, Clone, PartialEq)]
pub enum Layout {
    /// State s lies in row s / columns, column s % columns.
    Grid {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// State s lies at (x\[s\], y\[s\]).
    Points {
        /// To the right.
        x: Vec<f64>,
        /// Downwards, as rows are counted.
        y: Vec<f64>,
    },
}

impl World {
    /// The same world with another discount γ; worlds are made with γ = 1.
    ///
    /// # Errors
    /// [`Error::Discount`] if it is not in [0, 1].
    pub fn with_discount(mut self, discount: f64) -> Result<World, Error> {
        self.mdp = self.mdp.with_discount(discount)?;
        Ok(self)
    }
}

/// Refuses chains of fewer than `least` states, and of too many.
fn chain_length(n: usize, least: usize) -> Result<(), Error> {
    if !(least..=LONGEST_CHAIN).contains(&n) {
        return Err(Error::Count { what: "the length of the chain", value: n, least, most: LONGEST_CHAIN });
    }
    Ok(())
}
