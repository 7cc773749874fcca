//! Demonstrations in a file, by its extension.

use std::path::Path;

use revealed::{Demonstrations, Mdp, Trajectory};

use super::{arrays, lines};
use crate::files::column::not_finite;
use crate::files::input;
use crate::{Error, Fault};

/// Reads a `.jsonl` or `.npz` file, or lines of JSON from stdin if the path is `-`. Whether the demonstrations are paths
/// of some MDP is not checked yet: see [`load_for`].
///
/// # Errors
/// If the file cannot be read, holds something that is not a demonstration, or holds none.
pub fn load(path: impl AsRef<Path>) -> Result<Vec<Trajectory>, Error> {
    let path = path.as_ref();
    let trajectories = match input::extension(path).as_str() {
        "jsonl" => lines::read(path),
        _ if input::is_stdin(path) => lines::read(path),
        "npz" => arrays::read(path),
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
        "jsonl" => lines::write(trajectories, path),
        "npz" => arrays::write(trajectories, weights, path),
        _ => Err(Error::new(path, unknown_extension(path))),
    }
}

fn unknown_extension(path: &Path) -> Fault {
    input::unknown_extension(path, "demonstrations are a", ".jsonl or .npz file")
}
