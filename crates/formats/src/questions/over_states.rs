//! A number for each state, such as a prior over destinations: a JSON array.

use std::path::Path;

use serde_json::Value;

use crate::files::{input, json};
use crate::{Error, Fault};

/// Reads weights over the states, such as probabilities: finite numbers, 0 or more, one for each state, not all of them
/// 0. They need not sum to 1. `name` is what messages call them.
///
/// # Errors
/// If the file cannot be read or is not such an array.
pub fn load_over_states(path: impl AsRef<Path>, name: &'static str, n_states: usize) -> Result<Vec<f64>, Error> {
    let path = path.as_ref();
    let read = || -> Result<Vec<f64>, Fault> {
        let document = json::document(&input::read(path)?)?;
        let weight = |value: &Value| value.as_f64().filter(|&weight| weight.is_finite() && weight >= 0.0);
        let weights = json::list(&document, name, "a finite number, 0 or more", weight)?;
        if weights.len() != n_states {
            let why = format!("there are {n_states} states");
            return Err(Fault::entries(name, weights.len(), n_states, why));
        }
        if weights.iter().all(|&weight| weight == 0.0) {
            return Err(Fault::value(name, None, "0 for every state".to_string(), "above 0 for at least one"));
        }
        Ok(weights)
    };
    read().map_err(|fault| Error::new(path, fault))
}
