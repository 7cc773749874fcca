//! The journal of an experiment: its recipe, then one line for each finished unit.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use revealed_formats::atomic;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::work::{Recipe, Row};

/// The rows of finished units, by the numbers of the units.
pub(crate) type FinishedUnits = BTreeMap<usize, Vec<Row>>;

/// The journal of an experiment that runs.
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

/// A finished unit.
#[derive(Serialize, Deserialize)]
struct Line {
    unit: usize,
    rows: Vec<Row>,
}

impl Line {
    fn text(unit: usize, rows: &[Row]) -> serde_json::Result<String> {
        serde_json::to_string(&Line { unit, rows: rows.to_vec() })
    }
}

impl Journal {
    /// Starts a journal with the units that are finished already.
    pub fn start(path: PathBuf, recipe: &Recipe, finished: &FinishedUnits) -> Result<Journal, Error> {
        atomic::write_beside(&path, |file| {
            writeln!(file, "{}", serde_json::to_string(recipe)?)?;
            finished.iter().try_for_each(|(&unit, rows)| writeln!(file, "{}", Line::text(unit, rows)?))
        })?;
        let file = atomic::append_beside(&path)?;
        Ok(Journal { path, file: Mutex::new(file) })
    }

    /// The recipe and the finished units of a journal, if there is one.
    pub fn read(path: &Path) -> Result<Option<(Recipe, FinishedUnits)>, Error> {
        atomic::refuse_link(path)?;
        let file = match File::open(path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(Error::file(path, cause)),
        };
        let mut lines = BufReader::new(file).lines();
        let first = lines.next().transpose().map_err(|cause| Error::file(path, cause))?.unwrap_or_default();
        let recipe = serde_json::from_str(&first).map_err(|fault| Error::damaged(path, fault))?;
        let mut finished = FinishedUnits::new();
        // A killed run may have left half a line: that unit is done again.
        for line in lines.map_while(Result::ok) {
            let Ok(Line { unit, rows }) = serde_json::from_str(&line) else { break };
            finished.insert(unit, rows);
        }
        Ok(Some((recipe, finished)))
    }

    /// Adds a finished unit. A kill after this does not lose it.
    pub fn add(&self, unit: usize, rows: &[Row]) -> Result<(), Error> {
        let failed = |cause| Error::file(&self.path, cause);
        let line = Line::text(unit, rows).map_err(|fault| failed(fault.into()))? + "\n";
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).map_err(failed)
    }
}
