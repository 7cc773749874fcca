//! Paths of any length between given ends: the recursive logit, solved exactly by eliminating states.
//!
//! It uses `questions`, `model` and the modules before them. Begin with `route_choice.rs` (the likelihood and its
//! gradient). `elimination.rs` is the sparse solver behind it.

pub(crate) mod elimination;
pub(crate) mod route_choice;
pub(crate) mod route_lengths;
pub(crate) mod route_scores;
pub(crate) mod route_sums;

pub use route_choice::RouteChoice;
pub use route_lengths::RouteLengths;
pub use route_scores::route_scores;
pub use route_sums::RouteSums;
