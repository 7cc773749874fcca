//! The uncertainty of θ: the information matrix, standard errors, confidence intervals, and directions that the data do
//! not identify. And the uncertainty of the model: which of them explains the demonstrations.
//!
//! It uses `learning` and the modules before it. Begin with `estimates.rs`, which has the types of the result;
//! `sandwich.rs` computes it. `comparison.rs` compares models.

mod comparison;
pub(crate) mod covariance;
pub(crate) mod estimates;
mod fit_statistics;
pub(crate) mod information;
mod newton;
pub(crate) mod sandwich;
pub(crate) mod tails;
pub(crate) mod unidentified;

pub use crate::learning::Cluster;
pub use comparison::{COMPARISON_L2, Compared, ComparedFit, ComparedModel, Comparison, ModelKind, Preference, Vuong};
pub use estimates::{ErrorKind, Standing, Uncertainty};
pub use fit_statistics::FitStatistics;
pub use information::Information;
pub use tails::chi_squared_tail;
pub use unidentified::{Unidentified, WeaklyIdentified};
