//! Vectors of f64: products, differences, and whether all entries are finite.

use crate::Error;

/// a · b.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The Euclidean length.
pub(crate) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// a - b. Observed minus expected features are the gradient of a log-likelihood (eq:s-grad and the two after it).
pub(crate) fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Rejects NaN and infinities in input, naming the index.
pub(crate) fn all_finite(what: &'static str, values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(Error::NotFinite { what, index, value: values[index] }),
        None => Ok(()),
    }
}

/// Rejects results that do not fit into an f64.
pub(crate) fn all_representable(what: &'static str, values: &[f64]) -> Result<(), Error> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(Error::Overflow { what, value }),
        None => Ok(()),
    }
}
