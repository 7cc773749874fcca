//! Baselines, other models of the same demonstrations: Ziebart's algorithms of 2008 and 2010, and maximum causal
//! entropy.
//!
//! It uses `model` and the modules before it. Begin with `ziebart.rs`.

pub(crate) mod ziebart;

pub use ziebart::{Terminals, Ziebart, ZiebartPass, ZiebartVersion};
