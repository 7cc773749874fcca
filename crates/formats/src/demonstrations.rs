//! Demonstrations: `.jsonl`, one a line, or `.npz` for many.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use revealed::{Demonstrations, Mdp, Trajectory};
use serde::Serialize;
use serde_json::Value;

use crate::fields::{self, Column, Fields};
use crate::table::{negative, not_finite};
use crate::{Error, Fault, atomic, input, json};

/// Reads a `.jsonl` or `.npz` file. Whether the demonstrations are paths of some MDP is not checked yet:
/// see [`load_for`].
///
/// # Errors
/// If the file cannot be read, says something that is not a demonstration, or holds none.
pub fn load(path: impl AsRef<Path>) -> Result<Vec<Trajectory>, Error> {
    let path = path.as_ref();
    let trajectories = match input::extension(path).as_str() {
        "jsonl" => read_lines(path),
        "npz" => Fields::open_npz(path).and_then(|mut fields| read_arrays(&mut fields)),
        _ => Err(unknown_extension(path)),
    };
    match trajectories {
        Ok(none) if none.is_empty() => Err(Error::new(path, revealed::Error::NoDemonstrations)),
        Ok(trajectories) => Ok(trajectories),
        Err(fault) => Err(Error::new(path, fault)),
    }
}

/// Reads a file and checks each demonstration against the MDP.
///
/// # Errors
/// As [`load`], and the first demonstration that is not a path of the MDP.
pub fn load_for(mdp: &Mdp, path: impl AsRef<Path>) -> Result<Demonstrations, Error> {
    let path = path.as_ref();
    Demonstrations::new(mdp, &load(path)?).map_err(|fault| Error::new(path, fault))
}

/// Writes a `.jsonl` or `.npz` file. An npz has no place for ids.
///
/// # Errors
/// If a weight is not finite, a demonstration does not fit into the format, or the file cannot be written.
pub fn save(trajectories: &[Trajectory], path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    let weights: Vec<f64> = trajectories.iter().map(|trajectory| trajectory.weight).collect();
    if let Some(fault) = not_finite("weights", &weights).next() {
        return Err(Error::new(path, fault));
    }
    match input::extension(path).as_str() {
        "jsonl" => write_lines(trajectories, path),
        "npz" => write_arrays(trajectories, weights, path),
        _ => Err(Error::new(path, unknown_extension(path))),
    }
}

fn unknown_extension(path: &Path) -> Fault {
    input::unknown_extension(path, "demonstrations are a", ".jsonl or .npz file")
}

fn read_lines(path: &Path) -> Result<Vec<Trajectory>, Fault> {
    let mut reader = BufReader::new(input::open(path)?);
    let mut trajectories = Vec::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(Fault::Read)? == 0 {
            break;
        }
        if !bytes.trim_ascii().is_empty() {
            let trajectory = read_line(&bytes).map_err(|fault| in_line(line, fault))?;
            trajectories.push(trajectory);
        }
    }
    Ok(trajectories)
}

/// The parser counts lines from the start of what it is given, which is one line.
pub(crate) fn in_line(line: usize, fault: Fault) -> Fault {
    match fault {
        Fault::Json { column, cause, hint, .. } => Fault::Json { line, column, cause, hint },
        other => Fault::Line { line, fault: Box::new(other) },
    }
}

fn read_line(bytes: &[u8]) -> Result<Trajectory, Fault> {
    let mut fields = Fields::Json(json::parse(bytes.trim_ascii_end())?);
    Ok(Trajectory {
        states: indices("states", fields.integers("states")?.ok_or_else(|| Fault::missing("states"))?)?,
        actions: indices("actions", fields.integers("actions")?.ok_or_else(|| Fault::missing("actions"))?)?,
        weight: fields.float("weight")?.unwrap_or(1.0),
        id: id(&fields)?,
    })
}

pub(crate) fn id(fields: &Fields) -> Result<Option<String>, Fault> {
    let Fields::Json(document) = fields else { return Ok(None) };
    match json::get(document, "id")? {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(Fault::value("id", None, json::describe(other), "a text or a number")),
    }
}

fn indices(field: &str, column: Vec<i64>) -> Result<Vec<usize>, Fault> {
    if let Some(fault) = negative(field, &column).next() {
        return Err(fault);
    }
    Ok(column.into_iter().map(|index| index as usize).collect())
}

