//! The importance-sampling estimator: log Ẑ and E_θ[φ] at one θ, and their reliability.
//!
//! Standard errors are those of a ratio of two sums (the delta method), with one term per rollout, because prefixes of
//! one rollout are not independent.

use crate::Error;
use crate::model_free::Samples;
use crate::numeric::parallel;
use crate::numeric::vector::{all_finite, dot};

/// Rows that are summed together. Fixed, so that any number of threads sums in the same order.
const CHUNK: usize = 4096;

/// The estimate from samples at one θ.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// log Ẑ(θ).
    pub log_partition: f64,
    /// Its standard error.
    pub log_partition_error: f64,
    /// Σ w_i φ_i / Σ w_i, which estimates E_θ\[φ\].
    pub expectation: Vec<f64>,
    /// The standard error of each expectation, which is also that of each component of the gradient.
    pub standard_error: Vec<f64>,
    /// (Σ w)² / Σ w² over rollouts: the number of independent samples from the model itself that would have the same
    /// accuracy. It is at least 1.
    pub effective_sample_size: f64,
    /// The heaviest rollout's share of the total weight.
    pub largest_share: f64,
}

/// The importance weights at one θ.
pub(crate) struct ImportanceWeights {
    pub(crate) log_partition: f64,
    /// w_i / Σ w.
    pub(crate) share: Vec<f64>,
    pub(crate) expectation: Vec<f64>,
}

impl Samples {
    /// Estimates log Z(θ) and E_θ\[φ\].
    ///
    /// The result does not depend on the number of threads. Rewards may have any size that fits into an f64.
    ///
    /// # Errors
    /// If θ has the wrong length or is not finite, or if θ·φ of a sample is not finite.
    pub fn evaluate(&self, theta: &[f64]) -> Result<Estimate, Error> {
        let weights = self.weigh(theta)?;
        let (n, k) = (self.n_rollouts() as f64, self.n_features());
        // The correction of a variance estimated from n samples: n / (n - 1).
        let correction = n / (n - 1.0);
        let rollouts: Vec<usize> = (0..self.offsets.len() - 1).collect();
        let parts = parallel::map(rollouts.chunks(CHUNK), |rollouts| {
            let (mut squares, mut largest, mut variance, mut score) = (0.0, 0.0, vec![0.0; k], vec![0.0; k]);
            for &rollout in rollouts {
                let share = self.score(&weights, rollout, &mut score);
                squares += share * share;
                largest = f64::max(largest, share);
                variance.iter_mut().zip(&score).for_each(|(sum, score)| *sum += score * score);
            }
            (squares, largest, variance)
        });
        let (mut squares, mut largest, mut variance) = (0.0, 0.0, vec![0.0; k]);
        for part in &parts {
            squares += part.0;
            largest = f64::max(largest, part.1);
            add(&part.2, &mut variance);
        }
        Ok(Estimate {
            log_partition: weights.log_partition,
            log_partition_error: (correction * (squares - 1.0 / n)).max(0.0).sqrt(),
            expectation: weights.expectation,
            standard_error: variance.iter().map(|variance| (correction * variance).sqrt()).collect(),
            effective_sample_size: 1.0 / squares,
            largest_share: largest,
        })
    }

    /// The importance weights, by log-sum-exp, and the expectation under them.
    pub(crate) fn weigh(&self, theta: &[f64]) -> Result<ImportanceWeights, Error> {
        let k = self.n_features();
        if theta.len() != k {
            return Err(Error::Length { what: "theta", found: theta.len(), expected: k });
        }
        all_finite("theta", theta)?;
        let mut weights = self.log_base.clone();
        let chunks = self.features.chunks(CHUNK * k).zip(weights.chunks_mut(CHUNK));
        parallel::for_each(chunks, |(features, weights)| {
            features.chunks_exact(k).zip(weights).for_each(|(phi, weight)| *weight += dot(theta, phi));
        });
        if let Some(&value) = weights.iter().find(|log| !log.is_finite()) {
            return Err(Error::Overflow { what: "the log-weight of a sample", value });
        }
        let largest = weights.iter().fold(f64::NEG_INFINITY, |largest, &log| largest.max(log));
        let parts = parallel::map(self.features.chunks(CHUNK * k).zip(weights.chunks_mut(CHUNK)), |(features, weights)| {
            let (mut total, mut sum) = (0.0, vec![0.0; k]);
            for (phi, weight) in features.chunks_exact(k).zip(weights) {
                *weight = (*weight - largest).exp();
                total += *weight;
                sum.iter_mut().zip(phi).for_each(|(sum, phi)| *sum += *weight * phi);
            }
            (total, sum)
        });
        let (mut total, mut sum) = (0.0, vec![0.0; k]);
        for part in &parts {
            total += part.0;
            add(&part.1, &mut sum);
        }
        let expectation: Vec<f64> = sum.iter().map(|sum| sum / total).collect();
        if let Some(&value) = expectation.iter().find(|value| !value.is_finite()) {
            return Err(Error::Overflow { what: "an expected feature", value });
        }
        weights.iter_mut().for_each(|weight| *weight /= total);
        let log_partition = largest + total.ln() - (self.n_rollouts() as f64).ln();
        Ok(ImportanceWeights { log_partition, share: weights, expectation })
    }

