//! The program `revealed`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(revealed_cli::run(std::env::args_os()))
}
