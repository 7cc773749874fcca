//! From demonstrations to θ: maximum likelihood by L-BFGS-B, bounds, penalties, cross-validation.
//!
//! It uses the modules before it. Begin with `maxent.rs` ([`MaxEnt::fit`](crate::MaxEnt::fit)).

pub(crate) mod approach;
mod ascent;
pub(crate) mod bounds;
pub(crate) mod census;
pub(crate) mod climb;
pub(crate) mod cluster;
pub(crate) mod cross_validation;
pub(crate) mod evidence;
pub(crate) mod gram;
pub(crate) mod held_out;
pub(crate) mod identify;
pub(crate) mod maxent;
pub(crate) mod method;
pub(crate) mod objective;
pub(crate) mod optimise;
pub(crate) mod part;
pub(crate) mod partial_fit;
pub(crate) mod parts;
pub(crate) mod runaway;
pub(crate) mod units;
pub(crate) mod whole;

pub use bounds::Bounds;
pub use census::Census;
pub use cluster::Cluster;
pub use cross_validation::{CrossValidation, Fold, Penalty, Validation};
pub use evidence::Evidence;
pub use gram::Gram;
pub use held_out::{FeatureGap, HeldOut, feature_gap};
pub use identify::{NullDirection, null_directions};
pub use maxent::{Fit, MaxEnt};
pub use method::Method;
pub use optimise::Stopped;
pub use part::Part;
pub use partial_fit::{PartialFit, Starts};
pub use parts::{Answer, Asked, Parts, Point, Question, Scores};
