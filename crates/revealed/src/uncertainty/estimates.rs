//! How sure θ̂ is: standard errors, intervals, correlations, and what the data cannot tell.

use super::tails::{two_sided, within};
use super::{FitStatistics, Unidentified, WeaklyIdentified};
use crate::Error;

/// What an estimate is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It has a standard error.
    Estimated,
    /// A bound holds it: the others are given that it lies there.
    AtBound,
    /// It takes part in a direction that the data cannot see.
    Unidentified,
    /// The likelihood still rises along it: no demonstration ever has the feature (or all that can), or the search was ended early.
    NoOptimum,
}

impl Standing {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Estimated => "estimated",
            Standing::AtBound => "at bound",
            Standing::Unidentified => "not identified",
            Standing::NoOptimum => "no optimum",
        }
    }
}

/// How sure θ̂ is. From [`MaxEnt::uncertainty`](crate::MaxEnt::uncertainty).
///
/// With H = I(θ̂) + l2 and N the sum of the demonstrations' weights, the covariance of θ̂ is H⁻¹ I H⁻¹ / N: the inverse
/// information, if there is no penalty. With one the estimate is shrunk towards 0, and intervals are about where the shrunk
/// estimate would be expected. The robust (sandwich) covariance H⁻¹ J H⁻¹ / N has the demonstrations' own covariance of φ in the
/// place of the model's, and holds even if the model is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Uncertainty {
    /// θ̂.
    pub theta: Vec<f64>,
    /// What each of them is worth.
    pub standing: Vec<Standing>,
    /// Standard errors of those that are [`Standing::Estimated`].
    pub standard_errors: Vec<Option<f64>>,
    /// The robust ones; `None` for [`Ends::Goal`](crate::Ends::Goal) and the recursive logit, where each pair of ends would take a gradient of its own.
    pub robust_errors: Option<Vec<Option<f64>>>,
    /// A basis of the directions that the data cannot see.
    pub unidentified: Vec<Unidentified>,
    /// Directions that they hardly see, the worst first: errors there are large, and only roughly known.
    pub weak: Vec<WeaklyIdentified>,
    /// λ_max / λ_min of the information, with features in units of their spread, among the directions that the data see.
    pub condition: f64,
    /// The penalty that shrank θ̂.
    pub l2: f64,
    /// The whole fit.
    pub statistics: FitStatistics,
    pub(crate) covariance: Vec<f64>,
}

impl Uncertainty {
    /// The covariance of two estimates; `None` unless both are [`Standing::Estimated`].
    pub fn covariance(&self, i: usize, j: usize) -> Option<f64> {
        let estimated = |k: usize| self.standing[k] == Standing::Estimated;
        (estimated(i) && estimated(j)).then(|| self.covariance[i * self.theta.len() + j])
    }

    /// The correlation of two estimates.
    pub fn correlation(&self, i: usize, j: usize) -> Option<f64> {
        let (a, b) = (self.standard_errors[i]?, self.standard_errors[j]?);
        self.covariance(i, j).filter(|_| a > 0.0 && b > 0.0).map(|covariance| (covariance / (a * b)).clamp(-1.0, 1.0))
    }

    /// Pairs of estimates whose correlation is larger than this in size, the largest first.
    pub fn correlated(&self, least: f64) -> Vec<(usize, usize, f64)> {
        let pairs = (0..self.theta.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
        let mut found: Vec<(usize, usize, f64)> =
            pairs.filter_map(|(i, j)| Some((i, j, self.correlation(i, j)?))).filter(|pair| pair.2.abs() > least).collect();
        found.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
        found
    }

    /// θ̂ in units of its standard error.
    pub fn z_value(&self, k: usize) -> Option<f64> {
        self.standard_errors[k].filter(|&error| error > 0.0).map(|error| self.theta[k] / error)
    }

    /// The probability of a z-value at least as large in size if the true parameter is 0, by the normal distribution.
    pub fn p_value(&self, k: usize) -> Option<f64> {
        self.z_value(k).map(two_sided)
    }

    /// Intervals around θ̂ that cover the true parameter with this probability, by the normal distribution.
    ///
    /// # Errors
    /// If the level is not between 0 and 1.
    pub fn intervals(&self, level: f64) -> Result<Vec<Option<(f64, f64)>>, Error> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::Setting { what: "the level", value: level, expected: "between 0 and 1, such as 0.95" });
        }
        let z = within(level);
        let around = |(theta, error): (&f64, &Option<f64>)| error.map(|error| (theta - z * error, theta + z * error));
        Ok(self.theta.iter().zip(&self.standard_errors).map(around).collect())
    }
}
