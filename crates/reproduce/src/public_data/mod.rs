//! The library on public data, beside published numbers and simple baselines.
//!
//! Begin with `labyrinth.rs`. Each study reads the files as they are published, says how it splits them, and chooses
//! its settings by the training part alone.

mod counts;
mod labyrinth;
mod maze;
mod several;

pub use labyrinth::{Labyrinth, LabyrinthChoice, LabyrinthFiles, LabyrinthRow};
