//! A field as it is written, and what can be wrong with a column of numbers.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::{atomic, json, npz};
use crate::{Error, Fault};

/// What a field holds.
#[derive(serde::Serialize)]
#[serde(untagged)]
pub(crate) enum Column<'a> {
    Integer(i64),
    Float(f64),
    Text(&'a str),
    Integers(Cow<'a, [i64]>),
    Floats(Cow<'a, [f64]>),
    Texts(&'a [String]),
    /// Rows, and how many numbers each has.
    Rows(usize, &'a [f64]),
}

/// Writes fields under their dotted names as JSON objects. Names that share a prefix must follow each other.
pub(crate) fn write_json(path: &Path, columns: &[(String, Column<'_>)]) -> Result<(), Error> {
    atomic::write(path, |writer: &mut dyn Write| json::write(writer, &Nested { depth: 0, columns }))
}

/// The same as a document.
pub(crate) fn to_json(columns: &[(String, Column<'_>)]) -> Result<Value, Fault> {
    serde_json::to_value(Nested { depth: 0, columns }).map_err(|error| Fault::json(&error, ""))
}

/// Writes fields under their dotted names as arrays.
pub(crate) fn write_npz(path: &Path, columns: &[(String, Column<'_>)]) -> Result<(), Error> {
    atomic::write(path, |writer: &mut dyn Write| writer.write_all(&npz::to_bytes(columns)?))
}

/// Columns whose names agree up to `depth` dots, as an object.
struct Nested<'a> {
    depth: usize,
    columns: &'a [(String, Column<'a>)],
}

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let key = |column: &(String, Column<'_>), depth| column.0.split('.').nth(depth).map(str::to_string);
        let mut object = serializer.serialize_map(None)?;
        for group in self.columns.chunk_by(|one, next| key(one, self.depth) == key(next, self.depth)) {
            object.serialize_key(&key(&group[0], self.depth).unwrap_or_default())?;
            if key(&group[0], self.depth + 1).is_none() {
                object.serialize_value(&group[0].1)?;
            } else {
                object.serialize_value(&Nested { depth: self.depth + 1, columns: group })?;
            }
        }
        object.end()
    }
}

/// The negative entries of a column.
pub(crate) fn negative(name: &str, column: &[i64]) -> impl Iterator<Item = Fault> {
    let negative = column.iter().enumerate().filter(|entry| *entry.1 < 0);
    negative.map(move |(row, value)| Fault::value(name, row, value, "a whole number, 0 or more"))
}

/// The entries of a column that are not finite.
pub(crate) fn not_finite(name: &str, column: &[f64]) -> impl Iterator<Item = Fault> {
    let bad = column.iter().enumerate().filter(|entry| !entry.1.is_finite());
    bad.map(move |(row, value)| Fault::value(name, row, value, "a finite number"))
}
