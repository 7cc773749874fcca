//! The problem (an MDP and its features), demonstrations in it, known worlds, and planning with a known reward.
//!
//! This module uses `inputs`, `threads`, the engine and the file formats. Begin with `problem`.

pub mod demonstrations;
pub mod partial;
pub mod planning;
pub mod problem;
pub mod trips;
pub mod worlds;
