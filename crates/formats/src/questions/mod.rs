//! What a question is asked with: pairs of states, and weights over the states.
//!
//! It touches `files` alone. Begin with `pairs.rs`.

mod over_states;
mod pairs;

pub use over_states::load_over_states;
pub use pairs::{Pair, load_pairs};
