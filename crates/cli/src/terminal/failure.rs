//! How a command ends when it does not succeed.

use std::fmt;
use std::path::Path;

use super::notes::status;

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// The input is bad, or the work failed: one clear message. Exit code 1.
    Message(String),
    /// The options do not fit together. Exit code 2, as for every other error of usage.
    Usage(String),
    /// Everything has been printed already. Exit code 1.
    Said,
    /// The user asked to stop; the message says what was saved. Exit code 130, as shells have it.
    Interrupted(String),
}

impl Failure {
    /// A message from anything that can be displayed.
    pub fn new(message: impl fmt::Display) -> Self {
        Failure::Message(message.to_string())
    }

    /// A message about a file.
    pub fn in_file(file: &Path, message: impl fmt::Display) -> Self {
        Failure::Message(format!("{}: {message}", file.display()))
    }

    /// An error of the engine. If it is about a demonstration, the message begins with the file of demonstrations.
    pub fn in_demos(error: revealed::Error, demos: &Path) -> Self {
        match error {
            revealed::Error::Demonstration { .. } => Failure::in_file(demos, error),
            error => error.into(),
        }
    }

    /// The same failure; if the user asked to stop, with a message that says what is left of the work.
    pub fn if_interrupted(self, left: impl Into<String>) -> Self {
        match self {
            Failure::Interrupted(_) => Failure::Interrupted(left.into()),
            other => other,
        }
    }

    /// The same failure, followed by what is left of the work.
    pub fn with(self, left: &str) -> Self {
        match self {
            Failure::Message(message) => Failure::Message(format!("{message}; {left}")),
            Failure::Interrupted(message) => Failure::Interrupted(format!("{message}; {left}")),
            Failure::Usage(_) | Failure::Said => self,
        }
    }

    /// Prints it on stderr.
    pub fn report(&self) {
        match self {
            Failure::Message(message) => status(format_args!("error: {message}")),
            Failure::Usage(message) => status(format_args!("error: {message}\n\nFor more information, try '--help'.")),
            Failure::Interrupted(message) => status(format_args!("interrupted: {message}")),
            Failure::Said => {}
        }
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Message(_) | Failure::Said => 1,
            Failure::Usage(_) => 2,
            Failure::Interrupted(_) => 130,
        }
    }
}

/// Work that was stopped is an interruption and no error.
impl From<revealed::Error> for Failure {
    fn from(error: revealed::Error) -> Self {
        match error {
            revealed::Error::Stopped => Failure::Interrupted("the work is not finished".to_string()),
            error => Failure::new(error),
        }
    }
}

impl From<revealed_formats::Error> for Failure {
    fn from(error: revealed_formats::Error) -> Self {
        Failure::new(error)
    }
}

impl From<revealed_roads::Error> for Failure {
    fn from(error: revealed_roads::Error) -> Self {
        match error {
            revealed_roads::Error::Stopped => revealed::Error::Stopped.into(),
            error => Failure::new(error),
        }
    }
}

impl From<revealed_draw::Error> for Failure {
    fn from(error: revealed_draw::Error) -> Self {
        Failure::new(error)
    }
}

impl From<revealed_reproduce::Error> for Failure {
    fn from(error: revealed_reproduce::Error) -> Self {
        match error {
            revealed_reproduce::Error::Study(error) => error.into(),
            error => Failure::new(error),
        }
    }
}
