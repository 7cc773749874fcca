//! Rewards that depend on how a path came to a state: features of the last k states and the next step.
//!
//! It uses `policies` and the modules before it. Begin with `windows.rs`, which says what the features are.
//! `contexts.rs` is the automaton that remembers as much of a path as its features ask for, `history_world.rs` the
//! product of the world with it, and `history_model.rs` answers questions about the original states.

mod contexts;
mod history_model;
mod history_world;
mod windows;

pub use history_model::HistoryModel;
pub use history_world::HistoryWorld;
pub use windows::{Window, Windows};
