//! Worlds whose true reward is known: for examples, tests and measurements.

mod frozen_lake;
mod road_like;

pub use frozen_lake::{FROZEN_LAKE_4X4, FROZEN_LAKE_8X8, frozen_lake, random_lake};
pub use road_like::road_like;

use crate::{Error, Features, Mdp};

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
