//! Samples for model-free learning, and demonstrations as features: `.jsonl`, one a line, or `.npz` for many.
//!
//! A line is `{"features": [...], "log_policy": x}`, with `log_reference`, `length` and `rollout` where they are known; see
//! [`SampleColumns`] for what they mean. An npz has the same as arrays, `features` with a row for each sample, and perhaps `names`.
//! -∞, which JSON does not have, is the text `"-inf"` in a line. Demonstrations are the same, and need `features` alone; `weight`
//! (in an npz: `weights`) says how much each counts: see [`FeatureDemonstrations`](crate::FeatureDemonstrations).

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use revealed::SampleColumns;
use serde_json::{Value, json};

use crate::fields::{self, Column, Fields};
use crate::table::not_finite;
use crate::{Error, Fault, atomic, input, json};

const COLUMNS: [&str; 9] =
    ["format", "features", "names", "log_policy", "log_reference", "length", "rollout", "weight", "weights"];
const EVERYWHERE: &str = "given on every line or on none";

/// Reads samples. Their numbers are checked by [`revealed::Samples::new`].
///
/// # Errors
/// If the file cannot be read, holds something that is no sample, or has none.
pub fn load(path: impl AsRef<Path>) -> Result<SampleColumns, Error> {
    let path = path.as_ref();
    read(path, true).map(|rows| rows.columns).map_err(|fault| Error::new(path, fault))
}

/// Writes samples, as `.jsonl` or `.npz`. Lines have no place for names.
///
/// # Errors
/// If a number is none, or the file cannot be written.
pub fn save(columns: &SampleColumns, path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    // -∞ is what a reference policy may say of what it never does.
    let reference: Vec<f64> =
        columns.log_reference.iter().flatten().map(|&log| if log == f64::NEG_INFINITY { 0.0 } else { log }).collect();
    let bad = (not_finite("features", &columns.features).next())
        .or(not_finite("log_policy", &columns.log_policy).next())
        .or(not_finite("log_reference", &reference).next());
    match (bad, input::extension(path).as_str()) {
        (Some(fault), _) => Err(Error::new(path, fault)),
        (None, "jsonl") => write_lines(columns, path),
        (None, "npz") => write_arrays(columns, path),
        _ => Err(Error::new(path, unknown_extension(path))),
    }
}

fn unknown_extension(path: &Path) -> Fault {
    input::unknown_extension(path, "samples, and demonstrations by their features, are a", ".jsonl or .npz file")
}

/// The rows of a file of either kind.
pub(crate) struct Rows {
    pub(crate) columns: SampleColumns,
    /// One for each row.
    pub(crate) weights: Vec<f64>,
}

pub(crate) fn read(path: &Path, as_samples: bool) -> Result<Rows, Fault> {
    let rows = match input::extension(path).as_str() {
        "jsonl" => read_lines(path, as_samples),
        "npz" => Fields::open_npz(path).and_then(|mut fields| read_arrays(&mut fields, as_samples)),
        _ => Err(unknown_extension(path)),
    }?;
    match rows.weights.is_empty() {
        true if as_samples => Err(Fault::value("the file", None, "without samples", "one of at least two rollouts")),
        true => Err(revealed::Error::NoDemonstrations.into()),
        false => Ok(rows),
    }
}

fn read_lines(path: &Path, as_samples: bool) -> Result<Rows, Fault> {
    let mut reader = BufReader::new(input::open(path)?);
    let mut rows = Rows { columns: SampleColumns::default(), weights: Vec::new() };
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(Fault::Read)? == 0 {
            break;
        }
        if !bytes.trim_ascii().is_empty() {
            rows.read_line(&bytes, as_samples).map_err(|fault| crate::demonstrations::in_line(line, fault))?;
        }
    }
    Ok(rows)
}

impl Rows {
    fn read_line(&mut self, bytes: &[u8], as_samples: bool) -> Result<(), Fault> {
        let mut fields = Fields::Json(json::parse(bytes.trim_ascii_end())?);
        let unknown = fields.unknown(&COLUMNS);
        let missing = |field: &str| Fault::Missing { field: field.to_string(), unknown: unknown.clone() };
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
            return Err(Fault::Entries { field: "features".to_string(), found, expected, why });
        }
        columns.features.extend(features);
        self.weights.push(fields.float("weight")?.unwrap_or(1.0));
        if as_samples {
            columns.log_policy.push(fields.float("log_policy")?.ok_or_else(|| missing("log_policy"))?);
            push(&mut columns.log_reference, "log_reference", before, log_reference(&mut fields)?)?;
            push(&mut columns.rollout, "rollout", before, fields.integer("rollout")?)?;
        }
        push(
            &mut columns.length,
            "length",
            before,
            fields.integer("length")?.map(|length| to_length(length, None)).transpose()?,
        )?;
        Ok(())
    }
}

