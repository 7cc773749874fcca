//! What is known of a demonstration besides its path: the hour, the purpose, the driver.

use std::collections::BTreeMap;
use std::fmt;

/// The columns of one demonstration by their names.
pub type TripColumns = BTreeMap<String, TripValue>;

/// One entry of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum TripValue {
    /// A number. It is finite in demonstrations.
    Number(f64),
    /// Any other label.
    Text(String),
}

impl fmt::Display for TripValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TripValue::Number(number) => write!(f, "{number}"),
            TripValue::Text(text) => f.write_str(&crate::shown(text)),
        }
    }
}

impl TripValue {
    /// A label that is the same for equal values only.
    pub(crate) fn label(&self) -> TripLabel {
        match self {
            // 0 and -0 are equal.
            TripValue::Number(number) => TripLabel::Number((number + 0.0).to_bits()),
            TripValue::Text(text) => TripLabel::Text(text.clone()),
        }
    }
}

/// A value of a column, to look up which other demonstrations have it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TripLabel {
    Number(u64),
    Text(String),
}
