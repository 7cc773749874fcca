//! The command line of the package: the one of the program `revealed`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs a command line, the name of the program first, and returns the exit code.
///
/// Python's other threads go on meanwhile. Ctrl-C belongs to the command, not to Python: `revealed.__main__` sees to it.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| revealed_cli::run(arguments))
}
