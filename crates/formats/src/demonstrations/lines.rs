//! Demonstrations as lines: `{"states": [0, 3], "actions": [1]}`, with `id`, `weight` and `trip` if they are known.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use revealed::{Demonstrations, Mdp, Trajectory};
use serde::Serialize;
use serde_json::Value;

use super::arrays::indices;
use super::partial::is_partial;
use super::trips;
use crate::files::fields::Fields;
use crate::files::{atomic, lines};
use crate::{Error, Fault};

/// Where a whole demonstration is needed.
const SEEN_IN_PART: &str = "this demonstration is seen in part, and whole ones are needed here: only learn (of one world), \
    summary, likelihood and complete take such; complete writes whole ones";

pub(super) fn read(path: &Path) -> Result<Vec<Trajectory>, Fault> {
    let mut trajectories = Vec::new();
    lines::read(path, |mut fields| push(&mut trajectories, &mut fields))?;
    Ok(trajectories)
}

/// The demonstrations in the content of a `.jsonl` file. Whether they are paths of some MDP is not checked yet.
///
/// # Errors
/// If a line is no demonstration, or there is none.
pub fn of_lines(content: &[u8]) -> Result<Vec<Trajectory>, Fault> {
    let mut trajectories = Vec::new();
    lines::read_from(content, |mut fields| push(&mut trajectories, &mut fields))?;
    if trajectories.is_empty() { Err(revealed::Error::NoDemonstrations.into()) } else { Ok(trajectories) }
}

/// The content of a `.jsonl` file with these demonstrations.
pub fn to_lines(mdp: &Mdp, demos: &Demonstrations) -> String {
    let line = |index: usize| {
        let states: Vec<usize> = demos.states(index).iter().map(|&state| state as usize).collect();
        let choice = |transition: &u32| mdp.choice_of()[*transition as usize] as usize;
        let actions: Vec<usize> = demos.transitions(index).iter().map(|step| mdp.action_of(choice(step))).collect();
        let trip = trips::to_json(demos.trip(index));
        let line = Line { id: demos.id(index), states: &states, actions: &actions, weight: demos.weight(index), trip };
        // Texts and finite numbers are always JSON.
        serde_json::to_string(&line).unwrap_or_default() + "\n"
    };
    (0..demos.len()).map(line).collect()
}

fn push(trajectories: &mut Vec<Trajectory>, fields: &mut Fields) -> Result<(), Fault> {
    let path = whole(fields);
    if path.is_err() && is_partial(fields) {
        return Err(Fault::Request(SEEN_IN_PART.to_string()));
    }
    trajectories.push(path?);
    Ok(())
}

/// A demonstration that was seen whole.
pub(super) fn whole(fields: &mut Fields) -> Result<Trajectory, Fault> {
    Ok(Trajectory {
        states: required(fields, "states")?,
        actions: required(fields, "actions")?,
        weight: fields.float("weight")?.unwrap_or(1.0),
        id: fields.id()?,
        trip: trips::of_line(fields)?,
    })
}

fn required(fields: &mut Fields, field: &str) -> Result<Vec<usize>, Fault> {
    indices(field, fields.integers(field)?.ok_or_else(|| Fault::missing(field, &[]))?)
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    states: &'a [usize],
    actions: &'a [usize],
    #[serde(skip_serializing_if = "is_one")]
    weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    trip: Option<BTreeMap<&'a str, Value>>,
}

fn is_one(weight: &f64) -> bool {
    *weight == 1.0
}

pub(super) fn write(trajectories: &[Trajectory], path: &Path) -> Result<(), Error> {
    atomic::write(path, |mut writer: &mut dyn Write| {
        for Trajectory { states, actions, weight, id, trip } in trajectories {
            let (id, weight, trip) = (id.as_deref(), *weight, trips::to_json(trip));
            serde_json::to_writer(&mut writer, &Line { id, states, actions, weight, trip })?;
            writer.write_all(b"\n")?;
        }
        Ok(())
    })
}
