//! How far to trust a model that was learned from samples.

use serde::{Deserialize, Serialize};

/// The quality of a model that was learned from samples: see [`revealed::ModelFreeFit`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFreeRecord {
    /// How many samples there were.
    pub samples: usize,
    /// How many rollouts they came from.
    pub rollouts: usize,
    /// The baseline policy: `reference` or `one`.
    pub baseline: String,
    /// θ·E_D\[φ\] - log Ẑ(θ): the log-likelihood up to a constant.
    pub objective: f64,
    /// log Ẑ(θ).
    pub log_partition: f64,
    /// Its standard error.
    pub log_partition_error: f64,
    /// The effective sample size: the number of samples of the learned model that would be as informative.
    pub effective_sample_size: f64,
    /// The share of all weight that the heaviest rollout has.
    pub largest_share: f64,
    /// The standard error of each component of the gradient.
    pub gradient_error: Vec<f64>,
    /// The standard error of each parameter that comes from sampling; `null` if it cannot be estimated.
    pub standard_error: Option<Vec<f64>>,
    /// Directions of θ that change no weight.
    pub flat_directions: usize,
    /// Whether the estimate is unusable, because the samples are too few or too far from the demonstrations.
    pub worthless: bool,
}
