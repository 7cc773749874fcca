//! A trip: the positions of a car, and when it was there.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::geometry::Position;

/// A position of a car, and the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fix {
    /// The position. Files may have positions that are not valid, such as null or a longitude of 500. They are kept so
    /// that [matching](crate::matching) can count them.
    pub position: Position,
    /// The time in seconds since any moment that all fixes of the trip share; `None` if the file does not have it.
    pub seconds: Option<f64>,
}

/// A drive as a GPS receiver recorded it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trip {
    /// Its id in the file.
    pub id: String,
    /// In the order of the file.
    pub fixes: Vec<Fix>,
    /// Whether the file states that fixes are missing.
    pub missing: bool,
    /// Other columns of the file that have one value for the trip, such as the driver: names and values.
    pub columns: Vec<(String, String)>,
}

impl Trip {
    /// From the first fix to the last in seconds, if the times are known. The times may run backwards.
    pub fn seconds(&self) -> Option<f64> {
        Some((self.fixes.last()?.seconds? - self.fixes.first()?.seconds?).abs())
    }
}

/// A hash of an id. Millions of ids may have to be remembered.
pub(crate) fn hash_of_id(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
