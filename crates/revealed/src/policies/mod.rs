//! The path distribution as a policy: the policy of each time step, its projection to a stationary policy, and the
//! expected reward of each when executed.
//!
//! It uses `planning`, `model` and the modules before them. Begin with `path_policy.rs`.

pub(crate) mod execution;
pub(crate) mod path_policy;
pub(crate) mod policy_gap;
pub(crate) mod stationary;

pub use execution::{Executed, Execution, RolloutMean};
pub use path_policy::PolicyAt;
pub use policy_gap::PolicyGap;
pub use stationary::StationaryPolicy;
