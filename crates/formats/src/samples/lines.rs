//! Samples as lines: `{"features": [0.5, 2.0], "log_policy": -1.2}`.

use std::io::Write;
use std::path::Path;

use revealed::SampleColumns;
use serde_json::{Value, json};

use super::file::{FIELDS, SampleFile, no_features, to_length};
use crate::files::fields::Fields;
use crate::files::{atomic, json, lines};
use crate::{Error, Fault};

const EVERYWHERE: &str = "given on every line or on none";

pub(super) fn read(path: &Path, as_samples: bool) -> Result<SampleFile, Fault> {
    let mut file = SampleFile::default();
    lines::read(path, |fields| file.add(fields, as_samples))?;
    Ok(file)
}

impl SampleFile {
    fn add(&mut self, mut fields: Fields, as_samples: bool) -> Result<(), Fault> {
        let unknown = fields.unknown(&FIELDS);
        let missing = |field: &str| Fault::missing(field, &unknown);
        let columns = &mut self.columns;
        let features = fields.floats("features")?.ok_or_else(|| missing("features"))?;
        let before = self.weights.len();
        if features.is_empty() {
            return Err(no_features());
        }
        if before == 0 {
            columns.n_features = features.len();
        } else if features.len() != columns.n_features {
            let (found, expected) = (features.len(), columns.n_features);
            let why = format!("the first line has {expected}");
            return Err(Fault::entries("features", found, expected, why));
        }
        columns.features.extend(features);
        self.weights.push(fields.float("weight")?.unwrap_or(1.0));
        if as_samples {
            columns.log_policy.push(fields.float("log_policy")?.ok_or_else(|| missing("log_policy"))?);
            push(&mut columns.log_reference, "log_reference", before, log_reference(&mut fields)?)?;
            push(&mut columns.rollout, "rollout", before, fields.integer("rollout")?)?;
        }
        let length = fields.integer("length")?.map(|length| to_length(length, None)).transpose()?;
        push(&mut columns.length, "length", before, length)
    }
}

/// Adds a value to a column that is there on all lines, or on none.
fn push<T>(column: &mut Option<Vec<T>>, name: &str, before: usize, value: Option<T>) -> Result<(), Fault> {
    match (column.as_mut(), value) {
        (None, None) => Ok(()),
        (None, Some(value)) if before == 0 => {
            *column = Some(vec![value]);
            Ok(())
        }
        (None, Some(_)) => Err(Fault::value(name, None, "missing from the lines before this one", EVERYWHERE)),
        (Some(_), None) => Err(Fault::value(name, None, "missing", EVERYWHERE)),
        (Some(column), Some(value)) => {
            column.push(value);
            Ok(())
        }
    }
}

/// JSON has no -∞: the text `"-inf"` stands for it.
fn log_reference(fields: &mut Fields) -> Result<Option<f64>, Fault> {
    if let Fields::Json(document) = fields
        && let Some(Value::String(text)) = json::get(document, "log_reference")?
        && text == "-inf"
    {
        return Ok(Some(f64::NEG_INFINITY));
    }
    fields.float("log_reference")
}

pub(super) fn write(columns: &SampleColumns, path: &Path) -> Result<(), Error> {
    atomic::write(path, |writer: &mut dyn Write| {
        for row in 0..columns.len() {
            let features = &columns.features[row * columns.n_features..(row + 1) * columns.n_features];
            let mut line = json!({ "features": features, "log_policy": columns.log_policy[row] });
            if let Some(log_reference) = &columns.log_reference {
                let finite = log_reference[row] > f64::NEG_INFINITY;
                line["log_reference"] = if finite { json!(log_reference[row]) } else { json!("-inf") };
            }
            if let Some(length) = &columns.length {
                line["length"] = json!(length[row]);
            }
            if let Some(rollout) = &columns.rollout {
                line["rollout"] = json!(rollout[row]);
            }
            writeln!(writer, "{line}")?;
        }
        Ok(())
    })
}
