//! What was learned with a nested or discounted recursive logit.

use super::nested_logit::NestedLogit;
use crate::learning::Fit;
use crate::learning::climb::{Held, Summit};
use crate::model::Evaluation;
use crate::uncertainty::tails::{chi_squared_tail, two_sided};
use crate::uncertainty::unidentified::Spectrum;
use crate::uncertainty::{Information, Standing};
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
    /// The covariance of the parameters, row by row; zero where there is no standard error.
    pub covariance: Vec<f64>,
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

impl NestedFit {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        model: &NestedLogit,
        features: &Features,
        n: f64,
        base: &Fit,
        summit: &Summit,
        at: &Evaluation,
        held: &Held,
        information: &Information,
    ) -> NestedFit {
        let count = summit.theta.len();
        let mut standing = vec![Standing::Estimated; count];
        held.at_bounds.iter().for_each(|&k| standing[k] = Standing::AtBound);
        let free: Vec<usize> = (0..count).filter(|&k| standing[k] == Standing::Estimated).collect();
        let spectrum = Spectrum::new(information, &free);
        for (&k, _) in free.iter().zip(spectrum.hidden()).filter(|(_, hidden)| *hidden) {
            standing[k] = Standing::Unidentified;
        }
        let inverse = spectrum.eigen.inverse(&spectrum.seen);
        let (mut covariance, m) = (vec![0.0; count * count], free.len());
        for (i, &k) in free.iter().enumerate() {
            for (j, &l) in free.iter().enumerate() {
                covariance[k * count + l] = inverse[i * m + j] / (spectrum.spread[i] * spectrum.spread[j] * n);
            }
        }
        let error = |k: usize| (standing[k] == Standing::Estimated).then(|| covariance[k * count + k].max(0.0).sqrt());
        let (log_likelihood, plain_log_likelihood) = (n * at.log_likelihood, n * base.log_likelihood);
        let likelihood_ratio = 2.0 * (log_likelihood - plain_log_likelihood);
        let degrees_of_freedom = count - features.n_features();
        NestedFit {
            names: model.names(features),
            parameters: summit.theta.clone(),
            standard_errors: (0..count).map(error).collect(),
            standing,
            covariance,
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

    /// A parameter divided by its standard error.
    pub fn z_value(&self, k: usize) -> Option<f64> {
        self.standard_errors[k].filter(|&error| error > 0.0).map(|error| self.parameters[k] / error)
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
