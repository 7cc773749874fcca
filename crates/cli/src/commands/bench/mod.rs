//! `revealed bench`: public data, beside published numbers.

mod labyrinth;

use clap::Subcommand;

use crate::terminal::{Failure, Output};

/// What `--help` shows.
pub const EXAMPLES: &str = "Example:\n  revealed bench labyrinth labyrinth --picture labyrinth.svg";

/// The studies.
#[derive(Subcommand)]
pub enum BenchCommand {
    Labyrinth(labyrinth::LabyrinthArgs),
}

impl BenchCommand {
    /// Does what was asked.
    pub fn run(&self, output: Output) -> Result<(), Failure> {
        match self {
            BenchCommand::Labyrinth(args) => labyrinth::run(args, output),
        }
    }
}
