//! Demonstrations that were seen in part, as lines: `{"states": [0, null, [[3, 0.8], [4, 0.2]], "...", 9], "actions": null}`.
//!
//! `null` is a state or an action that nobody saw. A list of [state, weight] is one that was seen with noise. `"..."` in
//! the place of a state is any number of states that nobody saw, or none.

use std::io::Write;
use std::path::Path;

use revealed::{Demonstrations, Mdp, PartialDemonstrations, PartialTrajectory, Sight, Sighting, Trajectory};
use serde_json::{Map, Value, json};

use super::file::load;
use super::{lines, trips};
use crate::files::fields::Fields;
use crate::files::{atomic, input, json};
use crate::{Error, Fault};

/// What stands for a gap of unknown length.
const GAP: &str = "...";
const STATE: &str = "a state, null where none was seen, \"...\" for any number of unseen ones, or a list of [state, weight]";
const ACTION: &str = "an action, null where none was seen, or a list of [action, weight]";

/// Demonstrations as they were seen, checked against an MDP.
#[derive(Debug, Clone)]
pub enum Seen {
    /// All of them whole.
    Whole(Demonstrations),
    /// At least one of them in part.
    Partial(PartialDemonstrations),
}

impl Seen {
    /// |𝓓|.
    pub fn len(&self) -> usize {
        match self {
            Seen::Whole(demos) => demos.len(),
            Seen::Partial(demos) => demos.len(),
        }
    }

