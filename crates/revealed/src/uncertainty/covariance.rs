//! The covariance of estimates from the information of any log-likelihood and the scores of what was observed.

use super::unidentified::Spectrum;
use super::{Information, Standing};

/// H⁻¹ of the parameters that no bound holds, and the status of each parameter.
pub(crate) struct Inverse {
    pub standing: Vec<Standing>,
    free: Vec<usize>,
    inverse: Vec<f64>,
}

impl Inverse {
    /// Of the information of one unit of weight. A pseudo-inverse along directions that are not identified.
    pub fn new(information: &Information, at_bounds: &[usize]) -> Inverse {
        let count = information.n_parameters();
        let mut standing = vec![Standing::Estimated; count];
        at_bounds.iter().for_each(|&k| standing[k] = Standing::AtBound);
        let free: Vec<usize> = (0..count).filter(|&k| standing[k] == Standing::Estimated).collect();
        let spectrum = Spectrum::new(information, &free);
        for (&k, _) in free.iter().zip(spectrum.hidden()).filter(|(_, hidden)| *hidden) {
            standing[k] = Standing::Unidentified;
        }
        let inverse = spectrum.inverse();
        Inverse { standing, free, inverse }
    }

    /// H⁻¹ M H⁻¹ / N, or H⁻¹ / N if M is absent, row by row; zero for parameters at a bound.
    pub fn covariance(&self, middle: Option<&[f64]>, n: f64) -> Vec<f64> {
        covariance(&self.inverse, &self.free, middle, n, self.standing.len())
    }

    /// The standard errors of the estimated parameters.
    pub fn errors(&self, covariance: &[f64]) -> Vec<Option<f64>> {
        let estimated: Vec<usize> = (0..self.standing.len()).filter(|&k| self.standing[k] == Standing::Estimated).collect();
        roots(covariance, &estimated, self.standing.len())
    }
}

/// Adds `factor` times the products of the entries of a score to a matrix.
pub(crate) fn add_products(sum: &mut [f64], factor: f64, score: &[f64]) {
    for (row, &one) in sum.chunks_exact_mut(score.len().max(1)).zip(score).filter(|(_, one)| **one != 0.0) {
        row.iter_mut().zip(score).for_each(|(sum, other)| *sum += factor * one * other);
    }
}

/// H⁻¹ M H⁻¹ / N, or H⁻¹ / N if M is absent, for the free parameters among all `n_parameters`; zero elsewhere.
pub(super) fn covariance(inverse: &[f64], free: &[usize], middle: Option<&[f64]>, n: f64, n_parameters: usize) -> Vec<f64> {
    let m = free.len();
    let times = |left: &[f64], entry: &dyn Fn(usize, usize) -> f64| {
        let mut product = vec![0.0; m * m];
        for i in 0..m {
            for l in 0..m {
                let factor = left[i * m + l];
                (0..m).for_each(|j| product[i * m + j] += factor * entry(l, j));
            }
        }
        product
    };
    let of_free = match middle {
        None => inverse.to_vec(),
        Some(middle) => {
            let half = times(inverse, &|i, j| middle[free[i] * n_parameters + free[j]]);
            times(&half, &|i, j| inverse[i * m + j])
        }
    };
    let mut all = vec![0.0; n_parameters * n_parameters];
    for (i, &k) in free.iter().enumerate() {
        free.iter().enumerate().for_each(|(j, &l)| all[k * n_parameters + l] = of_free[i * m + j] / n);
    }
    all
}

/// The standard errors of the estimated parameters.
pub(super) fn roots(covariance: &[f64], estimated: &[usize], n: usize) -> Vec<Option<f64>> {
    let mut errors = vec![None; n];
    estimated.iter().for_each(|&k| errors[k] = Some(covariance[k * n + k].max(0.0).sqrt()));
    errors
}
