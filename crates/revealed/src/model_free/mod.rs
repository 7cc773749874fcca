//! Learning without a model of the world, from sampled trajectories and the probabilities of the policy that sampled
//! them.
//!
//! It uses `learning` and the modules before it. Begin with `fit.rs`; `importance.rs` has the estimator.

pub(crate) mod diagnosis;
pub(crate) mod fit;
pub(crate) mod importance;
pub(crate) mod rollout_samples;
pub(crate) mod samples;
pub(crate) mod standard_error;

pub use diagnosis::Warning;
pub use fit::{ModelFree, ModelFreeFit};
pub use importance::Estimate;
pub use rollout_samples::samples_from_rollouts;
pub use samples::{Baseline, SampleColumns, Samples};
