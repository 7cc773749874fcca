//! Demonstrations as lines: `{"states": [0, 3], "actions": [1]}`, with `id` and `weight` if they are known.

use std::io::Write;
use std::path::Path;

use revealed::Trajectory;
use serde::Serialize;

use super::arrays::indices;
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
}

fn is_one(weight: &f64) -> bool {
    *weight == 1.0
}

pub(super) fn write(trajectories: &[Trajectory], path: &Path) -> Result<(), Error> {
    atomic::write(path, |mut writer: &mut dyn Write| {
        for Trajectory { states, actions, weight, id } in trajectories {
            serde_json::to_writer(&mut writer, &Line { id: id.as_deref(), states, actions, weight: *weight })?;
            writer.write_all(b"\n")?;
        }
        Ok(())
    })
}
