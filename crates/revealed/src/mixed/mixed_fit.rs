//! What was learned with a mixed recursive logit.

use super::mixed_logit::MixedLogit;
use crate::learning::Fit;
use crate::learning::climb::{Held, Summit};
use crate::uncertainty::covariance::{Inverse, add_products};
use crate::uncertainty::tails::{chi_squared_tail, two_sided};
use crate::uncertainty::{Cluster, ErrorKind, Information, Standing};
use crate::world::Features;

/// The parameters, their standard errors, and the comparison with the plain recursive logit.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedFit {
    /// The names of the parameters.
    pub names: Vec<String>,
    /// θ, or the locations of random coefficients, and the spreads.
    pub parameters: Vec<f64>,
    /// The status of each.
    pub standing: Vec<Standing>,
    /// Standard errors, from the second derivatives of the simulated log-likelihood.
    pub standard_errors: Vec<Option<f64>>,
    /// Robust ones, from these and the scores of the travellers (sandwich). `None` if there is one traveller.
    pub robust_errors: Option<Vec<Option<f64>>>,
    /// Which of them z-values and p-values use.
    pub errors: ErrorKind,
    /// The covariance of the parameters, row by row; zero where there is no standard error.
    pub covariance: Vec<f64>,
    /// The same by the sandwich.
    pub robust_covariance: Option<Vec<f64>>,
    /// N: the sum of the demonstrations' weights.
    pub n: f64,
    /// How many travellers have their own coefficients.
    pub n_travellers: usize,
    /// How many draws there are for all travellers together: each takes an elimination or more for an evaluation.
    pub n_draws: usize,
    /// The share of draws whose loops cost too little for a finite sum over paths. They have probability 0.
    pub diverged: f64,
    /// The simulated log-likelihood of all demonstrations together.
    pub log_likelihood: f64,
    /// That of the plain recursive logit.
    pub plain_log_likelihood: f64,
    /// θ of the plain recursive logit.
    pub plain_theta: Vec<f64>,
    /// Twice the difference of the two.
    pub likelihood_ratio: f64,
    /// How many parameters the plain recursive logit lacks.
    pub degrees_of_freedom: usize,
    /// The probability of a larger ratio if the plain one is right, by chi-squared. In the plain one the spreads are at
    /// their bound 0, so that the true probability is smaller: half of this with one random coefficient (Self and Liang
    /// 1987).
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
pub(super) struct Found {
    /// The plain recursive logit.
    pub base: Fit,
    pub summit: Summit,
    /// The mean at the end of the search.
    pub log_likelihood: f64,
    pub held: Held,
    pub information: Information,
    /// The share and the score of each traveller.
    pub scores: Vec<(f64, Vec<f64>)>,
    pub diverged: f64,
    pub n_draws: usize,
}

impl MixedFit {
    pub(super) fn new(model: &MixedLogit, features: &Features, n: f64, found: &Found) -> MixedFit {
        let Found { base, summit, held, scores, .. } = found;
        let inverse = Inverse::new(&found.information, &held.at_bounds);
        let covariance = inverse.covariance(None, n);
        let middle = middle(model, scores, summit.theta.len());
        let robust_covariance = middle.map(|middle| inverse.covariance(Some(&middle), n));
        let (log_likelihood, plain_log_likelihood) = (n * found.log_likelihood, n * base.log_likelihood);
        let likelihood_ratio = 2.0 * (log_likelihood - plain_log_likelihood);
        let degrees_of_freedom = model.random.len();
        MixedFit {
            names: model.names(features),
            parameters: summit.theta.clone(),
            standard_errors: inverse.errors(&covariance),
            robust_errors: robust_covariance.as_deref().map(|covariance| inverse.errors(covariance)),
            errors: model.errors,
            standing: inverse.standing,
            covariance,
            robust_covariance,
            n,
            n_travellers: scores.len(),
            n_draws: found.n_draws,
            diverged: found.diverged,
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

    /// The standard errors that z-values and p-values use.
    pub fn reported_errors(&self) -> &[Option<f64>] {
        match (self.errors, &self.robust_errors) {
            (ErrorKind::Robust, Some(robust)) => robust,
            _ => &self.standard_errors,
        }
    }

    /// A parameter divided by its standard error.
    pub fn z_value(&self, k: usize) -> Option<f64> {
        self.reported_errors()[k].filter(|&error| error > 0.0).map(|error| self.parameters[k] / error)
    }

    /// The p-value of 0, by the normal distribution. That of a spread is only a rough guide, because 0 is its bound.
    pub fn p_value_of(&self, k: usize) -> Option<f64> {
        self.z_value(k).map(two_sided)
    }

    /// Akaike's criterion, with the parameters that are not at a bound.
    pub fn aic(&self) -> f64 {
        2.0 * self.n_estimated() - 2.0 * self.log_likelihood
    }

    /// Schwarz's criterion, by the number of travellers.
    pub fn bic(&self) -> f64 {
        self.n_estimated() * (self.n_travellers as f64).ln() - 2.0 * self.log_likelihood
    }

    fn n_estimated(&self) -> f64 {
        self.standing.iter().filter(|&&standing| standing == Standing::Estimated).count() as f64
    }
}

/// J: the products of the travellers' scores by their shares. With a panel times G / (G − 1), as for clusters.
fn middle(model: &MixedLogit, scores: &[(f64, Vec<f64>)], n_parameters: usize) -> Option<Vec<f64>> {
    let travellers = scores.len() as f64;
    if scores.len() < 2 {
        return None;
    }
    let correction = if model.panel == Cluster::Each { 1.0 } else { travellers / (travellers - 1.0) };
    let mut sum = vec![0.0; n_parameters * n_parameters];
    scores.iter().for_each(|(share, score)| add_products(&mut sum, correction * share, score));
    Some(sum)
}
