//! The answer, on stdout.

use std::io::{self, IsTerminal, Write};

use super::failure::Failure;

/// How the answer is printed: as text for people, or as one JSON object for programs.
#[derive(Clone, Copy)]
pub struct Output {
    /// Whether to print JSON.
    pub json: bool,
}

impl Output {
    /// Prints the one or the other.
    pub fn print(self, words: &str, json: &serde_json::Value) -> Result<(), Failure> {
        let text = if self.json { format!("{json}\n") } else { words.to_string() };
        // A reader that has seen enough is no failure.
        print_now(&text).map(|_is_read| ())
    }
}

/// Prints at once. False if the reader has closed stdout.
pub fn print_now(text: &str) -> Result<bool, Failure> {
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
