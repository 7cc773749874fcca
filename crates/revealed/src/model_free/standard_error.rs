//! The standard error of θ̂ due to sampling.

use crate::learning::units::Units;
use crate::model_free::Samples;
use crate::model_free::importance::ImportanceWeights;
use crate::numeric::symmetric::pseudo_inverse;
use crate::numeric::vector::dot;

/// The maximum number of parameters for which standard errors are computed. The cost grows with the cube of their
/// number.
const MOST: usize = 400;

/// The standard errors of θ̂ by H⁻¹ Σ H⁻¹, over the free parameters. H is the covariance of φ under the weights (plus
/// the penalty), and Σ that of the estimated expectation.
pub(crate) struct ErrorOfTheta<'a> {
    pub(crate) samples: &'a Samples,
    pub(crate) units: &'a Units,
    pub(crate) l2: f64,
    /// Parameters not held by a bound.
    pub(crate) free: &'a [usize],
}

impl ErrorOfTheta<'_> {
    /// The standard errors, and the number of directions of θ that change no weight. The search never leaves its start
    /// along those, so they have no error, and the pseudo-inverse agrees. If the *weights* leave fewer directions than
    /// the samples have, too few samples count for an estimate.
    pub(crate) fn at(&self, weights: &ImportanceWeights, spread: &[(f64, f64)]) -> (Option<Vec<f64>>, usize) {
        let (n, m) = (self.samples.n_features(), self.free.len());
        if n > MOST {
            return (None, 0);
        }
        let units: Vec<f64> = (0..n).map(|k| self.units.of(k)).collect();
        let equal = vec![1.0 / weights.share.len() as f64; weights.share.len()];
        let mean: Vec<f64> = spread.iter().map(|pair| pair.0).collect();
        let (_, full) = pseudo_inverse(&self.of_free(&self.samples.covariance_of_features(&equal, &mean, &units)), m);
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

    /// The rows and columns of the free parameters.
    fn of_free(&self, matrix: &[f64]) -> Vec<f64> {
        let n = self.samples.n_features();
        self.free.iter().flat_map(|&i| self.free.iter().map(move |&j| matrix[i * n + j])).collect()
    }
}
