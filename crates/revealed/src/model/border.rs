//! The last look at an answer before it leaves the library: every probability lies in [0, 1], sums are what they must be,
//! and lengths are possible.
//!
//! `engine/digits.rs` refuses rewards whose digits are lost. What is checked here holds for every model whose digits are
//! not lost, so a failure means that they are. Numbers that exceed a limit by rounding only are moved to the limit.

use crate::Error;
use crate::engine::Horizon;
use crate::numeric::rounding::{MOST_ERROR, is_known};
use crate::world::Occupancy;

/// Sums and limits hold up to this, relative to their size: twice the error that `engine/digits.rs` lets pass.
const TOLERANCE: f64 = 2.0 * MOST_ERROR;
/// A log-probability may exceed 0 by this much: ten times what `engine/digits.rs` lets pass.
const LOG_TOLERANCE: f64 = 10.0 * MOST_ERROR;

fn impossible(what: &'static str, value: f64, expected: &'static str) -> Error {
    Error::ImpossibleAnswer { what, value, expected }
}

/// Probabilities of events, of which more than one may happen.
///
/// # Errors
/// [`Error::ImpossibleAnswer`].
pub(crate) fn probabilities(what: &'static str, mut p: Vec<f64>) -> Result<Vec<f64>, Error> {
    for p in &mut p {
        if !(0.0..=1.0 + TOLERANCE).contains(p) {
            return Err(impossible(what, *p, "between 0 and 1"));
        }
        *p = p.min(1.0);
    }
    Ok(p)
}

/// Probabilities of events of which exactly one happens.
///
/// # Errors
/// [`Error::ImpossibleAnswer`].
pub(crate) fn distribution(what: &'static str, p: Vec<f64>) -> Result<Vec<f64>, Error> {
    let p = probabilities(what, p)?;
    let sum: f64 = p.iter().sum();
    if (sum - 1.0).abs() <= TOLERANCE { Ok(p) } else { Err(impossible("the sum of the probabilities", sum, "1")) }
}

/// Probabilities of events of which at most one happens.
///
/// # Errors
/// [`Error::ImpossibleAnswer`].
pub(crate) fn at_most_one(what: &'static str, p: Vec<f64>) -> Result<Vec<f64>, Error> {
    let p = probabilities(what, p)?;
    let sum: f64 = p.iter().sum();
    if sum <= 1.0 + TOLERANCE { Ok(p) } else { Err(impossible("the sum of the probabilities", sum, "at most 1")) }
}

/// Expected visits. Discounted or not, a path has at most as many states as the horizon.
///
/// # Errors
/// [`Error::ImpossibleAnswer`].
pub(crate) fn visits(occupancy: Occupancy, horizon: Horizon) -> Result<Occupancy, Error> {
    let most = horizon.at_most().map_or(f64::MAX, |states| states as f64 * (1.0 + TOLERANCE));
    let mut all = occupancy.state.iter().chain(&occupancy.transition);
    if let Some(&visits) = all.find(|&visits| !(0.0..=most).contains(visits)) {
        return Err(impossible("an expected number of visits", visits, "0 or more, and at most the horizon"));
    }
    let sum: f64 = occupancy.state.iter().sum();
    match occupancy.state.is_empty() || (1.0 - TOLERANCE..=most).contains(&sum) {
        true => Ok(occupancy),
        false => Err(impossible("the expected number of visits of all states", sum, "between 1 and the horizon")),
    }
}

/// The mean and the variance of the number of states of paths that have `first` or more.
///
/// # Errors
/// [`Error::ImpossibleAnswer`].
pub(crate) fn moments([mean, variance]: [f64; 2], first: usize, horizon: Horizon) -> Result<[f64; 2], Error> {
    let least = first as f64;
    let most = horizon.at_most().map_or(f64::MAX, |states| states as f64);
    if !(least * (1.0 - TOLERANCE)..=most * (1.0 + TOLERANCE)).contains(&mean) {
        return Err(impossible("the mean number of states", mean, "between 1 and the horizon"));
    }
    if !(variance >= 0.0 && variance.is_finite()) {
        return Err(impossible("the variance of the number of states", variance, "0 or more"));
    }
    Ok([mean.clamp(least, most), variance])
}

/// The logarithm of a probability that is a difference of numbers of this size.
///
/// # Errors
/// What `lost` returns if the digits of the difference are lost; [`Error::ImpossibleAnswer`].
pub(crate) fn log_difference(what: &'static str, log: f64, size: f64, lost: impl FnOnce() -> Error) -> Result<f64, Error> {
    if is_known(log, size) { log_probability(what, log) } else { Err(lost()) }
}

/// The logarithm of a probability.
///
/// # Errors
/// [`Error::ImpossibleAnswer`].
pub(crate) fn log_probability(what: &'static str, log: f64) -> Result<f64, Error> {
    if log <= LOG_TOLERANCE { Ok(log.min(0.0)) } else { Err(impossible(what, log, "0 or less")) }
}
