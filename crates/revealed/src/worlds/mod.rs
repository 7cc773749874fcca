//! Worlds whose true reward is known, for examples, tests and measurements.

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

/// Longer chains are rejected: their files would be too large to be useful.
const LONGEST_CHAIN: usize = 1_000_000;

/// An MDP with features, its true reward, and a layout for drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// The name in files and tables.
    pub name: String,
    /// The MDP.
    pub mdp: Mdp,
    /// Its features.
    pub features: Features,
    /// θ of the true reward R = θᵀφ.
    pub theta: Vec<f64>,
    /// The positions of its states.
    pub layout: Layout,
}

/// The positions of a world's states, for drawing.
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
        /// The horizontal coordinate, to the right.
        x: Vec<f64>,
        /// The vertical coordinate, downwards like rows.
        y: Vec<f64>,
    },
}

impl World {
    /// The same world with another discount γ. Worlds are built with γ = 1.
    ///
    /// # Errors
    /// [`Error::Discount`] if it is not in [0, 1].
    pub fn with_discount(mut self, discount: f64) -> Result<World, Error> {
        self.mdp = self.mdp.with_discount(discount)?;
        Ok(self)
    }
}

/// Rejects chains of fewer than `least` states, and of too many.
fn chain_length(n: usize, least: usize) -> Result<(), Error> {
    if !(least..=LONGEST_CHAIN).contains(&n) {
        return Err(Error::Count { what: "the length of the chain", value: n, least, most: LONGEST_CHAIN });
    }
    Ok(())
}
