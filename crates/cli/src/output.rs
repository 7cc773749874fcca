//! What goes to stdout.

use std::io::{self, IsTerminal, Write};

use crate::failure::Failure;

/// Words for people, or one JSON object for programs.
#[derive(Clone, Copy)]
pub struct Output {
    /// Whether JSON was asked for.
    pub json: bool,
}

impl Output {
    /// Prints the one or the other.
    pub fn print(self, words: &str, json: &serde_json::Value) -> Result<(), Failure> {
        let text = if self.json { format!("{json}\n") } else { words.to_string() };
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            // A reader that has seen enough is no failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(Failure::new(format!("stdout: {error}"))),
            Ok(()) => Ok(()),
        }
    }
}

/// Whether colours are welcome on stdout.
pub fn colours() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
