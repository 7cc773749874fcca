//! The inputs of queries: pairs of states, and weights over the states.
//!
//! It uses only `files`. Begin with `pairs.rs`.

mod over_states;
mod pairs;

pub use over_states::load_over_states;
pub use pairs::{Pair, load_pairs};
