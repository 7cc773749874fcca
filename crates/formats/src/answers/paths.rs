//! The likeliest paths, as `revealed path` lists them.

use revealed::{BestPath, BestPaths, Error, PathQuery};
use serde_json::{Value, json};

use crate::models::AskedModel;

/// log Σ f(s_1) q(τ) e^{R(τ)} g(s_l) over all paths of the model. `None` if the sum is not finite: then there are
/// likeliest paths, but no probabilities.
///
/// # Errors
/// As [`AskedModel::log_total`], but for [`Error::Diverges`], which is handed to `diverges`.
pub fn log_total(paths: &AskedModel<'_>, query: &PathQuery, diverges: impl FnOnce(&Error)) -> Result<Option<f64>, Error> {
    match paths.log_total(query) {
        Err(error @ Error::Diverges { .. }) => {
            diverges(&error);
            Ok(None)
        }
        total => Ok(Some(total?)),
    }
}

/// log p(τ) given where paths begin and end. Rounding takes no probability above 1.
pub fn log_probability(log_score: f64, log_total: f64) -> f64 {
    (log_score - log_total).min(0.0)
}

/// An object for each path.
pub fn paths_json(found: &BestPaths, log_total: Option<f64>) -> Vec<Value> {
    let of_path = |best: &BestPath| {
        let log_probability = log_total.map(|log_total| log_probability(best.log_score, log_total));
        json!({
            "states": best.path.states,
            "actions": best.path.actions,
            "n_states": best.path.states.len(),
            "log_weight": best.log_weight,
            "log_probability": log_probability,
            "probability": log_probability.map(f64::exp),
        })
    };
    found.paths.iter().map(of_path).collect()
}
