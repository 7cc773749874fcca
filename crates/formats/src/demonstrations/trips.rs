//! The `trip` of demonstrations: columns of numbers or texts, one entry for each demonstration.

use std::collections::BTreeMap;

use revealed::{Trajectory, TripColumns, TripValue};
use serde_json::Value;

use crate::Fault;
use crate::files::column::{Column, not_finite};
use crate::files::fields::Fields;
use crate::files::json;

/// What the names of these columns begin with in an archive.
const PREFIX: &str = "trip.";

/// The object `trip` of a line. A value that is `null` is absent, and true and false are 1 and 0.
pub(super) fn of_line(fields: &Fields) -> Result<TripColumns, Fault> {
    let Fields::Json(document) = fields else { return Ok(TripColumns::new()) };
    let trip = match json::get(document, "trip")? {
        None => return Ok(TripColumns::new()),
        Some(Value::Object(trip)) => trip,
        Some(other) => return Err(Fault::value("trip", None, json::describe(other), "an object")),
    };
    let value = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::Null => return None,
            Value::Bool(is) => TripValue::Number(f64::from(u8::from(*is))),
            Value::String(text) => TripValue::Text(text.clone()),
            Value::Number(number) => TripValue::Number(number.as_f64()?),
            other => {
                let place = format!("{PREFIX}{name}");
                return Some(Err(Fault::value(&place, None, json::describe(other), "a number or a text")));
            }
        };
        Some(Ok((name.clone(), value)))
    };
    trip.iter().filter_map(value).collect()
}

/// The same as JSON; `None` if there are no columns.
pub(super) fn to_json(trip: &TripColumns) -> Option<BTreeMap<&str, Value>> {
    let value = |value: &TripValue| match value {
        TripValue::Number(number) => Value::from(*number),
        TripValue::Text(text) => Value::from(text.as_str()),
    };
    (!trip.is_empty()).then(|| trip.iter().map(|(name, one)| (name.as_str(), value(one))).collect())
}

/// The columns of an archive of `n` demonstrations.
pub(super) fn of_archive(fields: &mut Fields, n: usize) -> Result<Vec<TripColumns>, Fault> {
    let mut trips = vec![TripColumns::new(); n];
    for name in fields.unknown(&[]) {
        let Some(column) = name.strip_prefix(PREFIX) else { continue };
        let values: Vec<TripValue> = match fields.floats(&name) {
            Ok(numbers) => {
                let numbers = numbers.unwrap_or_default();
                if let Some(fault) = not_finite(&name, &numbers).next() {
                    return Err(fault);
                }
                numbers.into_iter().map(TripValue::Number).collect()
            }
            Err(_) => fields.texts(&name)?.unwrap_or_default().into_iter().map(TripValue::Text).collect(),
        };
        if values.len() != n {
            return Err(Fault::entries(&name, values.len(), n, format!("there are {n} demonstrations")));
        }
        for (trip, value) in trips.iter_mut().zip(values) {
            trip.insert(column.to_string(), value);
        }
    }
    Ok(trips)
}

/// A column of an archive.
pub(super) enum TripColumn {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl TripColumn {
    pub(super) fn written(&self) -> Column<'_> {
        match self {
            TripColumn::Numbers(numbers) => Column::Floats(numbers.as_slice().into()),
            TripColumn::Texts(texts) => Column::Texts(texts),
        }
    }
}

/// The columns as an archive has them: in every demonstration a number, or in every one a text.
pub(super) fn columns(trajectories: &[Trajectory]) -> Result<Vec<(String, TripColumn)>, Fault> {
    let mut names: Vec<&String> = trajectories.iter().flat_map(|path| path.trip.keys()).collect();
    names.sort();
    names.dedup();
    names.into_iter().map(|name| Ok((format!("{PREFIX}{name}"), column(trajectories, name)?))).collect()
}

fn column(trajectories: &[Trajectory], name: &str) -> Result<TripColumn, Fault> {
    let plain = |character: char| character.is_alphanumeric() || "_- ".contains(character);
    let fault = |row: Option<usize>, found: &str, expected: &'static str| {
        Err(Fault::value(&format!("{PREFIX}{}", revealed::shown(name)), row, found, expected))
    };
    if name.is_empty() || !name.chars().all(plain) {
        return fault(None, "this name", "letters, digits, _, - and spaces in an npz; write a .jsonl");
    }
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    for (row, path) in trajectories.iter().enumerate() {
        match path.trip.get(name) {
            Some(TripValue::Number(number)) if texts.is_empty() => numbers.push(*number),
            Some(TripValue::Text(text)) if numbers.is_empty() && !text.is_empty() && !text.ends_with('\0') => {
                texts.push(text.clone())
            }
            Some(other) => {
                return fault(
                    Some(row),
                    &other.to_string(),
                    "numbers alone or texts alone (not empty) in an npz; write a .jsonl",
                );
            }
            None => return fault(Some(row), "absent", "a value for every demonstration in an npz; write a .jsonl"),
        }
    }
    if let Some(fault) = not_finite(name, &numbers).next() {
        return Err(fault);
    }
    Ok(if texts.is_empty() { TripColumn::Numbers(numbers) } else { TripColumn::Texts(texts) })
}
