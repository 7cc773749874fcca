//! Samples in a file, by its extension.

use std::path::Path;

use revealed::SampleColumns;

use super::{arrays, lines};
use crate::files::column::not_finite;
use crate::files::input;
use crate::{Error, Fault};

/// The fields that a file may have.
pub(super) const FIELDS: [&str; 9] =
    ["format", "features", "names", "log_policy", "log_reference", "length", "rollout", "weight", "weights"];

/// Reads samples; `-` is lines of JSON from stdin. Their numbers are checked by [`revealed::Samples::new`].
///
/// # Errors
/// If the file cannot be read, holds something that is not a sample, or has none.
pub fn load(path: impl AsRef<Path>) -> Result<SampleColumns, Error> {
    let path = path.as_ref();
    read(path, true).map(|rows| rows.columns).map_err(|fault| Error::new(path, fault))
}

/// Writes samples, as `.jsonl` or `.npz`. Lines have no place for names.
///
/// # Errors
/// If a number is not finite, or the file cannot be written.
pub fn save(columns: &SampleColumns, path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    // The reference policy may give an action probability 0.
    let reference: Vec<f64> =
        columns.log_reference.iter().flatten().map(|&log| if log == f64::NEG_INFINITY { 0.0 } else { log }).collect();
    let bad = (not_finite("features", &columns.features).next())
        .or(not_finite("log_policy", &columns.log_policy).next())
        .or(not_finite("log_reference", &reference).next());
    match (bad, input::extension(path).as_str()) {
        (Some(fault), _) => Err(Error::new(path, fault)),
        (None, "jsonl") => lines::write(columns, path),
        (None, "npz") => arrays::write(columns, path),
        _ => Err(Error::new(path, unknown_extension(path))),
    }
}

fn unknown_extension(path: &Path) -> Fault {
    input::unknown_extension(path, "samples, and demonstrations by their features, are a", ".jsonl or .npz file")
}

/// The rows of a file: of samples, or of demonstrations.
#[derive(Default)]
pub(super) struct SampleFile {
    pub(super) columns: SampleColumns,
    /// One for each row.
    pub(super) weights: Vec<f64>,
}

/// Reads a file of samples, or of demonstrations, which need features alone.
pub(super) fn read(path: &Path, as_samples: bool) -> Result<SampleFile, Fault> {
    let rows = match input::extension(path).as_str() {
        "jsonl" => lines::read(path, as_samples),
        _ if input::is_stdin(path) => lines::read(path, as_samples),
        "npz" => arrays::read(path, as_samples),
        _ => Err(unknown_extension(path)),
    }?;
    match rows.weights.is_empty() {
        true if as_samples => Err(Fault::value("the file", None, "without samples", "one of at least two rollouts")),
        true => Err(revealed::Error::NoDemonstrations.into()),
        false => Ok(rows),
    }
}

pub(super) fn no_features() -> Fault {
    Fault::value("features", None, "without numbers", "one number per feature")
}

/// The length of a sample in states.
pub(super) fn to_length(length: i64, row: Option<usize>) -> Result<usize, Fault> {
    let fault = || Fault::value("length", row, length, "a whole number, 1 or more");
    usize::try_from(length).ok().filter(|length| *length >= 1).ok_or_else(fault)
}
