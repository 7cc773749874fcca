//! Z as `f64` with one common scale, while all of it fits: ten times as fast as mantissas and exponents.

use super::{Run, ZiebartVersion};
use crate::Error;
use crate::cancel::Pace;
use crate::numeric::parallel;
use crate::numeric::rows::fill;
use crate::numeric::scaled::{Scaled, exponent_of, power_of_two};

/// The smallest ratio of two numbers that share a scale.
const LEAST: f64 = 1e-240;
/// The factors e^R must lie between 2^-MODEST and 2^MODEST.
const MODEST: f64 = 100.0;

impl Run<'_> {
    /// Steps (1) and (2) as `f64`. `None` if numbers leave the range in which the rounding equals that of mantissas and
    /// exponents.
    pub fn plain_partitions(&self, iterations: usize) -> Result<Option<[Vec<Scaled>; 2]>, Error> {
        let (mdp, n_states) = (self.mdp, self.mdp.n_states());
        let in_range = |factor: &Scaled| factor.exponent.abs() <= MODEST;
        if !self.factor.iter().all(in_range) || mdp.probability().iter().any(|&p| p < power_of_two(-MODEST)) {
            return Ok(None);
        }
        let factor: Vec<f64> = self.factor.iter().map(|factor| factor.to_f64()).collect();
        let indicator = |state: usize| self.indicator(state).to_f64();
        let (first, to, probability) = (self.first_children(), mdp.to(), mdp.probability());
        let looping: Vec<f64> =
            (0..n_states).map(|state| if self.loops(state) { mdp.n_actions() as f64 * factor[state] } else { 0.0 }).collect();
        let mut before: Vec<f64> = match self.algorithm.version {
            ZiebartVersion::Y2008 => vec![1.0; n_states],
            ZiebartVersion::Y2010 => (0..n_states).map(indicator).collect(),
        };
        let mut last = vec![0.0; n_states];
        // Z = z · 2^scale, of `before` and of `last`.
        let mut scale = [0.0, 0.0];
        let mut pace = Pace::default();
        for iteration in 1..=iterations {
            pace.spend(mdp.n_transitions())?;
            // Rescale so that the largest is about 1. Give up if another number is too far below it.
            let (least, most) = span(self.share, &before);
            if least < LEAST * most {
                return Ok(None);
            }
            let shift = if most > 0.0 { exponent_of(most) } else { 0.0 };
            let unit = power_of_two(-shift);
            scale[1] = scale[0] + shift;
            let one = match self.algorithm.version {
                ZiebartVersion::Y2008 => 0.0,
                ZiebartVersion::Y2010 if scale[1].abs() <= MODEST => power_of_two(-scale[1]),
                ZiebartVersion::Y2010 => return Ok(None),
            };
            fill(self.share, &mut last, |state| {
                let steps = first[state] as usize..first[state + 1] as usize;
                let sum: f64 = if looping[state] > 0.0 {
                    looping[state] * before[state]
                } else {
                    factor[state]
                        * to[steps.clone()].iter().zip(&probability[steps]).map(|(&to, p)| p * before[to as usize]).sum::<f64>()
                };
                if one > 0.0 { sum * unit + indicator(state) * one } else { sum * unit }
            });
            // Values that have converged to the last bit no longer change.
            if iteration == iterations || scale[0] == scale[1] && last == before {
                break;
            }
            std::mem::swap(&mut before, &mut last);
            scale[0] = scale[1];
        }
        let (least, most) = span(self.share, &last);
        if least < LEAST * most || !most.is_finite() {
            return Ok(None);
        }
        let wide = |z: &f64, scale: f64| Scaled::from(*z) * Scaled { mantissa: 1.0, exponent: scale };
        let [before_scale, last_scale] = scale;
        let [before, last] =
            [(before, before_scale), (last, last_scale)].map(|(vector, scale)| vector.iter().map(|z| wide(z, scale)).collect());
        Ok(Some([before, last]))
    }
}

/// The smallest number that is not zero, and the largest. Neither depends on the number of threads.
fn span(share: bool, numbers: &[f64]) -> (f64, f64) {
    let join = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
    let one = |numbers: &[f64]| {
        let seen = |(least, most): (f64, f64), &number: &f64| {
            let positive = if number > 0.0 { number } else { f64::INFINITY };
            (if positive < least { positive } else { least }, if number > most { number } else { most })
        };
        numbers.iter().fold((f64::INFINITY, 0.0), seen)
    };
    if !share {
        return one(numbers);
    }
    parallel::map(numbers.chunks(8192), one).into_iter().fold((f64::INFINITY, 0.0), join)
}
