//! A list of worlds with their demonstrations: lines of JSON, `{"problem": "a.npz", "demos": "a.jsonl"}`.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::fields::Fields;
use crate::files::{atomic, lines};
use crate::{Error, Fault};

/// A problem file and the demonstrations in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldFiles {
    /// The problem.
    pub problem: PathBuf,
    /// The demonstrations.
    pub demos: PathBuf,
}

/// Reads a list of worlds. Paths are relative to the folder of the list.
///
/// # Errors
/// If the file cannot be read, a line has other fields, or there is no line.
pub fn load_manifest(path: impl AsRef<Path>) -> Result<Vec<WorldFiles>, Error> {
    let path = path.as_ref();
    read(path).map_err(|fault| Error::new(path, fault))
}

fn read(path: &Path) -> Result<Vec<WorldFiles>, Fault> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut worlds = Vec::new();
    lines::read(path, |fields| {
        let Fields::Json(document) = fields else { return Ok(()) };
        let object = document.as_object();
        let file = |name: &'static str| match object.and_then(|object| object.get(name)) {
            Some(serde_json::Value::String(file)) if !file.is_empty() => Ok(folder.join(file)),
            Some(other) => Err(Fault::value(name, None, other, "the name of a file")),
            None => Err(Fault::missing(name, &[])),
        };
        let known = ["problem", "demos"];
        if let Some(other) = object.and_then(|object| object.keys().find(|key| !known.contains(&key.as_str()))) {
            return Err(Fault::value(other, None, "given", "absent: a line has `problem` and `demos`"));
        }
        worlds.push(WorldFiles { problem: file("problem")?, demos: file("demos")? });
        Ok(())
    })?;
    match worlds.is_empty() {
        true => Err(Fault::Empty),
        false => Ok(worlds),
    }
}

/// Writes a list of worlds. Paths are written as they are, and read relative to the folder of the list.
///
/// # Errors
/// If the file cannot be written.
pub fn save_manifest(worlds: &[WorldFiles], path: impl AsRef<Path>) -> Result<(), Error> {
    atomic::write(path.as_ref(), |mut writer: &mut dyn Write| {
        for world in worlds {
            serde_json::to_writer(&mut writer, world)?;
            writer.write_all(b"\n")?;
        }
        Ok(())
    })
}
