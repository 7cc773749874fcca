//! Why a picture could not be drawn.

/// A picture that cannot be drawn. The message names the picture, the problem and, where there is one, the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{what}: {problem}")]
pub struct Error {
    /// What was to be drawn.
    pub what: &'static str,
    /// Why it could not be.
    pub problem: String,
}

impl Error {
    pub(crate) fn new(what: &'static str, problem: impl Into<String>) -> Error {
        Error { what, problem: problem.into() }
    }
}
