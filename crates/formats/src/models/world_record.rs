//! The worlds of a model that was learned in several.

use revealed::Demonstrations;
use serde::{Deserialize, Serialize};

use crate::problems::Problem;

/// One of several worlds that a model was learned in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldRecord {
    /// [`Problem::digest`].
    pub problem_digest: String,
    /// How many demonstrations it has.
    pub n_demonstrations: usize,
}

impl WorldRecord {
    /// Of a world and its demonstrations.
    pub fn new(problem: &Problem, demos: &Demonstrations) -> WorldRecord {
        WorldRecord { problem_digest: problem.digest(), n_demonstrations: demos.len() }
    }
}
