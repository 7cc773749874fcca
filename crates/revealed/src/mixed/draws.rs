//! Draws of standard normal numbers: a shifted Halton sequence.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::numeric::random::stream;

/// The base of each dimension. In larger bases the first numbers of two dimensions go up together.
pub(super) const PRIMES: [u64; 10] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29];
/// The first numbers are left out: at the beginning all dimensions are small together (Train 2009, section 9.3.3).
const LEFT_OUT: u64 = 50;

/// Whose draws they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// Each traveller has draws of its own. The errors of the simulation then average out over travellers.
    #[default]
    Own,
    /// All travellers have the same draws. An evaluation takes one elimination for each draw, whatever the number of
    /// travellers, but the errors of the simulation do not average out: take many draws.
    Common,
}

impl Sharing {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Sharing::Own => "own",
            Sharing::Common => "common",
        }
    }
}

/// The draws of all sets of travellers. They are the same whenever they are asked for, and take no memory.
#[derive(Debug)]
pub(super) struct Draws {
    /// R: how many each traveller has.
    each: usize,
    /// A shift of each dimension, modulo 1 (Cranley and Patterson 1976).
    shifts: Vec<f64>,
}

impl Draws {
    pub fn new(dimensions: usize, each: usize, seed: u64) -> Draws {
        let shift = |dimension: usize| Pcg64Mcg::seed_from_u64(stream(seed, dimension as u64)).random::<f64>();
        Draws { each, shifts: (0..dimensions).map(shift).collect() }
    }

    pub fn each(&self) -> usize {
        self.each
    }

    /// Draw r of a set of travellers: a number for each random coefficient. Sets follow each other in the sequence.
    pub fn of(&self, set: usize, r: usize) -> Vec<f64> {
        let number = LEFT_OUT + 1 + (set * self.each + r) as u64;
        let normal = |(shift, &prime): (&f64, &u64)| {
            let uniform = (radical_inverse(number, prime) + shift).fract();
            normal_quantile(uniform.clamp(f64::EPSILON, 1.0 - f64::EPSILON))
        };
        self.shifts.iter().zip(&PRIMES).map(normal).collect()
    }
}

/// The digits of a number in this base, mirrored at the point (Halton 1960).
fn radical_inverse(mut number: u64, base: u64) -> f64 {
    let (mut inverse, mut digit) = (0.0, 1.0);
    while number > 0 {
        digit /= base as f64;
        inverse += digit * (number % base) as f64;
        number /= base;
    }
    inverse
}

/// The z with P(Z ≤ z) = p of a standard normal Z.
fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    // Abramowitz and Stegun 26.2.23, to 4.5e-4. Each of Halley's steps triples the digits.
    let t = (-2.0 * p.ln()).sqrt();
    let above = 2.515517 + t * (0.802853 + t * 0.010328);
    let below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    let mut z = above / below - t;
    for _ in 0..2 {
        let excess = 0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2) - p;
        let step = excess * (2.0 * std::f64::consts::PI).sqrt() * (0.5 * z * z).exp();
        z -= step / (1.0 + 0.5 * z * step);
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_halton() {
        let first = |base: u64| [1, 2, 3, 4, 5].map(|number| radical_inverse(number, base));
        assert_eq!(first(2), [0.5, 0.25, 0.75, 0.125, 0.625]);
        let thirds = first(3).map(|value| (value * 9.0).round());
        assert_eq!(thirds, [3.0, 6.0, 1.0, 4.0, 7.0]);
    }

    /// Expected values are SciPy's `norm.ppf`.
    #[test]
    fn quantiles_are_those_of_scipy() {
        let scipy = [
            (0.5, 0.0),
            (0.025, -1.959963984540054),
            (0.975, 1.959963984540054),
            (0.3, -0.5244005127080409),
            (1e-10, -6.361340902404056),
            (0.999, 3.090232306167813),
        ];
        for (p, z) in scipy {
            assert!((normal_quantile(p) - z).abs() < 1e-13 * (1.0 + z.abs()), "{p}: {} {z}", normal_quantile(p));
        }
    }

    #[test]
    fn draws_have_mean_0_variance_1_and_no_correlation() {
        let draws = Draws::new(3, 4000, 7);
        let all: Vec<Vec<f64>> = (0..4000).map(|r| draws.of(0, r)).collect();
        let mean = |of: &dyn Fn(&[f64]) -> f64| all.iter().map(|z| of(z)).sum::<f64>() / 4000.0;
        for k in 0..3 {
            assert!(mean(&|z| z[k]).abs() < 0.01 && (mean(&|z| z[k] * z[k]) - 1.0).abs() < 0.02, "{k}");
            assert!(mean(&|z| z[k] * z[(k + 1) % 3]).abs() < 0.02, "{k}");
        }
        // The same again, others with another seed, and others for another set.
        assert_eq!(draws.of(2, 5), Draws::new(3, 4000, 7).of(2, 5));
        assert_ne!(draws.of(2, 5), Draws::new(3, 4000, 8).of(2, 5));
        assert_ne!(draws.of(2, 5), draws.of(1, 5));
    }
}
