//! The command `revealed`: results to stdout, progress and messages to stderr.

mod args;
mod bounds;
mod catalogue;
mod commands;
mod counter;
mod failure;
mod grid;
mod interrupt;
mod memory;
mod output;
mod paths;
mod progress;
mod question;

use std::process::ExitCode;

use args::{Cli, Command};
use clap::Parser;
use output::Output;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let output = Output { json: cli.json };
    let result = match &cli.command {
        Command::Demo(args) => commands::demo::run(args, output),
        Command::Learn(args) => commands::learn::run(args, output),
        Command::Summary(args) => commands::summary::run(args, output),
        Command::Likelihood(args) => commands::likelihood::run(args, output),
        Command::Marginals(args) => commands::marginals::run(args, output),
        Command::Path(args) => commands::path::run(args, output),
        Command::Policy(args) => commands::policy::run(args, output),
        Command::Sample(args) => commands::sample::run(args, output),
        Command::Destinations(args) => commands::destinations::run(args, output),
        Command::Lengths(args) => commands::lengths::run(args, output),
        Command::Samples(args) => commands::samples::run(args, output),
        Command::Plan(args) => commands::plan::run(args, output),
        Command::Rollouts(args) => commands::rollouts::run(args, output),
        Command::Evaluate(args) => commands::evaluate::run(args, output),
        Command::Score(args) => commands::score::run(args, output),
        Command::CrossValidate(args) => commands::cross_validate::run(args, output),
        Command::Env(args) => commands::env::run(args, output),
        Command::Check(args) => commands::check::run(args, output),
        Command::Roads(args) => commands::roads::run(args, output),
        Command::Reproduce(args) => commands::reproduce::run(args, output),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            ExitCode::from(failure.exit_code())
        }
    }
}
