//! The list of experiments, their settings, and their units of work.
//!
//! It touches no other room, runs nothing and writes nothing. Begin with `experiment.rs` for the list and with
//! `plan.rs` for the units.

mod experiment;
mod plan;
mod progress;
mod recipe;
mod settings;

pub use experiment::Experiment;
pub(crate) use plan::{Plan, Row, Unit};
pub(crate) use progress::Context;
pub use progress::Tally;
pub(crate) use recipe::Recipe;
pub use settings::{PortoFiles, Settings};
