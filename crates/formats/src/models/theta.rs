//! Parameters alone: a JSON array.

use std::path::Path;

use serde_json::Value;

use crate::files::{input, json};
use crate::{Error, Fault};

/// Reads θ from a JSON array of numbers. [`revealed::Features::check_theta`] checks the length.
///
/// # Errors
/// If the file cannot be read, or is not an array of numbers.
pub fn load_theta(path: impl AsRef<Path>) -> Result<Vec<f64>, Error> {
    let path = path.as_ref();
    let read = || -> Result<Vec<f64>, Fault> {
        let document = json::document(&input::read(path)?)?;
        json::list(&document, "theta", "a number", Value::as_f64)
    };
    read().map_err(|fault| Error::new(path, fault))
}
