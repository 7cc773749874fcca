//! Normal random numbers.

use std::f64::consts::TAU;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

/// A point whose coordinates are two independent standard normal numbers, as a radius and an angle (Box and Muller).
pub(crate) fn normal_polar(rng: &mut Pcg64Mcg) -> (f64, f64) {
    // 1 - u is never 0.
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    ((-2.0 * (1.0 - u).ln()).sqrt(), TAU * v)
}
