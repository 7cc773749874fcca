//! Arithmetic without any notion of an MDP: numbers of any magnitude, small matrices, threads, random draws.
//!
//! It touches only [`Error`](crate::Error). Begin with `scaled.rs`: a number with its own exponent, in which weights as
//! small as e^-800000 keep all their digits.

pub(crate) mod checkpoints;
pub mod parallel;
pub(crate) mod product;
pub(crate) mod random;
pub(crate) mod rounding;
pub(crate) mod rows;
pub(crate) mod scaled;
pub(crate) mod symmetric;
pub(crate) mod threads;
pub(crate) mod vector;
pub(crate) mod work;

pub use scaled::Scaled;
pub use threads::{MOST_THREADS, Threads};
pub use work::{DEFAULT_MEMORY, Work};
