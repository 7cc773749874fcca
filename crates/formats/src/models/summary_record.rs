//! The standard errors of a model and its fit statistics, as in the model file.

use revealed::{Error, ErrorKind, NullDirection, Uncertainty};
use serde::{Deserialize, Serialize};

/// Larger covariance matrices are not written.
const MOST_COVARIANCES: usize = 100;
/// The same for those that counterfactuals need.
const MOST_PARAMETERS: usize = 500;
/// Correlations larger than this are listed.
const CORRELATED: f64 = 0.9;

/// An [`Uncertainty`] as a file has it. Lists have an entry for each parameter, `null` if there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryRecord {
    /// The sum of the demonstrations' weights.
    pub n: f64,
    /// How many parameters (directions of θ) were estimated.
    pub estimated: usize,
    /// The log-likelihood of all demonstrations together.
    pub log_likelihood: f64,
    /// The same at θ = 0; absent if there is no model at θ = 0, as for the recursive logit with loops.
    pub null_log_likelihood: Option<f64>,
    /// Twice their difference.
    pub likelihood_ratio: Option<f64>,
    /// Its degrees of freedom.
    pub degrees_of_freedom: usize,
    /// Its p-value by chi-squared.
    pub likelihood_ratio_p_value: Option<f64>,
    /// McFadden's ρ².
    pub rho_squared: Option<f64>,
    /// The same, adjusted for the number of parameters.
    pub adjusted_rho_squared: Option<f64>,
    /// Akaike's criterion.
    pub aic: f64,
    /// Schwarz's criterion.
    pub bic: f64,
    /// The condition number of the information, with features in units of their standard deviation over paths.
    pub condition: f64,
    /// The status of each estimate: `estimated`, `at bound`, `not identified` or `no optimum`.
    pub standing: Vec<String>,
    /// Standard errors.
    pub standard_errors: Vec<Option<f64>>,
    /// Robust (sandwich) standard errors; absent for a single demonstration.
    pub robust_standard_errors: Option<Vec<Option<f64>>>,
    /// The errors of the z-values, p-values and intervals: `model` or `robust`.
    #[serde(default = "of_model")]
    pub errors: String,
    /// The clusters of the robust errors: `origin-destination`, or a column of the demonstrations' trips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// How many clusters there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_clusters: Option<usize>,
    /// θ in units of its standard error.
    pub z_values: Vec<Option<f64>>,
    /// P(|Z| > |z|).
    pub p_values: Vec<Option<f64>>,
    /// The confidence level of the intervals.
    pub level: f64,
    /// Confidence intervals.
    pub intervals: Vec<Option<[f64; 2]>>,
    /// Directions of θ that are not identified.
    pub unidentified: Vec<DirectionRecord>,
    /// Directions that are weakly identified.
    pub weak: Vec<DirectionRecord>,
    /// (parameter, parameter, r) of estimates whose correlation exceeds 0.9 in size, the largest first.
    pub correlations: Vec<(usize, usize, f64)>,
    /// The covariance matrix of the estimates, for at most 100 parameters.
    pub covariance: Option<Vec<Vec<Option<f64>>>>,
    /// The covariance of all of θ, for at most 500 parameters: 0 for parameters at a bound or at no optimum, and a
    /// pseudo-inverse along directions that are not identified. Counterfactuals need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_covariance: Option<Vec<Vec<f64>>>,
    /// The same by the sandwich estimator; absent for a single demonstration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robust_covariance: Option<Vec<Vec<f64>>>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// What files of older versions have.
fn of_model() -> String {
    ErrorKind::Model.name().to_string()
}

/// A direction of θ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DirectionRecord {
    /// (parameter, coefficient).
    pub terms: Vec<(usize, f64)>,
    /// The same as a text.
    pub words: String,
    /// Whether it changes rewards.
    pub changes_rewards: bool,
    /// The information along it, as a share of that along the best identified direction.
    pub share: f64,
}

impl DirectionRecord {
    fn new(direction: &NullDirection, changes_rewards: bool, share: f64) -> Self {
        DirectionRecord { terms: direction.terms.clone(), words: direction.to_string(), changes_rewards, share }
    }
}

