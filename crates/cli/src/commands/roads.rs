//! `revealed roads`: from a map and GPS trips to forecasts of what drivers do.

mod city;
mod drawing;
mod evaluate;
mod forecast;
mod import;
mod learn;
mod match_trips;
mod trace;

use crate::args::roads::Roads;
use crate::failure::Failure;
use crate::output::Output;

/// Does what is asked.
pub fn run(args: &Roads, output: Output) -> Result<(), Failure> {
    match args {
        Roads::Import(args) => import::run(args, output),
        Roads::City(args) => city::run(args, output),
        Roads::Match(args) => match_trips::run(args, output),
        Roads::Learn(args) => learn::run(args, output),
        Roads::Evaluate(args) => evaluate::run(args, output),
        Roads::Forecast(args) => forecast::run(args, output),
    }
}

/// Numbers with commas between them; none if one of them is none.
fn numbers(text: &str) -> Vec<f64> {
    text.split(',').map(|part| part.trim().parse()).collect::<Result<_, _>>().unwrap_or_default()
}
