//! How a command ends when it does not succeed.

use std::fmt;

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// One clear message; exit code 1.
    Message(String),
    /// Everything was said already; exit code 1.
    Said,
    /// The user asked to stop, and what there is was saved; exit code 130, as shells have it.
    Interrupted(String),
}

impl Failure {
    /// A message from anything that can be written.
    pub fn new(message: impl fmt::Display) -> Self {
        Failure::Message(message.to_string())
    }

    /// A fault of the engine's input; one of the demonstrations is theirs.
    pub fn in_demos(error: revealed::Error, demos: &std::path::Path) -> Self {
        match error {
            revealed::Error::Demonstration { .. } => Failure::Message(format!("{}: {error}", demos.display())),
            error => Failure::new(error),
        }
    }

    /// The same, with what is left of the work.
    pub fn with(self, left: &str) -> Self {
        match self {
            Failure::Message(message) => Failure::Message(format!("{message}; {left}")),
            Failure::Interrupted(message) => Failure::Interrupted(format!("{message}; {left}")),
            Failure::Said => Failure::Said,
        }
    }

    /// Says it on stderr.
    pub fn report(&self) {
        match self {
            Failure::Message(message) => eprintln!("error: {message}"),
            Failure::Interrupted(message) => eprintln!("interrupted: {message}"),
            Failure::Said => {}
        }
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> u8 {
        if matches!(self, Failure::Interrupted(_)) { 130 } else { 1 }
    }
}

impl From<revealed_formats::Error> for Failure {
    fn from(error: revealed_formats::Error) -> Self {
        Failure::new(error)
    }
}

impl From<revealed::Error> for Failure {
    fn from(error: revealed::Error) -> Self {
        Failure::new(error)
    }
}

impl From<revealed_draw::Error> for Failure {
    fn from(error: revealed_draw::Error) -> Self {
        Failure::new(error)
    }
}

impl From<revealed_reproduce::Error> for Failure {
    fn from(error: revealed_reproduce::Error) -> Self {
        Failure::new(error)
    }
}

impl From<revealed_roads::Error> for Failure {
    fn from(error: revealed_roads::Error) -> Self {
        Failure::new(error)
    }
}