impl SummaryRecord {
    /// The record of an [`Uncertainty`], with intervals of this level.
    ///
    /// # Errors
    /// If the level is not between 0 and 1.
    pub fn new(sure: &Uncertainty, level: f64, notes: Vec<String>) -> Result<SummaryRecord, Error> {
        let n = sure.theta.len();
        let statistics = &sure.statistics;
        let rows = |matrix: &[f64]| matrix.chunks_exact(n).map(<[f64]>::to_vec).collect::<Vec<_>>();
        let is_small = n <= MOST_PARAMETERS;
        let row = |i: usize| (0..n).map(|j| sure.covariance(i, j)).collect();
        Ok(SummaryRecord {
            n: statistics.n,
            estimated: statistics.estimated,
            log_likelihood: statistics.log_likelihood,
            null_log_likelihood: statistics.null_log_likelihood,
            likelihood_ratio: statistics.likelihood_ratio,
            degrees_of_freedom: statistics.degrees_of_freedom,
            likelihood_ratio_p_value: statistics.p_value,
            rho_squared: statistics.rho_squared,
            adjusted_rho_squared: statistics.adjusted_rho_squared,
            aic: statistics.aic,
            bic: statistics.bic,
            condition: sure.condition,
            standing: sure.standing.iter().map(|standing| standing.name().to_string()).collect(),
            standard_errors: sure.standard_errors.clone(),
            robust_standard_errors: sure.robust_errors.clone(),
            errors: sure.reported.name().to_string(),
            cluster: sure.cluster.name().map(str::to_string),
            n_clusters: sure.n_clusters,
            z_values: (0..n).map(|k| sure.z_value(k)).collect(),
            p_values: (0..n).map(|k| sure.p_value(k)).collect(),
            level,
            intervals: sure.intervals(level)?.into_iter().map(|pair| pair.map(|(low, high)| [low, high])).collect(),
            unidentified: (sure.unidentified.iter())
                .map(|one| DirectionRecord::new(&one.direction, one.changes_rewards, 0.0))
                .collect(),
            weak: sure.weak.iter().map(|one| DirectionRecord::new(&one.direction, true, one.share)).collect(),
            correlations: sure.correlated(CORRELATED),
            covariance: (n <= MOST_COVARIANCES).then(|| (0..n).map(row).collect()),
            full_covariance: is_small.then(|| rows(sure.covariance_matrix())),
            robust_covariance: sure.robust_covariance_matrix().filter(|_| is_small).map(rows),
            notes,
        })
    }

    /// The covariance of all of θ, row by row. Files of older versions have it only if every parameter is estimated.
    pub(crate) fn whole_covariance(&self, robust: bool) -> Option<Vec<f64>> {
        let estimated = || self.covariance.as_ref()?.iter().flatten().copied().collect::<Option<Vec<f64>>>();
        let full = if robust { &self.robust_covariance } else { &self.full_covariance };
        full.as_ref().map(|rows| rows.concat()).or_else(|| if robust { None } else { estimated() })
    }

    /// The standard errors of the z-values, p-values and intervals, and the other ones.
    pub(crate) fn errors_in_use(&self) -> [Option<&[Option<f64>]>; 2] {
        let (model, robust) = (Some(self.standard_errors.as_slice()), self.robust_standard_errors.as_deref());
        if self.is_robust() { [robust, model] } else { [model, robust] }
    }

    /// Whether the z-values, p-values and intervals are robust.
    pub(crate) fn is_robust(&self) -> bool {
        self.errors == ErrorKind::Robust.name() && self.robust_standard_errors.is_some()
    }

    /// The names of the lists that have an entry for each parameter, and how many they have.
    pub(crate) fn columns(&self) -> Vec<(&'static str, usize)> {
        let mut columns = vec![
            ("summary.standing", self.standing.len()),
            ("summary.standard_errors", self.standard_errors.len()),
            ("summary.z_values", self.z_values.len()),
            ("summary.p_values", self.p_values.len()),
            ("summary.intervals", self.intervals.len()),
        ];
        columns.extend(self.robust_standard_errors.as_ref().map(|errors| ("summary.robust_standard_errors", errors.len())));
        columns
    }
}
