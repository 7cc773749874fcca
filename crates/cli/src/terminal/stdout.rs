//! The answer, on stdout.

use std::io::{self, IsTerminal, Write};

use super::failure::Failure;
use super::printable::{printable, printable_json, printable_with_colours};

/// How the answer is printed: as text for people, or as one JSON object for programs.
#[derive(Clone, Copy)]
pub struct Output {
    /// Whether to print JSON.
    pub json: bool,
}

impl Output {
    /// Prints the one or the other.
    pub fn print(self, words: &str, json: &serde_json::Value) -> Result<(), Failure> {
        // A reader that has seen enough is no failure.
        self.print_now(words, json).map(|_is_read| ())
    }

    /// Prints the one or the other at once. False if the reader has closed stdout.
    pub fn print_now(self, words: &str, json: &serde_json::Value) -> Result<bool, Failure> {
        if self.json {
            return write_now(&format!("{}\n", printable_json(&json.to_string())));
        }
        write_now(&if colours() { printable_with_colours(words) } else { printable(words) })
    }
}

/// Writes at once. False if the reader has closed stdout.
fn write_now(text: &str) -> Result<bool, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new(format!("stdout: {error}"))),
        Ok(()) => Ok(true),
    }
}

/// Whether colours are welcome on stdout.
pub fn colours() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
