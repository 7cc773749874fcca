//! A [`MixedFit`] as a file has it.

use std::io::Write;
use std::path::Path;

use revealed::{MixedFit, MixedLogit};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::files::{atomic, json};

/// The field `format` of these files.
pub const MIXED_FORMAT: &str = "revealed-mixed/1";

/// What was learned. Lists have an entry for each parameter, `null` if there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MixedRecord {
    /// [`MIXED_FORMAT`].
    pub format: String,
    /// The names of the parameters: the features (`log:NAME` for the location of a lognormal coefficient) and `sd:NAME`.
    pub names: Vec<String>,
    /// θ, or the locations of random coefficients, and the spreads.
    pub parameters: Vec<f64>,
    /// `estimated`, `at bound` or `not identified`.
    pub standing: Vec<String>,
    /// Standard errors, from the second derivatives.
    pub standard_errors: Vec<Option<f64>>,
    /// Robust (sandwich) standard errors; absent for a single traveller.
    pub robust_standard_errors: Option<Vec<Option<f64>>>,
    /// The errors of the z-values and p-values: `model` or `robust`.
    pub errors: String,
    /// The parameters in units of their standard errors.
    pub z_values: Vec<Option<f64>>,
    /// P(|Z| > |z|).
    pub p_values: Vec<Option<f64>>,
    /// The covariance of the parameters; 0 where there is no standard error.
    pub covariance: Vec<Vec<f64>>,
    /// The same by the sandwich.
    pub robust_covariance: Option<Vec<Vec<f64>>>,
    /// The sum of the demonstrations' weights.
    pub n: f64,
    /// How many travellers have their own coefficients.
    pub n_travellers: usize,
    /// The simulated log-likelihood of all demonstrations together.
    pub log_likelihood: f64,
    /// The log-likelihood of the plain recursive logit.
    pub plain_log_likelihood: f64,
    /// θ of the plain recursive logit.
    pub plain_theta: Vec<f64>,
    /// Twice the difference of the two.
    pub likelihood_ratio: f64,
    /// How many parameters the plain one lacks.
    pub degrees_of_freedom: usize,
    /// The p-value of the ratio by chi-squared. The true one is smaller.
    pub likelihood_ratio_p_value: f64,
    /// Akaike's criterion.
    pub aic: f64,
    /// Schwarz's criterion, by the number of travellers.
    pub bic: f64,
    /// The random coefficients.
    pub random: Vec<RandomRecord>,
    /// The draws of each traveller.
    pub draws: usize,
    /// `own` draws of each traveller, or `common` ones.
    pub sharing: String,
    /// The seed of the draws.
    pub seed: u64,
    /// The column that tells travellers apart, or `origin-destination`; absent if each demonstration is a traveller.
    pub panel: Option<String>,
    /// The draws of all travellers together.
    pub n_draws: usize,
    /// The share of draws whose loops cost too little for a finite sum over paths.
    pub diverged: f64,
    /// Whether the search converged.
    pub converged: bool,
    /// Why it ended.
    pub stopped_because: String,
    /// The largest component of the gradient that no bound holds.
    pub gradient_norm: f64,
    /// Evaluations of the likelihood.
    pub evaluations: usize,
}

/// A random coefficient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RandomRecord {
    /// Its feature.
    pub feature: usize,
    /// `normal`, `positive lognormal` or `negative lognormal`.
    pub distribution: String,
}

impl MixedRecord {
    /// The record of a fit.
    pub fn new(fit: &MixedFit, model: &MixedLogit) -> MixedRecord {
        let n = fit.parameters.len();
        let rows = |matrix: &[f64]| matrix.chunks_exact(n).map(<[f64]>::to_vec).collect::<Vec<_>>();
        MixedRecord {
            format: MIXED_FORMAT.to_string(),
            names: fit.names.clone(),
            parameters: fit.parameters.clone(),
            standing: fit.standing.iter().map(|standing| standing.name().to_string()).collect(),
            standard_errors: fit.standard_errors.clone(),
            robust_standard_errors: fit.robust_errors.clone(),
            errors: fit.errors.name().to_string(),
            z_values: (0..n).map(|k| fit.z_value(k)).collect(),
            p_values: (0..n).map(|k| fit.p_value_of(k)).collect(),
            covariance: rows(&fit.covariance),
            robust_covariance: fit.robust_covariance.as_deref().map(rows),
            n: fit.n,
            n_travellers: fit.n_travellers,
            log_likelihood: fit.log_likelihood,
            plain_log_likelihood: fit.plain_log_likelihood,
            plain_theta: fit.plain_theta.clone(),
            likelihood_ratio: fit.likelihood_ratio,
            degrees_of_freedom: fit.degrees_of_freedom,
            likelihood_ratio_p_value: fit.p_value,
            aic: fit.aic(),
            bic: fit.bic(),
            random: RandomRecord::all(model),
            draws: model.draws,
            sharing: model.sharing.name().to_string(),
            seed: model.seed,
            panel: model.panel.name().map(str::to_string),
            n_draws: fit.n_draws,
            diverged: fit.diverged,
            converged: fit.converged,
            stopped_because: fit.stopped_because.clone(),
            gradient_norm: fit.gradient_norm,
            evaluations: fit.evaluations,
        }
    }

    /// Writes a `.json` file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        atomic::write(path.as_ref(), |writer: &mut dyn Write| json::write(writer, self))
    }
}

impl RandomRecord {
    fn all(model: &MixedLogit) -> Vec<RandomRecord> {
        let record = |random: &revealed::RandomCoefficient| RandomRecord {
            feature: random.feature,
            distribution: random.distribution.name().to_string(),
        };
        model.random.iter().map(record).collect()
    }
}
