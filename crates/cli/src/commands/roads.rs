//! `revealed roads`: from a map and GPS trips to forecasts of what drivers do.

mod import;
mod learn;

use crate::args::roads::Roads;
use crate::failure::Failure;
use crate::output::Output;

/// Does what is asked.
pub fn run(args: &Roads, output: Output) -> Result<(), Failure> {
    match args {
        Roads::Import(args) => import::run(args, output),
        Roads::Learn(args) => learn::run(args, output),
        _ => Err(Failure::new("not there yet")),
    }
}
