//! A number with its standard error.

use crate::Error;
use crate::uncertainty::tails::within;

/// A number that depends on θ̂, and its standard error by the delta method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The value at θ̂.
    pub value: f64,
    /// The standard error. `None` if the value changes along a direction of θ that the data do not identify: there is
    /// no interval then.
    pub standard_error: Option<f64>,
}

impl Measured {
    /// The confidence interval that covers the truth with this probability, by the normal distribution.
    ///
    /// # Errors
    /// If the level is not between 0 and 1.
    pub fn interval(&self, level: f64) -> Result<Option<(f64, f64)>, Error> {
        let z = quantile(level)?;
        Ok(self.standard_error.map(|error| (self.value - z * error, self.value + z * error)))
    }

    /// The number times a constant.
    pub fn times(self, factor: f64) -> Measured {
        Measured { value: factor * self.value, standard_error: self.standard_error.map(|error| factor.abs() * error) }
    }
}

/// The z with P(|Z| ≤ z) = `level`.
pub(super) fn quantile(level: f64) -> Result<f64, Error> {
    match level > 0.0 && level < 1.0 {
        true => Ok(within(level)),
        false => Err(Error::Setting { what: "the level", value: level, expected: "between 0 and 1, such as 0.95" }),
    }
}
