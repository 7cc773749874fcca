//! `revealed roads`: from a map and GPS trips to forecasts of routes and destinations.

mod city;
mod evaluate;
mod export;
mod flows;
mod forecast;
mod import;
mod learn;
mod match_trips;
mod regions;
mod speeds;
mod trace;

use clap::Subcommand;

use crate::terminal::{Failure, Output};

/// The commands one after the other, from a map to forecasts.
pub const EXAMPLES: &str = "Example:\n  revealed roads city -o city.osm --trips trips.csv\n  \
    revealed roads import city.osm -o city.npz --features type,time,signals,turns\n  \
    revealed roads match city.npz trips.csv -o paths.jsonl --min-seconds 60\n  \
    revealed roads learn city.npz paths.jsonl -o taxi.json --held-out test.jsonl --train train.jsonl\n  \
    revealed roads evaluate city.npz taxi.json test.jsonl --train train.jsonl";

/// The commands of road networks.
#[derive(Subcommand)]
pub enum RoadsCommand {
    Import(import::ImportArgs),
    City(city::CityArgs),
    Match(match_trips::MatchArgs),
    Regions(regions::RegionsArgs),
    Speeds(speeds::SpeedsArgs),
    Learn(Box<learn::RoadsLearnArgs>),
    Evaluate(evaluate::RoadsEvaluateArgs),
    Forecast(forecast::ForecastArgs),
    Flows(flows::FlowsArgs),
    Export(export::ExportArgs),
}

impl RoadsCommand {
    /// Does what was asked.
    pub fn run(&self, output: Output) -> Result<(), Failure> {
        match self {
            RoadsCommand::Import(args) => import::run(args, output),
            RoadsCommand::City(args) => city::run(args, output),
            RoadsCommand::Match(args) => match_trips::run(args, output),
            RoadsCommand::Regions(args) => regions::run(args, output),
            RoadsCommand::Speeds(args) => speeds::run(args, output),
            RoadsCommand::Learn(args) => learn::run(args, output),
            RoadsCommand::Evaluate(args) => evaluate::run(args, output),
            RoadsCommand::Forecast(args) => forecast::run(args, output),
            RoadsCommand::Flows(args) => flows::run(args, output),
            RoadsCommand::Export(args) => export::run(args, output),
        }
    }
}

/// Numbers with commas between them; empty if one of them is not a number.
fn numbers(text: &str) -> Vec<f64> {
    text.split(',').map(|part| part.trim().parse()).collect::<Result<_, _>>().unwrap_or_default()
}
