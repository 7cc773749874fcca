//! The log-likelihood and log Z as functions that are prepared once and evaluated often.
//!
//! This module uses `inputs`, `threads` and `mdp`. Begin with `likelihood`.

pub mod likelihood;
pub mod partition;
pub mod prepared;
