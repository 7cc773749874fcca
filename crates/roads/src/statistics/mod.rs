//! Random numbers and summaries of numbers.
//!
//! This module has normal random numbers, and medians with their intervals. It uses no other module. Begin with
//! [`Summary`].

mod normal;
mod summary;

pub(crate) use self::normal::normal_polar;
pub(crate) use self::summary::three_digits;
pub use self::summary::{Summary, median_rank};
