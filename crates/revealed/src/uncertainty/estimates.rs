//! The uncertainty of θ̂: standard errors, confidence intervals, correlations, and unidentified directions.

use super::tails::{two_sided, within};
use super::{Cluster, FitStatistics, Unidentified, WeaklyIdentified};
use crate::Error;

/// The status of an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It has a standard error.
    Estimated,
    /// It is held at a bound. The other estimates are conditional on its value there.
    AtBound,
    /// It takes part in a direction that is not identified.
    Unidentified,
    /// The likelihood still increases along it: no demonstration has the feature (or all that can have it do), or the
    /// search ended early.
    NoOptimum,
}

impl Standing {
    /// The name that is printed.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Estimated => "estimated",
            Standing::AtBound => "at bound",
            Standing::Unidentified => "not identified",
            Standing::NoOptimum => "no optimum",
        }
    }
}

/// Which standard errors z-values, p-values and intervals use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorKind {
    /// Those of the model, which assume that the model is right and demonstrations are independent.
    #[default]
    Model,
    /// The robust ones; clustered if there is a [`Cluster`].
    Robust,
}

impl ErrorKind {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Model => "model",
            ErrorKind::Robust => "robust",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<ErrorKind> {
        [ErrorKind::Model, ErrorKind::Robust].into_iter().find(|kind| kind.name() == name)
    }
}

/// The uncertainty of θ̂, from [`MaxEnt::uncertainty`](crate::MaxEnt::uncertainty).
///
/// With H = I(θ̂) + l2 and N the sum of the demonstrations' weights, the covariance of θ̂ is H⁻¹ I H⁻¹ / N; without a
/// penalty this is the inverse information over N. A penalty shrinks the estimate towards 0, and intervals are then
/// about the expectation of the shrunk estimate. The robust (sandwich) covariance H⁻¹ J H⁻¹ / N replaces the model's
/// covariance of φ by that of the demonstrations, and is valid even if the model is wrong. With clusters, J is that of
/// their summed scores, times G / (G - 1) for G clusters, and demonstrations may depend on each other within a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Uncertainty {
    /// θ̂.
    pub theta: Vec<f64>,
    /// The status of each parameter.
    pub standing: Vec<Standing>,
    /// Standard errors of those that are [`Standing::Estimated`].
    pub standard_errors: Vec<Option<f64>>,
    /// The robust standard errors. `None` if there is only one demonstration.
    pub robust_errors: Option<Vec<Option<f64>>>,
    /// Which demonstrations the robust errors let depend on each other.
    pub cluster: Cluster,
    /// How many clusters there are; `None` for [`Cluster::Each`].
    pub n_clusters: Option<usize>,
    /// Which errors the z-values, p-values and intervals use; see [`with_errors`](Self::with_errors).
    pub reported: ErrorKind,
    /// A basis of the directions that are not identified.
    pub unidentified: Vec<Unidentified>,
    /// Weakly identified directions, the weakest first: standard errors along them are large and only roughly known.
    pub weak: Vec<WeaklyIdentified>,
    /// λ_max / λ_min of the information over the identified directions, with features in units of their standard
    /// deviation over paths.
    pub condition: f64,
    /// The penalty that shrank θ̂.
    pub l2: f64,
    /// Statistics of the whole fit.
    pub statistics: FitStatistics,
    pub(crate) covariance: Vec<f64>,
    pub(crate) robust_covariance: Option<Vec<f64>>,
}

impl Uncertainty {
    /// The covariance of two estimates; `None` unless both are [`Standing::Estimated`].
    pub fn covariance(&self, i: usize, j: usize) -> Option<f64> {
        let estimated = |k: usize| self.standing[k] == Standing::Estimated;
        (estimated(i) && estimated(j)).then(|| self.covariance[i * self.theta.len() + j])
    }

    /// The whole covariance matrix, row by row. Rows of parameters at a bound or at no optimum are zero. Along
    /// directions that are not identified it is a pseudo-inverse: gᵀ Σ g is the variance of a quantity with the
    /// gradient g only if the quantity does not change along them.
    pub fn covariance_matrix(&self) -> &[f64] {
        &self.covariance
    }

    /// The same by the sandwich estimator; `None` where there are no robust errors.
    pub fn robust_covariance_matrix(&self) -> Option<&[f64]> {
        self.robust_covariance.as_deref()
    }

    /// The correlation of two estimates.
    pub fn correlation(&self, i: usize, j: usize) -> Option<f64> {
        let (a, b) = (self.standard_errors[i]?, self.standard_errors[j]?);
        self.covariance(i, j).filter(|_| a > 0.0 && b > 0.0).map(|covariance| (covariance / (a * b)).clamp(-1.0, 1.0))
    }

    /// Pairs of estimates whose correlation is larger than this in absolute value, the largest first.
    pub fn correlated(&self, least: f64) -> Vec<(usize, usize, f64)> {
        let pairs = (0..self.theta.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
        let mut found: Vec<(usize, usize, f64)> =
            pairs.filter_map(|(i, j)| Some((i, j, self.correlation(i, j)?))).filter(|pair| pair.2.abs() > least).collect();
        found.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
        found
    }

    /// The same, with z-values, p-values and intervals of these errors.
    ///
    /// # Errors
    /// [`Error::NoRobustCovariance`] if there are no robust errors.
    pub fn with_errors(self, reported: ErrorKind) -> Result<Uncertainty, Error> {
        match (reported, &self.robust_errors) {
            (ErrorKind::Robust, None) => Err(Error::NoRobustCovariance),
            _ => Ok(Uncertainty { reported, ..self }),
        }
    }

    /// The standard errors that z-values, p-values and intervals use.
    pub fn reported_errors(&self) -> &[Option<f64>] {
        match (self.reported, &self.robust_errors) {
            (ErrorKind::Robust, Some(robust)) => robust,
            _ => &self.standard_errors,
        }
    }

    /// θ̂ divided by its standard error.
    pub fn z_value(&self, k: usize) -> Option<f64> {
        self.reported_errors()[k].filter(|&error| error > 0.0).map(|error| self.theta[k] / error)
    }

    /// The p-value of θ = 0: the probability of a z-value at least as large in absolute value, by the normal
    /// distribution.
    pub fn p_value(&self, k: usize) -> Option<f64> {
        self.z_value(k).map(two_sided)
    }

    /// Confidence intervals around θ̂ that cover the true parameter with this probability, by the normal distribution.
    ///
    /// # Errors
    /// If the level is not between 0 and 1.
    pub fn intervals(&self, level: f64) -> Result<Vec<Option<(f64, f64)>>, Error> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::Setting { what: "the level", value: level, expected: "between 0 and 1, such as 0.95" });
        }
        let z = within(level);
        let around = |(theta, error): (&f64, &Option<f64>)| error.map(|error| (theta - z * error, theta + z * error));
        Ok(self.theta.iter().zip(self.reported_errors()).map(around).collect())
    }
}
