//! Random numbers and summaries of numbers.
//!
//! This module has normal random numbers, medians with their intervals, and the inverse of a matrix. It uses no other module. Begin with
//! [`Summary`].

mod normal;
mod positive_definite;
mod summary;

pub(crate) use self::normal::normal_polar;
pub(crate) use self::positive_definite::inverse;
pub(crate) use self::summary::three_digits;
pub use self::summary::{Summary, median_rank};
