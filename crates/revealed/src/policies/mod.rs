//! The path distribution as a policy: by time, projected to a stationary one, and what each is worth when executed.
//!
//! It touches `planning`, `model` and what lies below. Begin with `path_policy.rs`.

pub(crate) mod execution;
pub(crate) mod path_policy;
pub(crate) mod policy_gap;
pub(crate) mod stationary;

pub use execution::{Executed, Execution, RolloutMean};
pub use path_policy::PolicyAt;
pub use policy_gap::PolicyGap;
pub use stationary::StationaryPolicy;
