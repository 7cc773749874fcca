//! Road networks: from maps and GPS trips to forecasts.
//!
//! This module uses `inputs`, `threads` and `mdp`, and the crates of roads and of drawing. Begin with `network`.

pub mod canvas;
pub mod city;
pub mod engines;
pub mod evaluation;
pub mod forecasts;
pub mod matching;
pub mod network;
pub mod regions;
pub mod speeds;
pub mod tables;
