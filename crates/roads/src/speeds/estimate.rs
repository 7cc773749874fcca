//! The estimate of slowness: a linear model with random effects.
//!
//! The seconds y of a stretch are a sum over kinds of roads c of their usual seconds x, times the slowness there:
//!
//! ```text
//! y = Σ_c x_c (m + a_c + b_h + u_ch) + error,    var(error) = s² Σ_c x_c
//! a_c ~ N(0, A),  b_h ~ N(0, B),  u_ch ~ N(0, U)
//! ```
//!
//! The variances s², A, B and U are estimated by the EM algorithm. So the slowness of a kind of road in an hour of which
//! little is known is near the sum of the mean of the kind and that of the hour: this is the shrinkage.

use super::drives::Stretch;
use crate::statistics::inverse;

const HOURS: usize = 24;
/// The most rounds of the EM algorithm, and the relative change of the variances at which it ends.
const MOST_ROUNDS: usize = 100;
const SMALL: f64 = 1e-3;
/// The least variance, so that matrices stay regular.
const LEAST: f64 = 1e-8;

/// The estimated effects.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Effects {
    n_kinds: usize,
    mean: Vec<f64>,
    covariance: Vec<f64>,
    /// The variance of an error for a second of usual time.
    pub noise: f64,
    /// The standard deviations between kinds of roads, between hours, and of kinds within hours.
    pub spreads: [f64; 3],
}

/// The numbers of the effects of a kind of road, and of an hour if there is one.
fn effects(n_kinds: usize, kind: usize, hour: Option<usize>) -> Vec<usize> {
    let mut found = vec![0, 1 + kind];
    if let Some(hour) = hour {
        found.extend([1 + n_kinds + hour, 1 + n_kinds + HOURS + kind * HOURS + hour]);
    }
    found
}

impl Effects {
    /// The effects for some stretches; `None` if there are none.
    pub(super) fn new(n_kinds: usize, stretches: &[Stretch]) -> Option<Effects> {
        let n = 1 + n_kinds + HOURS + n_kinds * HOURS;
        let (mut gram, mut right, mut square) = (vec![0.0; n * n], vec![0.0; n], 0.0);
        for stretch in stretches {
            let all: f64 = stretch.usual.iter().map(|entry| entry.1).sum();
            let mut row: Vec<(usize, f64)> = Vec::new();
            for &(kind, usual) in &stretch.usual {
                row.extend(effects(n_kinds, kind, stretch.hour).into_iter().map(|place| (place, usual)));
            }
            for &(place, x) in &row {
                right[place] += x * stretch.seconds / all;
                row.iter().for_each(|&(other, y)| gram[place * n + other] += x * y / all);
            }
            square += stretch.seconds * stretch.seconds / all;
        }
        let count = stretches.len() as f64;
        if stretches.is_empty() {
            return None;
        }
        let groups = [1..1 + n_kinds, 1 + n_kinds..1 + n_kinds + HOURS, 1 + n_kinds + HOURS..n];
        let (mut noise, mut variances) = (square / count, [0.1, 0.1, 0.1]);
        let mut found = None;
        for _ in 0..MOST_ROUNDS {
            let mut precision: Vec<f64> = gram.iter().map(|entry| entry / noise).collect();
            // The mean over all has hardly any prior: it is near 1 up to a factor of a hundred.
            precision[0] += 1e-4;
            for (group, variance) in groups.iter().zip(variances) {
                group.clone().for_each(|place| precision[place * n + place] += 1.0 / variance);
            }
            let covariance = inverse(&precision, n)?;
            let times = |row: usize| (0..n).map(|k| covariance[row * n + k] * right[k]).sum::<f64>() / noise;
            let mean: Vec<f64> = (0..n).map(times).collect();
            let fitted = |k: usize| (0..n).map(|j| gram[k * n + j] * mean[j]).sum::<f64>();
            let residual = square + (0..n).map(|k| mean[k] * (fitted(k) - 2.0 * right[k])).sum::<f64>();
            let trace: f64 = gram.iter().zip(&covariance).map(|(a, b)| a * b).sum();
            let (old, before) = (noise, variances);
            noise = ((residual + trace) / count).max(LEAST);
            for (group, variance) in groups.iter().zip(&mut variances) {
                let squares = group.clone().map(|place| mean[place].powi(2) + covariance[place * n + place]);
                *variance = (squares.sum::<f64>() / group.len() as f64).max(LEAST);
            }
            let spreads = before.map(f64::sqrt);
            found = Some(Effects { n_kinds, mean, covariance, noise: old, spreads });
            let changed =
                variances.iter().zip(before).map(|(a, b)| (a / b - 1.0).abs()).fold((noise / old - 1.0).abs(), f64::max);
            if changed < SMALL {
                break;
            }
        }
        found
    }

    /// The slowness of a kind of road in an hour, or in the mean of all hours; with its standard error.
    pub(super) fn slowness(&self, kind: usize, hour: Option<usize>) -> [f64; 2] {
        self.sum(&effects(self.n_kinds, kind, hour))
    }

    /// The slowness of an hour, in the mean of all kinds of roads.
    pub(super) fn of_hour(&self, hour: usize) -> [f64; 2] {
        self.sum(&[0, 1 + self.n_kinds + hour])
    }

    /// The mean of all.
    pub(super) fn mean(&self) -> [f64; 2] {
        self.sum(&[0])
    }

    /// The sum of some effects, and its standard error.
    fn sum(&self, places: &[usize]) -> [f64; 2] {
        let n = self.mean.len();
        let variance: f64 = places.iter().flat_map(|&a| places.iter().map(move |&b| self.covariance[a * n + b])).sum();
        [places.iter().map(|&place| self.mean[place]).sum(), variance.max(0.0).sqrt()]
    }
}
