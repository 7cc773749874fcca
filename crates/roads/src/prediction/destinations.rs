//! Where a trip that has begun will end.
//!
//! The paper describes this (sec:me-inference) and does not measure it. Let S(G) be the weight of all continuations of
//! a prefix that end in G, and Z(G) that of all paths from its first state to G. The model's own distribution is P(G) ∝
//! S(G), and with a given prior p it is P(G) ∝ S(G) / Z(G) · p(G).

use revealed::{RouteSums, Scaled, with_prior};

use super::continuations::log_ratio;
use crate::error::Error;

/// The paper's posterior for one trip: where a trip that began in `first` and is now in `last` may end, by the sums
/// over routes of any length and a prior over the states, which need not sum to 1. All zero if no destination can be
/// reached.
///
/// # Errors
/// If a state does not exist, or the prior does not have a number for each state.
pub fn posterior(sums: &RouteSums, prior: &[f64], first: usize, last: usize) -> Result<Vec<f64>, Error> {
    let weights = |logarithms: Vec<f64>| -> Vec<Scaled> { logarithms.into_iter().map(Scaled::exp).collect() };
    let (whole, after) = (weights(sums.from(first)?), weights(sums.from(last)?));
    if prior.len() != whole.len() {
        return Err(Error::Network(format!("the prior has {} numbers, and there are {} states", prior.len(), whole.len())));
    }
    log_ratio(&after, &whole, first)?;
    let posterior = Scaled::normalised(&with_prior(&after, &whole, |state| prior[state]));
    Ok(posterior.unwrap_or_else(|| vec![0.0; prior.len()]))
}
