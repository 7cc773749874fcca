//! Demonstrations as lines: `{"states": [0, 3], "actions": [1]}`, with `id`, `weight` and `trip` if they are known.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use revealed::Trajectory;
use serde::Serialize;
use serde_json::Value;

use super::arrays::indices;
use super::trips;
use crate::files::fields::Fields;
use crate::files::{atomic, lines};
use crate::{Error, Fault};

pub(super) fn read(path: &Path) -> Result<Vec<Trajectory>, Fault> {
    let mut trajectories = Vec::new();
    lines::read(path, |mut fields| {
        trajectories.push(Trajectory {
            states: required(&mut fields, "states")?,
            actions: required(&mut fields, "actions")?,
            weight: fields.float("weight")?.unwrap_or(1.0),
            id: fields.id()?,
            trip: trips::of_line(&fields)?,
        });
        Ok(())
    })?;
    Ok(trajectories)
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