fn no_features() -> Fault {
    Fault::value("features", None, "without numbers", "one number per feature")
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

fn log_reference(fields: &mut Fields) -> Result<Option<f64>, Fault> {
    if let Fields::Json(document) = fields
        && let Some(Value::String(text)) = json::get(document, "log_reference")?
        && text == "-inf"
    {
        return Ok(Some(f64::NEG_INFINITY));
    }
    fields.float("log_reference")
}

fn to_length(length: i64, row: Option<usize>) -> Result<usize, Fault> {
    let fault = || Fault::value("length", row, length, "a whole number, 1 or more");
    usize::try_from(length).ok().filter(|length| *length >= 1).ok_or_else(fault)
}

fn read_arrays(fields: &mut Fields, as_samples: bool) -> Result<Rows, Fault> {
    let unknown = fields.unknown(&COLUMNS);
    let missing = |field: &str| Fault::Missing { field: field.to_string(), unknown: unknown.clone() };
    let features = fields.matrix("features")?.ok_or_else(|| missing("features"))?;
    let n = features.rows;
    if features.columns == 0 {
        return Err(no_features());
    }
    let of_length = |field: &str, found: usize| match found == n {
        true => Ok(()),
        false => {
            let why = format!("features has {n} rows");
            Err(Fault::Entries { field: field.to_string(), found, expected: n, why })
        }
    };
    let mut columns = SampleColumns { n_features: features.columns, features: features.values, ..SampleColumns::default() };
    columns.names = fields.texts("names")?.unwrap_or_default();
    if !columns.names.is_empty() && columns.names.len() != columns.n_features {
        let (found, expected) = (columns.names.len(), columns.n_features);
        let why = format!("there are {expected} features");
        return Err(Fault::Entries { field: "names".to_string(), found, expected, why });
    }
    if as_samples {
        columns.log_policy = fields.floats("log_policy")?.ok_or_else(|| missing("log_policy"))?;
        columns.log_reference = fields.floats("log_reference")?;
        columns.rollout = fields.integers("rollout")?;
        of_length("log_policy", columns.log_policy.len())?;
        columns.log_reference.iter().try_for_each(|column| of_length("log_reference", column.len()))?;
        columns.rollout.iter().try_for_each(|column| of_length("rollout", column.len()))?;
    }
    if let Some(length) = fields.integers("length")? {
        of_length("length", length.len())?;
        let checked: Result<_, Fault> =
            length.into_iter().enumerate().map(|(row, length)| to_length(length, Some(row))).collect();
        columns.length = Some(checked?);
    }
    let weights = match fields.floats("weights")? {
        Some(weights) => weights,
        None => fields.floats("weight")?.unwrap_or_else(|| vec![1.0; n]),
    };
    of_length("weights", weights.len())?;
    Ok(Rows { columns, weights })
}

fn write_lines(columns: &SampleColumns, path: &Path) -> Result<(), Error> {
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

fn write_arrays(columns: &SampleColumns, path: &Path) -> Result<(), Error> {
    let mut arrays = vec![
        ("features".to_string(), Column::Rows(columns.n_features, &columns.features)),
        ("log_policy".to_string(), Column::Floats((&columns.log_policy).into())),
    ];
    if let Some(log_reference) = &columns.log_reference {
        arrays.push(("log_reference".to_string(), Column::Floats(log_reference.into())));
    }
    if let Some(length) = &columns.length {
        let length: Vec<i64> = length.iter().map(|&length| length as i64).collect();
        arrays.push(("length".to_string(), Column::Integers(length.into())));
    }
    if let Some(rollout) = &columns.rollout {
        arrays.push(("rollout".to_string(), Column::Integers(rollout.into())));
    }
    if !columns.names.is_empty() {
        arrays.push(("names".to_string(), Column::Texts(&columns.names)));
    }
    fields::write_npz(path, &arrays)
}
