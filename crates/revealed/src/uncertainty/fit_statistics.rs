//! How much better a learned model is than the null model.

use super::tails::chi_squared_tail;

/// The statistics that a regression table reports for the whole fit. The null model is θ = 0: every path has its
/// probability under the dynamics (and the reference policy) alone. Log-likelihoods include the term log q(τ), as
/// everywhere.
#[derive(Debug, Clone, PartialEq)]
pub struct FitStatistics {
    /// N: the sum of the demonstrations' weights. A demonstration of weight 3 counts as three.
    pub n: f64,
    /// The number of estimated parameters: identified directions of θ, without parameters at a bound or at no optimum.
    pub estimated: usize,
    /// N ℓ(θ̂), without a penalty.
    pub log_likelihood: f64,
    /// N ℓ(0). `None` if there is no such model: among paths of any length
    /// ([`Method::RecursiveLogit`](crate::Method::RecursiveLogit)) the sums are only finite if loops cost enough.
    pub null_log_likelihood: Option<f64>,
    /// 2 (log-likelihood - null log-likelihood); `None` without a null model.
    pub likelihood_ratio: Option<f64>,
    /// The number of identified directions of θ, including parameters that ended at a bound: the null model restricts
    /// those as well.
    pub degrees_of_freedom: usize,
    /// The probability of a larger ratio if θ = 0, by the chi-squared distribution. With bounds or penalties, the true
    /// p-value is smaller. `None` without a null model.
    pub p_value: Option<f64>,
    /// McFadden's ρ² = 1 - log-likelihood / null log-likelihood; `None` if the latter is 0 or absent.
    pub rho_squared: Option<f64>,
    /// ρ² with the number of estimated parameters subtracted from the log-likelihood.
    pub adjusted_rho_squared: Option<f64>,
    /// Akaike's criterion, 2 k - 2 log-likelihood.
    pub aic: f64,
    /// Schwarz's criterion, k log N - 2 log-likelihood.
    pub bic: f64,
}

impl FitStatistics {
    /// From the mean log-likelihoods of the model and of the null model.
    pub(crate) fn new(n: f64, mean: f64, null_mean: Option<f64>, estimated: usize, degrees_of_freedom: usize) -> Self {
        let (log_likelihood, null_log_likelihood) = (n * mean, null_mean.map(|null| n * null));
        let likelihood_ratio = null_mean.map(|null| 2.0 * n * (mean - null));
        let k = estimated as f64;
        let rho = |log_likelihood: f64| null_log_likelihood.filter(|&null| null != 0.0).map(|null| 1.0 - log_likelihood / null);
        FitStatistics {
            n,
            estimated,
            log_likelihood,
            null_log_likelihood,
            likelihood_ratio,
            degrees_of_freedom,
            p_value: likelihood_ratio.map(|ratio| chi_squared_tail(ratio, degrees_of_freedom)),
            rho_squared: rho(log_likelihood),
            adjusted_rho_squared: rho(log_likelihood - k),
            aic: 2.0 * k - 2.0 * log_likelihood,
            bic: k * n.ln() - 2.0 * log_likelihood,
        }
    }
}