    /// Always false: an empty set is rejected.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Reads a file of demonstrations that may be seen in part. Only `.jsonl` has a place for that.
///
/// # Errors
/// As [`load`](super::load).
pub fn load_partial(path: impl AsRef<Path>) -> Result<Vec<PartialTrajectory>, Error> {
    let path = path.as_ref();
    match read(path)? {
        Read::Whole(paths) => Ok(paths.iter().map(PartialTrajectory::from).collect()),
        Read::Partial(paths) => Ok(paths),
    }
}

/// Reads a file and checks each demonstration against the MDP.
///
/// # Errors
/// As [`load`](super::load), and the first demonstration that no path of the MDP agrees with.
pub fn load_seen(mdp: &Mdp, path: impl AsRef<Path>) -> Result<Seen, Error> {
    let path = path.as_ref();
    let seen = match read(path)? {
        Read::Whole(paths) => Demonstrations::new(mdp, &paths).map(Seen::Whole),
        Read::Partial(paths) => PartialDemonstrations::new(mdp, &paths).map(Seen::Partial),
    };
    seen.map_err(|fault| Error::new(path, fault))
}

enum Read {
    Whole(Vec<Trajectory>),
    Partial(Vec<PartialTrajectory>),
}

fn read(path: &Path) -> Result<Read, Error> {
    if input::extension(path) != "jsonl" && !input::is_stdin(path) {
        return load(path).map(Read::Whole);
    }
    let (mut whole, mut partial): (Vec<Trajectory>, Vec<PartialTrajectory>) = (Vec::new(), Vec::new());
    let line = |mut fields: Fields| {
        match lines::whole(&mut fields) {
            Ok(path) if partial.is_empty() => whole.push(path),
            Ok(path) => partial.push(PartialTrajectory::from(&path)),
            Err(fault) if !is_partial(&fields) => return Err(fault),
            Err(_) => {
                let path = of_line(&fields)?;
                partial.extend(whole.drain(..).map(|path| PartialTrajectory::from(&path)));
                partial.push(path);
            }
        }
        Ok(())
    };
    crate::files::lines::read(path, line).map_err(|fault| Error::new(path, fault))?;
    match (whole.is_empty(), partial.is_empty()) {
        (true, true) => Err(Error::new(path, revealed::Error::NoDemonstrations)),
        (_, true) => Ok(Read::Whole(whole)),
        _ => Ok(Read::Partial(partial)),
    }
}

/// Whether a line means a demonstration that was seen in part.
pub(super) fn is_partial(fields: &Fields) -> bool {
    let Fields::Json(Value::Object(document)) = fields else { return false };
    let entries = |field: &str| document.get(field).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let unseen = |entry: &Value| entry.is_null() || entry.is_array() || entry.as_str() == Some(GAP);
    let all_unseen = document.get("actions").is_some_and(Value::is_null);
    all_unseen || entries("states").iter().chain(entries("actions")).any(unseen)
}

fn of_line(fields: &Fields) -> Result<PartialTrajectory, Fault> {
    let Fields::Json(document) = fields else { return Err(Fault::missing("states", &[])) };
    let array = |field: &str| match document.get(field) {
        None => Err(Fault::missing(field, &[])),
        Some(Value::Array(entries)) => Ok(Some(entries)),
        Some(Value::Null) if field == "actions" => Ok(None),
        Some(other) => Err(Fault::value(field, None, json::describe(other), "an array")),
    };
    let states = array("states")?.map_or(&[][..], Vec::as_slice);
    let actions = array("actions")?;
    if let Some(actions) = actions.filter(|actions| actions.len() + 1 != states.len()) {
        let why = format!("there are {} states, gaps included", states.len());
        return Err(Fault::entries("actions", actions.len(), states.len().saturating_sub(1), why));
    }
    let mut sightings = Vec::with_capacity(states.len());
    for (row, state) in states.iter().enumerate() {
        let action = actions.and_then(|actions| actions.get(row)).unwrap_or(&Value::Null);
        if state.as_str() == Some(GAP) {
            if !(action.is_null() || action.as_str() == Some(GAP)) {
                let expected = "null: the action before the next state is one of a gap";
                return Err(Fault::value("actions", row, json::describe(action), expected));
            }
            sightings.push(Sighting::Gap);
            continue;
        }
        let (state, action) = (sight("states", row, state, STATE)?, sight("actions", row, action, ACTION)?);
        sightings.push(Sighting::Step { state, action });
    }
    let (mut fields, trip) = (Fields::Json(document.clone()), trips::of_line(fields)?);
    let (weight, id) = (fields.float("weight")?.unwrap_or(1.0), fields.id()?);
    Ok(PartialTrajectory { weight, id, trip, ..PartialTrajectory::new(sightings) })
}

fn sight(field: &str, row: usize, value: &Value, expected: &'static str) -> Result<Sight, Fault> {
    let wrong = |found: &Value| Fault::value(field, row, json::describe(found), expected);
    let index = |value: &Value| json::whole(value).and_then(|index| usize::try_from(index).ok());
    match value {
        Value::Null => Ok(Sight::Unseen),
        Value::Array(rows) => {
            let pair = |entry: &Value| match entry.as_array().map(Vec::as_slice) {
                Some([one, weight]) => index(one).zip(weight.as_f64()).ok_or_else(|| wrong(entry)),
                _ => Err(wrong(entry)),
            };
            rows.iter().map(pair).collect::<Result<_, Fault>>().map(Sight::Weighted)
        }
        value => index(value).map(Sight::Exactly).ok_or_else(|| wrong(value)),
    }
}

/// One demonstration from one line of text.
///
/// # Errors
/// If the line is not a demonstration.
pub fn partial_of_text(line: &str) -> Result<PartialTrajectory, Fault> {
    of_line(&Fields::Json(json::document(line.as_bytes())?))
}

/// Writes a `.jsonl` file.
///
/// # Errors
/// If the file has another extension or cannot be written.
pub fn save_partial(trajectories: &[PartialTrajectory], path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    if input::extension(path) != "jsonl" {
        let what = "demonstrations that are seen in part are a";
        return Err(Error::new(path, input::unknown_extension(path, what, ".jsonl file")));
    }
    atomic::write(path, |mut writer: &mut dyn Write| {
        for trajectory in trajectories {
            serde_json::to_writer(&mut writer, &partial_line(trajectory))?;
            writer.write_all(b"\n")?;
        }
        Ok(())
    })
}

/// A demonstration as one line of a file.
pub fn partial_line(path: &PartialTrajectory) -> Value {
    let value = |sight: &Sight| match sight {
        Sight::Unseen => Value::Null,
        Sight::Exactly(index) => json!(index),
        Sight::Weighted(weights) => json!(weights),
    };
    let state = |sighting: &Sighting| match sighting {
        Sighting::Gap => json!(GAP),
        Sighting::Step { state, .. } => value(state),
    };
    let action = |sighting: &Sighting| match sighting {
        Sighting::Gap => Value::Null,
        Sighting::Step { action, .. } => value(action),
    };
    let states: Vec<Value> = path.sightings.iter().map(state).collect();
    let actions: Vec<Value> = path.sightings.iter().take(states.len().saturating_sub(1)).map(action).collect();
    let mut line = Map::new();
    if let Some(id) = &path.id {
        line.insert("id".to_string(), json!(id));
    }
    line.insert("states".to_string(), json!(states));
    line.insert("actions".to_string(), json!(actions));
    if path.weight != 1.0 {
        line.insert("weight".to_string(), json!(path.weight));
    }
    if let Some(trip) = trips::to_json(&path.trip) {
        line.insert("trip".to_string(), json!(trip));
    }
    Value::Object(line)
}
