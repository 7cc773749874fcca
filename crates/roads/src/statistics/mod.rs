//! Random numbers and summaries of numbers.
//!
//! This room holds normal random numbers, and medians with their intervals. It touches no other room. Begin with
//! [`Summary`].

mod normal;
mod summary;

pub(crate) use self::normal::normal_polar;
pub(crate) use self::summary::three_digits;
pub use self::summary::{Summary, median_rank};
