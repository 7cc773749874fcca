//! Random draws: one random stream per path, and choices in proportion to weights.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::Error;
use crate::numeric::scaled::Scaled;

/// The most paths of one call. A path takes some hundred bytes.
const MOST_PATHS: usize = 10_000_000;

/// Rejects more paths than fit into memory.
pub(crate) fn check_number(n: usize) -> Result<(), Error> {
    if n > MOST_PATHS {
        return Err(Error::Count { what: "the number of paths", value: n, least: 0, most: MOST_PATHS });
    }
    Ok(())
}

/// The seed of the random numbers of one path. Odd multiples of a large constant keep the streams apart.
pub(crate) fn stream(seed: u64, index: u64) -> u64 {
    seed ^ index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Draws one of the options by their probabilities; never one of probability 0.
pub(crate) fn draw(options: impl Iterator<Item = (usize, f64)>, rng: &mut Pcg64Mcg) -> usize {
    let mut left: f64 = rng.random();
    let mut last = 0;
    for (option, p) in options.filter(|option| option.1 > 0.0) {
        last = option;
        left -= p;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// Draws one of the options in proportion to their weights; `None` if all weights are zero.
pub(crate) fn choose<T: Copy>(options: &[(T, Scaled)], rng: &mut Pcg64Mcg) -> Option<T> {
    let largest = options.iter().fold(f64::NEG_INFINITY, |largest, option| largest.max(option.1.exponent));
    let weight = |option: &(T, Scaled)| over(option.1, largest);
    let total: f64 = options.iter().map(weight).sum();
    let mut left = rng.random::<f64>() * total;
    for option in options {
        left -= weight(option);
        if left < 0.0 {
            return Some(option.0);
        }
    }
    options.iter().rev().find(|option| weight(option) > 0.0).map(|option| option.0)
}

/// A weight divided by 2^exponent, where `exponent` is at least that of the weight.
pub(crate) fn over(weight: Scaled, exponent: f64) -> f64 {
    Scaled { exponent: weight.exponent - exponent, ..weight }.to_f64()
}
