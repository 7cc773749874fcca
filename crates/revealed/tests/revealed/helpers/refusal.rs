//! What the library says to a question that it refuses.

use std::fmt::Debug;

use revealed::Error;

/// The message of an error.
#[track_caller]
pub fn refusal<T: Debug>(answer: Result<T, Error>) -> String {
    answer.unwrap_err().to_string()
}
