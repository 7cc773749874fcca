//! How sure θ is: the information, standard errors, intervals, and what the data cannot identify.
//!
//! It touches `learning` and what lies below. Begin with `estimates.rs`, which has the answer's types; `sandwich.rs` computes it.

pub(crate) mod estimates;
mod fit_statistics;
pub(crate) mod information;
mod newton;
mod sandwich;
mod tails;
mod unidentified;

pub use estimates::{Standing, Uncertainty};
pub use fit_statistics::FitStatistics;
pub use information::Information;
pub use unidentified::{Unidentified, WeaklyIdentified};
