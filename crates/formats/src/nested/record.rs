//! A [`NestedFit`] as a file has it.

use std::io::Write;
use std::path::Path;

use revealed::{ErrorKind, NestedFit, NestedLogit};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::files::{atomic, json};

/// The field `format` of these files.
pub const NESTED_FORMAT: &str = "revealed-nested/1";

/// What was learned. Lists have an entry for each parameter, `null` if there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NestedRecord {
    /// [`NESTED_FORMAT`].
    pub format: String,
    /// The names of the parameters: the features, `scale:NAME` and `discount`.
    pub names: Vec<String>,
    /// θ, ω and γ.
    pub parameters: Vec<f64>,
    /// `estimated`, `at bound` or `not identified`.
    pub standing: Vec<String>,
    /// Standard errors.
    pub standard_errors: Vec<Option<f64>>,
    /// Robust (sandwich) standard errors; absent for a single demonstration.
    #[serde(default)]
    pub robust_standard_errors: Option<Vec<Option<f64>>>,
    /// The errors of the z-values and p-values: `model` or `robust`.
    #[serde(default = "of_model")]
    pub errors: String,
    /// The clusters of the robust errors: `origin-destination`, or a column of the demonstrations' trips.
    #[serde(default)]
    pub cluster: Option<String>,
    /// How many clusters there are.
    #[serde(default)]
    pub n_clusters: Option<usize>,
    /// The parameters in units of their standard errors.
    pub z_values: Vec<Option<f64>>,
    /// P(|Z| > |z|).
    pub p_values: Vec<Option<f64>>,
    /// The covariance of the parameters; 0 where there is no standard error.
    pub covariance: Vec<Vec<f64>>,
    /// The same by the sandwich.
    #[serde(default)]
    pub robust_covariance: Option<Vec<Vec<f64>>>,
    /// The sum of the demonstrations' weights.
    pub n: f64,
    /// The log-likelihood of all demonstrations together.
    pub log_likelihood: f64,
    /// That of the plain recursive logit.
    pub plain_log_likelihood: f64,
    /// θ of the plain recursive logit.
    pub plain_theta: Vec<f64>,
    /// Twice the difference of the two.
    pub likelihood_ratio: f64,
    /// How many parameters the plain one lacks.
    pub degrees_of_freedom: usize,
    /// The p-value of the ratio by chi-squared.
    pub likelihood_ratio_p_value: f64,
    /// Akaike's criterion.
    pub aic: f64,
    /// The features of the scale.
    pub scale: Vec<usize>,
    /// Whether the discount was learned.
    pub discounted: bool,
    /// Whether the search converged.
    pub converged: bool,
    /// Why it ended.
    pub stopped_because: String,
    /// The largest component of the gradient that no bound holds.
    pub gradient_norm: f64,
    /// Evaluations of the likelihood.
    pub evaluations: usize,
}

/// What files of older versions have.
fn of_model() -> String {
    ErrorKind::Model.name().to_string()
}

impl NestedRecord {
    /// The record of a fit.
    pub fn new(fit: &NestedFit, model: &NestedLogit) -> NestedRecord {
        let n = fit.parameters.len();
        let rows = |matrix: &[f64]| matrix.chunks_exact(n).map(<[f64]>::to_vec).collect::<Vec<_>>();
        NestedRecord {
            format: NESTED_FORMAT.to_string(),
            names: fit.names.clone(),
            parameters: fit.parameters.clone(),
            standing: fit.standing.iter().map(|standing| standing.name().to_string()).collect(),
            standard_errors: fit.standard_errors.clone(),
            robust_standard_errors: fit.robust_errors.clone(),
            errors: fit.reported.name().to_string(),
            cluster: fit.cluster.name().map(str::to_string),
            n_clusters: fit.n_clusters,
            z_values: (0..n).map(|k| fit.z_value(k)).collect(),
            p_values: (0..n).map(|k| fit.p_value_of(k)).collect(),
            covariance: rows(&fit.covariance),
            robust_covariance: fit.robust_covariance.as_deref().map(rows),
            n: fit.n,
            log_likelihood: fit.log_likelihood,
            plain_log_likelihood: fit.plain_log_likelihood,
            plain_theta: fit.plain_theta.clone(),
            likelihood_ratio: fit.likelihood_ratio,
            degrees_of_freedom: fit.degrees_of_freedom,
            likelihood_ratio_p_value: fit.p_value,
            aic: fit.aic(),
            scale: model.scale.clone(),
            discounted: model.discounted,
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
