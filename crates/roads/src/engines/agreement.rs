//! How well an engine's costs agree with the learned ones.

use serde_json::{Value, json};

/// How well the costs of segments in an engine agree with the learned ones, after scaling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EngineAgreement {
    /// The sum of the absolute differences, as a share of the sum of the costs.
    pub error: f64,
    /// The correlation between both; 1 if one is a multiple of the other.
    pub correlation: f64,
}

impl EngineAgreement {
    /// Compares costs with those of an engine, which are in the same units.
    pub(super) fn new(costs: &[f64], engine: &[f64]) -> EngineAgreement {
        let n = costs.len() as f64;
        let total: f64 = costs.iter().sum();
        let apart: f64 = costs.iter().zip(engine).map(|(a, b)| (a - b).abs()).sum();
        let [mean, engine_mean] = [total / n, engine.iter().sum::<f64>() / n];
        let product = |a: &[f64], mean_a: f64, b: &[f64], mean_b: f64| -> f64 {
            a.iter().zip(b).map(|(x, y)| (x - mean_a) * (y - mean_b)).sum()
        };
        let sizes = product(costs, mean, costs, mean) * product(engine, engine_mean, engine, engine_mean);
        let correlation = if sizes > 0.0 { product(costs, mean, engine, engine_mean) / sizes.sqrt() } else { 1.0 };
        EngineAgreement { error: apart / total, correlation }
    }

    /// For files.
    pub fn to_json(&self) -> Value {
        json!({ "error": self.error, "correlation": self.correlation })
    }
}
