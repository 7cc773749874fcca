//! Measures how fast the engine is: against a roofline, against other programs on the same files, and as problems grow.
//! `benchmarks/run` prepares everything and calls it; it prints Markdown.

mod answering;
mod causal;
mod clock;
mod gradient;
mod grids;
mod histories;
mod learning;
mod memory;
mod partial;
mod paths;
mod peers;
mod planning;
mod queries;
mod roofline;
mod routes;
mod scaling;
mod sliced;
mod town;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use peers::Peers;

/// Measure the engine and print Markdown
#[derive(Parser)]
struct Cli {
    /// What to measure
    #[arg(value_enum, default_values_t = [Part::Gradient, Part::Memory, Part::Grids, Part::Causal, Part::Scaling, Part::Learning, Part::Planning, Part::Queries])]
    parts: Vec<Part>,
    /// A Python with the packages of benchmarks/requirements.txt
    #[arg(long, value_name = "PYTHON")]
    python: Option<PathBuf>,
    /// A Python with the packages of benchmarks/requirements-imitation.txt
    #[arg(long, value_name = "PYTHON")]
    imitation: Option<PathBuf>,
    /// Rounds in which everything is timed once; the fastest round counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Threads of `answer`
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Folder for the problem files
    #[arg(long, default_value = "target/benchmark")]
    files: PathBuf,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Part {
    /// One gradient on road-like networks
    Gradient,
    /// One gradient under a memory budget
    Memory,
    /// One gradient on slippery grids
    Grids,
    /// One gradient of the causal model, and a fit without a horizon
    Causal,
    /// Time against the horizon and the number of states
    Scaling,
    /// One gradient of paths within a horizon, against the bare products
    Paths,
    /// One gradient with half of the steps hidden, against one with all of them seen
    Partial,
    /// Whole fits
    Learning,
    /// Whole fits with histories on a road-like network
    Histories,
    /// Optimal values and policies
    Planning,
    /// Queries to a model: destinations, most likely paths, samples
    Queries,
    /// One gradient of the recursive logit on dense grids
    Routes,
    /// A whole fit of the recursive logit with standard errors
    Town,
    /// Only write the network of Porto's size as a problem file, without measuring
    Problem,
    /// One gradient at Porto's size per line of stdin, for benchmarks/python_overhead.py
    Answer,
}

/// The size of the paper's network of Porto.
const PORTO: (usize, usize) = (292_604, 594_933);

fn main() -> ExitCode {
    let cli = Cli::parse();
    let peers = Peers { python: cli.python, imitation: cli.imitation, files: cli.files };
    for part in cli.parts {
        let outcome = match part {
            Part::Gradient => gradient::run(&peers, cli.rounds),
            Part::Memory => memory::run(cli.rounds),
            Part::Grids => grids::run(&peers, cli.rounds),
            Part::Causal => causal::run(&peers, cli.rounds),
            Part::Scaling => scaling::run(),
            Part::Paths => paths::run(cli.rounds),
            Part::Partial => partial::run(cli.rounds),
            Part::Learning => learning::run(),
            Part::Histories => histories::run(),
            Part::Planning => planning::run(&peers, cli.rounds),
            Part::Queries => queries::run(&peers, cli.rounds),
            Part::Routes => routes::run(cli.rounds),
            Part::Town => town::run(&peers, cli.rounds),
            Part::Problem => write_problem(&peers),
            Part::Answer => answering::run(PORTO.0, PORTO.1, 400, cli.threads),
        };
        match outcome {
            Ok(table) => println!("{table}"),
            Err(message) => {
                eprintln!("error: {message}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn write_problem(peers: &Peers) -> Result<String, String> {
    let world = revealed::worlds::road_like(PORTO.0, PORTO.1, 1).map_err(|error| error.to_string())?;
    let (problem, _) = peers.write(&world, "roads")?;
    Ok(format!("written to {}", problem.display()))
}
