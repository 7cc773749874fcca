//! How far θ̂ may be off because it was learned from samples.

use crate::learning::units::Units;
use crate::model_free::Samples;
use crate::model_free::importance::ImportanceWeights;
use crate::numeric::symmetric::pseudo_inverse;
use crate::numeric::vector::dot;

/// More parameters than this get no standard errors: they take their number cubed.
const MOST: usize = 400;

/// The standard errors of θ̂ by H⁻¹ Σ H⁻¹, with H the covariance of φ under the weights (and the penalty) and Σ that of the
/// estimated expectation, both of free parameters alone.
pub(crate) struct ErrorOfTheta<'a> {
    pub(crate) samples: &'a Samples,
    pub(crate) units: &'a Units,
    pub(crate) l2: f64,
    /// Parameters that no bound holds.
    pub(crate) free: &'a [usize],
}

impl ErrorOfTheta<'_> {
    /// The errors, and how many directions of θ change no weight. The search never leaves its start along those, so they have
    /// no error, and the pseudo-inverse says the same. But where the *weights* leave fewer directions than the samples have, so
    /// few samples count that nobody can tell.
    pub(crate) fn at(&self, weights: &ImportanceWeights, spread: &[(f64, f64)]) -> (Option<Vec<f64>>, usize) {
        let (n, m) = (self.samples.n_features(), self.free.len());
        if n > MOST {
            return (None, 0);
        }
        let units: Vec<f64> = (0..n).map(|k| self.units.of(k)).collect();
        let alike = vec![1.0 / weights.share.len() as f64; weights.share.len()];
        let mean: Vec<f64> = spread.iter().map(|pair| pair.0).collect();
        let (_, full) = pseudo_inverse(&self.of_free(&self.samples.covariance_of_features(&alike, &mean, &units)), m);
        let flat = if self.l2 > 0.0 { 0 } else { m - full };

        let mut curvature = self.of_free(&self.samples.covariance_of_features(&weights.share, &weights.expectation, &units));
        for (i, &k) in self.free.iter().enumerate() {
            curvature[i * m + i] += self.l2 / (units[k] * units[k]);
        }
        let (inverse, rank) = pseudo_inverse(&curvature, m);
        if rank < m - flat {
            return (None, flat);
        }
        let noise = self.of_free(&self.samples.covariance_of_expectation(weights, &units));
        let mut error = vec![0.0; n];
        for (i, &k) in self.free.iter().enumerate() {
            let row = &inverse[i * m..(i + 1) * m];
            let variance: f64 = (0..m).map(|j| row[j] * dot(row, &noise[j * m..(j + 1) * m])).sum();
            error[k] = variance.max(0.0).sqrt() / units[k];
        }
        (Some(error), flat)
    }

    /// Rows and columns of free parameters.
    fn of_free(&self, matrix: &[f64]) -> Vec<f64> {
        let n = self.samples.n_features();
        self.free.iter().flat_map(|&i| self.free.iter().map(move |&j| matrix[i * n + j])).collect()
    }
}
