//! From demonstrations to θ: maximum likelihood by L-BFGS-B, bounds, penalties, cross-validation.
//!
//! It uses the modules before it. Begin with `maxent.rs` ([`MaxEnt::fit`](crate::MaxEnt::fit)).

pub(crate) mod ascent;
pub(crate) mod bounds;
pub(crate) mod climb;
pub(crate) mod cross_validation;
pub(crate) mod held_out;
pub(crate) mod identify;
pub(crate) mod maxent;
pub(crate) mod method;
pub(crate) mod objective;
pub(crate) mod optimise;
pub(crate) mod runaway;
pub(crate) mod units;

pub use bounds::Bounds;
pub use cross_validation::{CrossValidation, Fold, Penalty, Validation};
pub use held_out::{FeatureGap, HeldOut, feature_gap};
pub use identify::{NullDirection, null_directions};
pub use maxent::{Fit, MaxEnt};
pub use method::Method;
pub use optimise::Stopped;
