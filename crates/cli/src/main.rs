//! The command `revealed`: results to stdout, progress and messages to stderr.
//!
//! The modules, in reading order. Each may use only those above it.

mod terminal;

mod files;

mod args;

mod commands;

#[cfg(test)]
mod flags;

use std::process::ExitCode;

use clap::Parser;
use revealed::Cancel;

use crate::commands::Command;
use crate::terminal::{Output, interrupt};

/// Learn the reward that explains demonstrations, and forecast behaviour with it.
///
/// Exact maximum-entropy inverse reinforcement learning. `revealed demo` shows it without any input.
#[derive(Parser)]
#[command(name = "revealed", version, about, long_about, arg_required_else_help = true)]
struct Cli {
    /// What to do
    #[command(subcommand)]
    command: Command,
    /// Print exactly one JSON object to stdout
    #[arg(long, global = true)]
    json: bool,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let run = || cli.command.run(Output { json: cli.json });
    match Cancel::when(interrupt::asked).during(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            ExitCode::from(failure.exit_code())
        }
    }
}