    /// A rollout's contribution to the error of the expectation, Σ w̄_i (φ_i - E[φ]). Returns its share of the weight.
    fn score(&self, weights: &ImportanceWeights, rollout: usize, score: &mut [f64]) -> f64 {
        score.fill(0.0);
        let mut total = 0.0;
        for sample in self.offsets[rollout]..self.offsets[rollout + 1] {
            let share = weights.share[sample];
            total += share;
            for ((score, phi), mean) in score.iter_mut().zip(self.row(sample)).zip(&weights.expectation) {
                *score += share * (phi - mean);
            }
        }
        total
    }

    /// The covariance of the estimated expectation, with features measured in `units`.
    pub(crate) fn covariance_of_expectation(&self, weights: &ImportanceWeights, units: &[f64]) -> Vec<f64> {
        let n = self.n_rollouts() as f64;
        sum_of_squares(self.offsets.len() - 1, units.len(), |rollout, score| {
            self.score(weights, rollout, score);
            score.iter_mut().zip(units).for_each(|(score, unit)| *score /= unit);
            n / (n - 1.0)
        })
    }

    /// The covariance of φ under the given weights, in `units`: the negative Hessian of the objective.
    pub(crate) fn covariance_of_features(&self, share: &[f64], mean: &[f64], units: &[f64]) -> Vec<f64> {
        sum_of_squares(share.len(), units.len(), |sample, row| {
            for (row, ((phi, mean), unit)) in row.iter_mut().zip(self.row(sample).iter().zip(mean).zip(units)) {
                *row = (phi - mean) / unit;
            }
            share[sample]
        })
    }

    /// Each feature's mean and standard deviation over the samples, all with equal weight.
    pub(crate) fn spread(&self) -> Vec<(f64, f64)> {
        let (n, k) = (self.log_base.len() as f64, self.n_features());
        let rows = || self.features.chunks_exact(k);
        let mut mean = vec![0.0; k];
        rows().for_each(|row| mean.iter_mut().zip(row).for_each(|(mean, phi)| *mean += phi / n));
        let mut variance = vec![0.0; k];
        for row in rows() {
            for ((variance, phi), mean) in variance.iter_mut().zip(row).zip(&mean) {
                *variance += (phi - mean) * (phi - mean) / n;
            }
        }
        mean.into_iter().zip(variance.iter().map(|variance| variance.sqrt())).collect()
    }
}

/// Σ factor · row rowᵀ over rows. `fill` writes a row and returns its factor.
fn sum_of_squares(n_rows: usize, k: usize, fill: impl Fn(usize, &mut [f64]) -> f64 + Sync) -> Vec<f64> {
    let rows: Vec<usize> = (0..n_rows).collect();
    let parts = parallel::map(rows.chunks(CHUNK), |rows| {
        let (mut sum, mut row) = (vec![0.0; k * k], vec![0.0; k]);
        for &number in rows {
            let factor = fill(number, &mut row);
            for (i, a) in row.iter().enumerate() {
                let scaled = factor * a;
                sum[i * k..=i * k + i].iter_mut().zip(&row).for_each(|(sum, b)| *sum += scaled * b);
            }
        }
        sum
    });
    let mut sum = vec![0.0; k * k];
    parts.iter().for_each(|part| add(part, &mut sum));
    for i in 0..k {
        for j in 0..i {
            sum[j * k + i] = sum[i * k + j];
        }
    }
    sum
}

fn add(terms: &[f64], sum: &mut [f64]) {
    sum.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}
