//! What was learned with a nested or discounted recursive logit.

use super::nested_logit::NestedLogit;
use crate::Error;
use crate::learning::Fit;
use crate::learning::climb::{Held, Summit};
use crate::model::Evaluation;
use crate::uncertainty::covariance::Inverse;
use crate::uncertainty::tails::{chi_squared_tail, two_sided};
use crate::uncertainty::{Cluster, ErrorKind, Information, Standing};
use crate::world::Features;

/// The parameters, their standard errors, and the comparison with the plain recursive logit.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedFit {
    /// The names of the parameters.
    pub names: Vec<String>,
    /// θ, ω and γ.
    pub parameters: Vec<f64>,
    /// The status of each.
    pub standing: Vec<Standing>,
    /// Standard errors, from the second derivatives of the log-likelihood.
    pub standard_errors: Vec<Option<f64>>,
    /// The robust ones (sandwich). `None` if there is only one demonstration.
    pub robust_errors: Option<Vec<Option<f64>>>,
    /// Which demonstrations the robust errors let depend on each other.
    pub cluster: Cluster,
    /// How many clusters there are; `None` for [`Cluster::Each`].
    pub n_clusters: Option<usize>,
    /// Which errors the z-values and p-values use; see [`with_errors`](Self::with_errors).
    pub reported: ErrorKind,
    /// The covariance of the parameters, row by row; zero where there is no standard error.
    pub covariance: Vec<f64>,
    /// The same by the sandwich.
    pub robust_covariance: Option<Vec<f64>>,
    /// N: the sum of the demonstrations' weights.
    pub n: f64,
    /// The log-likelihood of all demonstrations together.
    pub log_likelihood: f64,
    /// That of the plain recursive logit.
    pub plain_log_likelihood: f64,
    /// θ of the plain recursive logit.
    pub plain_theta: Vec<f64>,
    /// Twice the difference of the two.
    pub likelihood_ratio: f64,
    /// How many parameters the plain recursive logit lacks.
    pub degrees_of_freedom: usize,
    /// The probability of a larger ratio if the plain one is right, by chi-squared. At the bound γ = 1 the true one is
    /// smaller.
    pub p_value: f64,
    /// Whether the search converged.
    pub converged: bool,
    /// Why it ended.
    pub stopped_because: String,
    /// The largest component of the gradient among parameters not held at a bound.
    pub gradient_norm: f64,
    /// The number of evaluations of the likelihood.
    pub evaluations: usize,
}

/// Where the search ended, and what is known there.
pub(super) struct Found<'a> {
    /// The sum of the demonstrations' weights.
    pub n: f64,
    /// The plain recursive logit.
    pub base: &'a Fit,
    pub summit: &'a Summit,
    /// The likelihood at the end of the search.
    pub at: &'a Evaluation,
    pub held: &'a Held,
    pub information: &'a Information,
    /// J, of the demonstrations' scores; `None` if there is only one.
    pub middle: Option<&'a [f64]>,
    pub cluster: &'a Cluster,
    pub n_clusters: Option<usize>,
}

impl NestedFit {
    pub(super) fn new(model: &NestedLogit, features: &Features, found: &Found<'_>) -> NestedFit {
        let Found { n, base, summit, at, held, information, middle, cluster, n_clusters } = *found;
        let inverse = Inverse::new(information, &held.at_bounds);
        let covariance = inverse.covariance(None, n);
        let robust_covariance = middle.map(|middle| inverse.covariance(Some(middle), n));
        let (log_likelihood, plain_log_likelihood) = (n * at.log_likelihood, n * base.log_likelihood);
        let likelihood_ratio = 2.0 * (log_likelihood - plain_log_likelihood);
        let degrees_of_freedom = summit.theta.len() - features.n_features();
        NestedFit {
            names: model.names(features),
            parameters: summit.theta.clone(),
            standard_errors: inverse.errors(&covariance),
            robust_errors: robust_covariance.as_deref().map(|covariance| inverse.errors(covariance)),
            cluster: cluster.clone(),
            n_clusters,
            reported: ErrorKind::Model,
            standing: inverse.standing,
            covariance,
            robust_covariance,
            n,
            log_likelihood,
            plain_log_likelihood,
            plain_theta: base.theta.clone(),
            likelihood_ratio,
            degrees_of_freedom,
            p_value: chi_squared_tail(likelihood_ratio.max(0.0), degrees_of_freedom),
            converged: summit.converged && base.converged,
            stopped_because: summit.optimum.stop.to_string(),
            gradient_norm: held.gradient_norm,
            evaluations: summit.optimum.evaluations,
        }
    }

    /// The same, with z-values and p-values of these errors.
    ///
    /// # Errors
    /// [`Error::NoRobustCovariance`] if there are no robust errors.
    pub fn with_errors(self, reported: ErrorKind) -> Result<NestedFit, Error> {
        match (reported, &self.robust_errors) {
            (ErrorKind::Robust, None) => Err(Error::NoRobustCovariance),
            _ => Ok(NestedFit { reported, ..self }),
        }
    }

    /// The standard errors that z-values and p-values use.
    pub fn reported_errors(&self) -> &[Option<f64>] {
        match (self.reported, &self.robust_errors) {
            (ErrorKind::Robust, Some(robust)) => robust,
            _ => &self.standard_errors,
        }
    }

    /// A parameter divided by its standard error.
    pub fn z_value(&self, k: usize) -> Option<f64> {
        self.reported_errors()[k].filter(|&error| error > 0.0).map(|error| self.parameters[k] / error)
    }

    /// The p-value of 0, by the normal distribution.
    pub fn p_value_of(&self, k: usize) -> Option<f64> {
        self.z_value(k).map(two_sided)
    }

    /// Akaike's criterion, with the parameters that are not at a bound.
    pub fn aic(&self) -> f64 {
        let estimated = self.standing.iter().filter(|&&standing| standing == Standing::Estimated).count();
        2.0 * estimated as f64 - 2.0 * self.log_likelihood
    }
}
