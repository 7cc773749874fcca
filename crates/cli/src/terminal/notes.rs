//! Messages on stderr, in addition to the answer on stdout.

use std::fmt::Display;

/// Information that changes nothing.
pub fn note(message: impl Display) {
    eprintln!("note: {message}");
}

/// A reason to doubt the answer.
pub fn warning(message: impl Display) {
    eprintln!("warning: {message}");
}

/// What the command is doing now, where it takes long.
pub fn status(message: impl Display) {
    eprintln!("{message}");
}
