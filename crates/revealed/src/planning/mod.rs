//! Planning for a given reward: policies, optimal values, episodes, and the value of acting on a learned reward.
//!
//! It uses `world` and `numeric`. Begin with `plan.rs` (modified policy iteration with an error bound).

pub(crate) mod bellman;
pub(crate) mod chain;
pub(crate) mod plan;
pub(crate) mod policy;
pub(crate) mod recovery;
pub(crate) mod rollouts;

pub use plan::{AtTerminal, Paid, Plan, Planning, Values};
pub use policy::Policy;
pub use recovery::{Recovery, expected_value_difference, inverse_learning_error};
pub use rollouts::rollouts;
