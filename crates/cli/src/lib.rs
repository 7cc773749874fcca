//! The command `revealed` as a function: results to stdout, progress and messages to stderr.
//!
//! The program `revealed` calls it, and so does the Python package, which brings the same command.
//!
//! The modules, in reading order. Each may use only those above it.

mod terminal;

mod files;

mod args;

mod commands;

#[cfg(test)]
mod flags;

use std::ffi::OsString;

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

/// Runs a command line, the name of the program first, and returns the exit code. It prints what the program prints.
///
/// Once in a process: the first Ctrl-C is remembered, and a second one ends the process.
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        // Help is such an error, too. If nobody reads it, there is nobody to tell.
        Err(asked) => {
            let _ = asked.print();
            return u8::try_from(asked.exit_code()).unwrap_or(2);
        }
    };
    let run = || cli.command.run(Output { json: cli.json });
    match Cancel::when(interrupt::asked).during(run) {
        Ok(()) => 0,
        Err(failure) => {
            failure.report();
            failure.exit_code()
        }
    }
}
