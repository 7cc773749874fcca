//! The destinations of a path that has begun, as `revealed destinations` lists them.

use revealed::{Ends, Error, Horizon, Trajectory};
use serde_json::{Value, json};

use super::horizon_json;
use crate::models::AskedDestinations;

/// The destinations of one prefix, the likeliest first.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedDestinations {
    /// The probability of each state.
    pub posterior: Vec<f64>,
    /// The states that are possible, the likeliest first.
    pub order: Vec<usize>,
    /// The states of the prefix, as a number.
    pub length: usize,
    /// Its last state.
    pub last: usize,
    /// The expected length of the whole path.
    pub mean: f64,
    /// The expected number of states still to come.
    pub remaining: f64,
    /// How many states a path may have.
    pub horizon: Horizon,
    /// Where paths end.
    pub ends: Ends,
}

impl RankedDestinations {
    /// The ranking after a prefix, for paths of this horizon that end there.
    ///
    /// # Errors
    /// As [`revealed::Destinations::posterior`].
    pub fn new(
        destinations: &mut AskedDestinations<'_, '_>,
        (horizon, ends): (Horizon, Ends),
        prefix: &Trajectory,
    ) -> Result<RankedDestinations, Error> {
        let posterior = destinations.posterior(prefix)?;
        let lengths = destinations.lengths(prefix)?;
        let mut order: Vec<usize> = (0..posterior.len()).filter(|&state| posterior[state] > 0.0).collect();
        // Stable, so ties go by the number of the state.
        order.sort_by(|&a, &b| posterior[b].total_cmp(&posterior[a]));
        let (length, last) = (prefix.states.len(), prefix.states[prefix.states.len() - 1]);
        let (mean, remaining) = (lengths.mean(), lengths.remaining());
        Ok(RankedDestinations { posterior, order, length, last, mean, remaining, horizon, ends })
    }

    /// The first of them with their probabilities.
    pub fn rows(&self, listed: usize) -> impl Iterator<Item = (usize, f64)> {
        self.order.iter().take(listed).map(|&state| (state, self.posterior[state]))
    }

    /// One JSON object with the `top` likeliest, or with all.
    pub fn json(&self, top: Option<usize>, prior: &str) -> Value {
        let posterior: Vec<(usize, f64)> = self.rows(top.unwrap_or(usize::MAX)).collect();
        json!({
            "posterior": posterior,
            "prefix_length": self.length,
            "horizon": horizon_json(self.horizon),
            "ends": self.ends.name(),
            "prior": prior,
            "expected_length": self.mean,
            "expected_remaining": self.remaining,
        })
    }
}
