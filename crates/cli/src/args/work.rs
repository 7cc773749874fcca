//! `--threads` and `--memory`: how the work is done. The result does not depend on them.

use clap::Args;
use revealed::{Ends, Horizon, Options};

use super::memory;

/// Threads and memory.
#[derive(Args)]
pub struct Work {
    /// Number of threads [default: all cores]. The result does not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Memory for the working arrays, such as 250M or 2G [default: a quarter of the free memory, at most 2G]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse)]
    pub memory: Option<usize>,
}

impl Work {
    /// As the engine has it.
    pub fn of_engine(&self) -> revealed::Work {
        revealed::Work { threads: self.threads, memory: self.memory.unwrap_or_else(memory::default) }
    }

    /// The options of the engine.
    pub fn options(&self, ends: Ends, horizon: Option<Horizon>) -> Options {
        Options { ends, horizon, work: self.of_engine() }
    }
}

/// Threads alone, for work that needs no large arrays.
#[derive(Args)]
pub struct Threads {
    /// Number of threads [default: all cores]. The result does not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

impl Threads {
    /// As the engine has it.
    pub fn of_engine(&self) -> revealed::Work {
        revealed::Work { threads: self.threads, ..revealed::Work::default() }
    }
}
