//! The beginning of a trip, and what it says about each destination.

use super::exponents::Exponents;

/// The number of factors of a destination model.
pub(crate) const FACTORS: usize = 4;
/// Shorter trips count as trips of this length, in metres, so that lengths have logarithms.
const SHORTEST: f64 = 1.0;

/// The beginning of a trip.
pub(crate) struct Beginning<'a> {
    pub log_prior: &'a [f64],
    /// ln S(G) / Z(G) for each destination; -∞ if it cannot be reached.
    pub log_ratio: Vec<f64>,
    /// The metres from here to each destination. A millimetre more or less does not matter.
    pub rest: Vec<f32>,
    /// The length so far in metres.
    pub driven: f64,
    /// The mean length of trips in metres.
    pub mean: f64,
}

impl Beginning<'_> {
    /// The logarithms of the factors of a destination, in the order of [`Exponents`]; `None` if it cannot be reached.
    pub fn factors(&self, goal: usize) -> Option<[f64; FACTORS]> {
        let (prior, ratio) = (self.log_prior[goal], self.log_ratio[goal]);
        if prior == f64::NEG_INFINITY || ratio == f64::NEG_INFINITY {
            return None;
        }
        let length = (self.driven + f64::from(self.rest[goal])).max(SHORTEST) / self.mean;
        Some([prior, ratio, length.ln(), length])
    }

    /// The probability of each destination; all zero if none can be reached.
    pub fn posterior(&self, exponents: Exponents) -> Vec<f64> {
        let exponents = exponents.array();
        let log_weight = |goal: usize| match self.factors(goal) {
            None => f64::NEG_INFINITY,
            Some(factors) => (0..FACTORS).map(|k| exponents[k] * factors[k]).sum(),
        };
        let logs: Vec<f64> = (0..self.log_ratio.len()).map(log_weight).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            return vec![0.0; logs.len()];
        }
        let weights: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }
}
