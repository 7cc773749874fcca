//! A test whether θ̂ is an optimum, with a Newton step.

use super::unidentified::Spectrum;
use crate::learning::MaxEnt;
use crate::learning::whole::Whole;
use crate::model::Chance;
use crate::numeric::vector::dot;
use crate::uncertainty::{Information, Standing};

/// A parameter that a Newton step changes by more than this, in units of 1 / feature, may not be at an optimum. If the
/// search diverges, the step is about 1 however far the search has gone.
const STILL_MOVES: f64 = 0.1;
/// Near an optimum a Newton step removes the slope; if the search diverges, about 1/e of the slope remains.
const STILL_RISES: f64 = 0.1;

impl MaxEnt {
    /// Marks parameters that are not at a maximum of the likelihood.
    pub(crate) fn mark_no_optimum(
        &self,
        standing: &mut [Standing],
        information: &Information,
        model: &mut Whole<'_>,
        theta: &[f64],
    ) {
        let never_seen = model.census.never_seen();
        // In the causal model a demonstration may avoid a feature by luck.
        let tilted = self.method.chance() == Chance::Tilted;
        for k in never_seen.into_iter().filter(|&k| tilted && self.l2 == 0.0 && information.at(k, k) > 0.0) {
            if standing[k] == Standing::Estimated {
                standing[k] = Standing::NoOptimum;
            }
        }
        // Parameters that still move may drag others along: repeat without them.
        loop {
            let free: Vec<usize> = (0..theta.len()).filter(|&k| standing[k] == Standing::Estimated).collect();
            let m = free.len();
            let inverse = self.inverse(information, &Spectrum::new(information, &free));
            let pull = |gradient: &[f64], theta: &[f64]| -> Vec<f64> {
                free.iter().map(|&k| gradient[k] - self.l2 * theta[k]).collect()
            };
            let here = pull(information.gradient(), theta);
            let step: Vec<f64> = (0..m).map(|i| dot(&inverse[i * m..(i + 1) * m], &here)).collect();
            let moves: Vec<usize> =
                (0..m).filter(|&i| (step[i] * information.unit(free[i])).abs() > STILL_MOVES).map(|i| free[i]).collect();
            if moves.is_empty() {
                return;
            }
            let mut there = theta.to_vec();
            free.iter().zip(&step).for_each(|(&k, step)| there[k] += step);
            // A step out of the range of f64 is not a step to an optimum either.
            if let Ok(at) = model.evaluate(&there)
                && dot(&pull(&at.gradient, &there), &step) <= STILL_RISES * dot(&here, &step)
            {
                return;
            }
            moves.into_iter().for_each(|k| standing[k] = Standing::NoOptimum);
        }
    }
}
