//! Messages on stderr, in addition to the answer on stdout.

use std::fmt::Display;
use std::io::{self, Write};

use super::printable::printable;

/// Information that changes nothing.
pub fn note(message: impl Display) {
    status(format_args!("note: {message}"));
}

/// A reason to doubt the answer.
pub fn warning(message: impl Display) {
    status(format_args!("warning: {message}"));
}

/// What the command is doing now, where it takes long. A message that cannot be written is dropped, and the work goes
/// on: nobody may be reading.
pub fn status(message: impl Display) {
    let line = format!("{message}\n");
    // At once, so that lines of several threads are not mixed.
    let _ = io::stderr().lock().write_all(printable(&line).as_bytes());
}
