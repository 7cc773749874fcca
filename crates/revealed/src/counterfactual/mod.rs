//! What would change: another reward, another world or other actions, with the learned θ.
//!
//! It uses `uncertainty` and the modules before it. Begin with `comparison.rs`; `scenario.rs` is the changed world, and
//! `expected.rs` is the only file that asks a model.

mod comparison;
mod demand;
mod elasticity;
mod expected;
mod measured;
mod outcome;
mod ratio;
mod scenario;
mod slopes;
mod theta_covariance;

pub use comparison::{Counterfactual, OutcomeChange};
pub use demand::{Demand, Trip};
pub use elasticity::Elasticity;
pub use measured::Measured;
pub use outcome::Outcome;
pub use ratio::{Fieller, WeightRatio};
pub use scenario::{Places, Scenario, ScenarioBuilder};
pub use theta_covariance::ThetaCovariance;
