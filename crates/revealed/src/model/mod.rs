//! The distribution over paths: which paths count, what each weighs, log Z, marginals, and the likelihood of demonstrations.
//!
//! It touches `engine` and what lies below. Begin with `path_model.rs`, the description that every question takes;
//! `likelihood.rs` is what learning climbs.

pub(crate) mod distribution;
pub(crate) mod ends;
pub(crate) mod likelihood;
pub(crate) mod marginals;
pub(crate) mod options;
pub(crate) mod partition;
pub(crate) mod path_model;

pub use distribution::PathDistribution;
pub use ends::Ends;
pub use likelihood::{Evaluation, Likelihood};
pub use marginals::Marginals;
pub use options::{DEFAULT_MEMORY, Options};
pub use partition::Partition;
pub use path_model::PathModel;