fn read_arrays(fields: &mut Fields) -> Result<Vec<Trajectory>, Fault> {
    let unknown = fields.unknown(&["format", "offsets", "states", "actions", "weights"]);
    let mut required = |field: &str| {
        let missing = Fault::Missing { field: field.to_string(), unknown: unknown.clone() };
        fields.integers(field)?.ok_or(missing)
    };
    let (offsets, states, actions) = (required("offsets")?, required("states")?, required("actions")?);
    if states.len() != actions.len() {
        return Err(Fault::Lengths {
            first: "states".to_string(),
            first_length: states.len(),
            second: "actions".to_string(),
            second_length: actions.len(),
        });
    }
    let states = indices("states", states)?;
    let offsets = check_offsets(&offsets, states.len())?;
    let weights = check_weights(fields.floats("weights")?, offsets.len() - 1)?;
    let mut trajectories = Vec::with_capacity(weights.len());
    for (bounds, weight) in offsets.windows(2).zip(weights) {
        let actions = actions_of_one(&actions, bounds[0], bounds[1])?;
        trajectories.push(Trajectory { weight, ..Trajectory::new(states[bounds[0]..bounds[1]].to_vec(), actions) });
    }
    Ok(trajectories)
}

/// Offsets start at 0, never decrease, and end with the steps.
fn check_offsets(offsets: &[i64], n_steps: usize) -> Result<Vec<usize>, Fault> {
    let fault = |row: usize, expected: String| Fault::Offset { row, found: offsets[row], expected };
    let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
        return Err(Fault::value("offsets", None, "an array of no elements", "one more than there are demonstrations"));
    };
    if first != 0 {
        return Err(fault(0, "the first must be 0".to_string()));
    }
    if let Some(row) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(fault(row + 1, format!("it must not be less than the one before it, {}", offsets[row])));
    }
    if last != n_steps as i64 {
        return Err(fault(offsets.len() - 1, format!("the last must be the number of steps, {n_steps}")));
    }
    Ok(offsets.iter().map(|&offset| offset as usize).collect())
}

fn check_weights(weights: Option<Vec<f64>>, expected: usize) -> Result<Vec<f64>, Fault> {
    match weights {
        None => Ok(vec![1.0; expected]),
        Some(weights) if weights.len() == expected => Ok(weights),
        Some(weights) => {
            let why = format!("there are {expected} demonstrations");
            Err(Fault::Entries { field: "weights".to_string(), found: weights.len(), expected, why })
        }
    }
}

/// The actions of the steps `first..end`, of which the last must be -1: nothing is done there.
fn actions_of_one(actions: &[i64], first: usize, end: usize) -> Result<Vec<usize>, Fault> {
    let Some((&last, taken)) = actions[first..end].split_last() else { return Ok(Vec::new()) };
    if last != -1 {
        return Err(Fault::value("actions", end - 1, last, "-1, as this is the last step of a demonstration"));
    }
    let index = |(place, &action): (usize, &i64)| {
        let expected = "a whole number, 0 or more (only the last step of a demonstration has -1)";
        usize::try_from(action).map_err(|_| Fault::value("actions", first + place, action, expected))
    };
    taken.iter().enumerate().map(index).collect()
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    states: &'a [usize],
    actions: &'a [usize],
    #[serde(skip_serializing_if = "is_one")]
    weight: f64,
}

fn is_one(weight: &f64) -> bool {
    *weight == 1.0
}

fn write_lines(trajectories: &[Trajectory], path: &Path) -> Result<(), Error> {
    atomic::write(path, |mut writer: &mut dyn Write| {
        for Trajectory { states, actions, weight, id } in trajectories {
            serde_json::to_writer(&mut writer, &Line { id: id.as_deref(), states, actions, weight: *weight })?;
            writer.write_all(b"\n")?;
        }
        Ok(())
    })
}

fn write_arrays(trajectories: &[Trajectory], weights: Vec<f64>, path: &Path) -> Result<(), Error> {
    let (mut offsets, mut states, mut actions) = (vec![0], Vec::new(), Vec::new());
    for (index, trajectory) in trajectories.iter().enumerate() {
        let (n_states, n_actions) = (trajectory.states.len(), trajectory.actions.len());
        if n_states != n_actions + 1 {
            let fault = match n_states {
                0 => revealed::DemonstrationFault::Empty,
                states => revealed::DemonstrationFault::ActionCount { states, actions: n_actions },
            };
            return Err(Error::new(path, revealed::Error::Demonstration { index, id: trajectory.id.clone(), fault }));
        }
        states.extend(trajectory.states.iter().map(|&state| state as i64));
        actions.extend(trajectory.actions.iter().map(|&action| action as i64));
        actions.push(-1);
        offsets.push(states.len() as i64);
    }
    let mut columns = vec![
        ("offsets".to_string(), Column::Integers(offsets.into())),
        ("states".to_string(), Column::Integers(states.into())),
        ("actions".to_string(), Column::Integers(actions.into())),
    ];
    if weights.iter().any(|weight| *weight != 1.0) {
        columns.push(("weights".to_string(), Column::Floats(weights.into())));
    }
    fields::write_npz(path, &columns)
}
