//! How much better a learned model is than none.

use super::tails::chi_squared_tail;

/// What a regression table says of the whole fit. The null model is θ = 0: every path by chance (and the reference policy) alone.
/// Log-likelihoods contain what chance contributes, log q(τ), as everywhere.
#[derive(Debug, Clone, PartialEq)]
pub struct FitStatistics {
    /// N: the sum of the demonstrations' weights. A demonstration of weight 3 counts as three.
    pub n: f64,
    /// Parameters that were estimated: the directions of θ that the data see, without parameters at a bound or at no optimum.
    pub estimated: usize,
    /// N ℓ(θ̂), without a penalty.
    pub log_likelihood: f64,
    /// N ℓ(0); `None` where there is no such model: among paths of any length
    /// ([`Method::RecursiveLogit`](crate::Method::RecursiveLogit)) loops have to cost something.
    pub null_log_likelihood: Option<f64>,
    /// 2 (log-likelihood - null log-likelihood); `None` without a null model.
    pub likelihood_ratio: Option<f64>,
    /// Directions of θ that the data see, with parameters that ended at a bound: the null model was free to leave in those, too.
    pub degrees_of_freedom: usize,
    /// The probability of a larger ratio if θ = 0, by chi-squared. Bounds and penalties only make the true one smaller.
    /// `None` without a null model.
    pub p_value: Option<f64>,
    /// McFadden's ρ² = 1 - log-likelihood / null log-likelihood; `None` if the latter is 0 or none.
    pub rho_squared: Option<f64>,
    /// The same with the number of estimated parameters taken off the log-likelihood.
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
