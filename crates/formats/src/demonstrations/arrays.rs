//! Demonstrations as arrays: the steps of all, one demonstration after another, and the offsets where each begins.

use std::path::Path;

use revealed::Trajectory;

use super::trips;
use crate::files::column::{self, Column, negative};
use crate::files::fields::Fields;
use crate::{Error, Fault};

pub(super) fn read(path: &Path) -> Result<Vec<Trajectory>, Fault> {
    let mut fields = Fields::open_npz(path)?;
    let unknown = fields.unknown(&["format", "offsets", "states", "actions", "weights"]);
    let mut required = |field: &str| fields.integers(field)?.ok_or_else(|| Fault::missing(field, &unknown));
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
    let trips = trips::of_archive(&mut fields, weights.len())?;
    let mut trajectories = Vec::with_capacity(weights.len());
    for ((bounds, weight), trip) in offsets.windows(2).zip(weights).zip(trips) {
        let actions = actions_of_one(&actions, bounds[0], bounds[1])?;
        trajectories.push(Trajectory { weight, trip, ..Trajectory::new(states[bounds[0]..bounds[1]].to_vec(), actions) });
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
            Err(Fault::entries("weights", weights.len(), expected, why))
        }
    }
}

/// The actions of the steps `first..end`, of which the last must be -1: no action is taken there.
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

/// Whole numbers as indices: none is negative.
pub(super) fn indices(field: &str, column: Vec<i64>) -> Result<Vec<usize>, Fault> {
    if let Some(fault) = negative(field, &column).next() {
        return Err(fault);
    }
    Ok(column.into_iter().map(|index| index as usize).collect())
}

pub(super) fn write(trajectories: &[Trajectory], weights: Vec<f64>, path: &Path) -> Result<(), Error> {
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
    let trips = trips::columns(trajectories).map_err(|fault| Error::new(path, fault))?;
    columns.extend(trips.iter().map(|(name, column)| (name.clone(), column.written())));
    column::write_npz(path, &columns)
}
