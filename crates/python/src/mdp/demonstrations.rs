//! Demonstrations, checked against their problem.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Trajectory, TripValue};

use super::problem::Problem;
use crate::failure::{of_engine, of_file};
use crate::inputs::arrays::{Float, Floats, Int, Integers, whole};

/// 𝓓.
#[pyclass(frozen, module = "revealed._native")]
pub struct Demonstrations(pub Arc<revealed::Demonstrations>);

/// offsets, states, actions (-1 on the last step of each), weights, ids, and the columns of the trips.
pub type PathColumns<'py> = (Int<'py>, Int<'py>, Int<'py>, Float<'py>, Vec<Option<String>>, TripTable);

/// Such columns from Python.
pub type GivenPaths<'py> = (Integers<'py>, Integers<'py>, Integers<'py>, Floats<'py>, Vec<Option<String>>, TripTable);

/// The columns of trips by their names: an entry for each path, None where it has none.
pub type TripTable = BTreeMap<String, Vec<Option<TripCell>>>;

/// An entry of such a column.
#[derive(FromPyObject, IntoPyObject)]
pub enum TripCell {
    Number(f64),
    Text(String),
}

#[pymethods]
impl Demonstrations {
    /// From flat columns: demonstration i has the states `offsets[i]..offsets[i + 1]`; the action of a last step is not
    /// read.
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        problem: &Problem,
        offsets: Integers<'_>,
        states: Integers<'_>,
        actions: Integers<'_>,
        weights: Floats<'_>,
        ids: Vec<Option<String>>,
        trip: TripTable,
    ) -> PyResult<Self> {
        let columns = (offsets.as_slice()?, states.as_slice()?, actions.as_slice()?, weights.as_slice()?);
        let paths = trajectories(columns, &ids, &trip)?;
        let mdp = &problem.0.mdp;
        let demos = py.detach(|| revealed::Demonstrations::new(mdp, &paths)).map_err(of_engine)?;
        Ok(Demonstrations(Arc::new(demos)))
    }

    /// Reads a file as flat columns.
    #[staticmethod]
    fn read<'py>(py: Python<'py>, path: PathBuf) -> PyResult<PathColumns<'py>> {
        if revealed_formats::is_stdin(&path) {
            return Err(PyValueError::new_err("path is '-': stdin is not read here, give a file, or './-'"));
        }
        let paths = py.detach(|| revealed_formats::demonstrations::load(path)).map_err(of_file)?;
        Ok(path_columns(py, paths))
    }

    /// Writes flat columns to a file.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    fn write(
        py: Python<'_>,
        path: PathBuf,
        offsets: Integers<'_>,
        states: Integers<'_>,
        actions: Integers<'_>,
        weights: Floats<'_>,
        ids: Vec<Option<String>>,
        trip: TripTable,
    ) -> PyResult<()> {
        let columns = (offsets.as_slice()?, states.as_slice()?, actions.as_slice()?, weights.as_slice()?);
        let paths = trajectories(columns, &ids, &trip)?;
        py.detach(|| revealed_formats::demonstrations::save(&paths, path)).map_err(of_file)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The states of the longest.
    #[getter]
    fn longest(&self) -> usize {
        self.0.longest()
    }
}

/// Paths from flat columns.
pub fn given_paths((offsets, states, actions, weights, ids, trip): &GivenPaths<'_>) -> PyResult<Vec<Trajectory>> {
    trajectories((offsets.as_slice()?, states.as_slice()?, actions.as_slice()?, weights.as_slice()?), ids, trip)
}

/// Paths as flat columns.
pub fn path_columns(py: Python<'_>, paths: Vec<Trajectory>) -> PathColumns<'_> {
    let mut offsets = vec![0];
    let (mut states, mut actions): (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
    for path in &paths {
        states.extend(path.states.iter().map(|&state| state as i64));
        actions.extend(path.actions.iter().map(|&action| action as i64));
        actions.push(-1);
        offsets.push(states.len() as i64);
    }
    let weights: Vec<f64> = paths.iter().map(|path| path.weight).collect();
    let trip = trip_table(&paths);
    let ids = paths.into_iter().map(|path| path.id).collect();
    (offsets.into_pyarray(py), states.into_pyarray(py), actions.into_pyarray(py), weights.into_pyarray(py), ids, trip)
}

fn trip_table(paths: &[Trajectory]) -> TripTable {
    let mut table = TripTable::new();
    for name in paths.iter().flat_map(|path| path.trip.keys()) {
        if !table.contains_key(name) {
            table.insert(name.clone(), paths.iter().map(|path| path.trip.get(name).map(TripCell::of)).collect());
        }
    }
    table
}

impl TripCell {
    fn of(value: &TripValue) -> TripCell {
        match value {
            TripValue::Number(number) => TripCell::Number(*number),
            TripValue::Text(text) => TripCell::Text(text.clone()),
        }
    }

    fn value(&self) -> TripValue {
        match self {
            TripCell::Number(number) => TripValue::Number(*number),
            TripCell::Text(text) => TripValue::Text(text.clone()),
        }
    }
}

fn trajectories(
    columns: (&[i64], &[i64], &[i64], &[f64]),
    ids: &[Option<String>],
    trip: &TripTable,
) -> PyResult<Vec<Trajectory>> {
    let (offsets, states, actions, weights) = columns;
    let n = offsets.len().saturating_sub(1);
    let rising = offsets.windows(2).all(|pair| pair[0] < pair[1]);
    let fits = !offsets.is_empty() && offsets[0] == 0 && rising && offsets[n] as usize == states.len();
    if !fits
        || actions.len() != states.len()
        || weights.len() != n
        || !(ids.is_empty() || ids.len() == n)
        || trip.values().any(|column| column.len() != n)
    {
        return Err(PyValueError::new_err("the columns of the demonstrations do not have matching lengths"));
    }
    let path = |index: usize| {
        let range = offsets[index] as usize..offsets[index + 1] as usize;
        let number = |what: &str, column: &[i64]| whole(column, |step| format!("demonstration {index}: step {step}: {what}"));
        let actions = &actions[range.start..range.end.max(range.start + 1) - 1];
        let (states, actions) = (number("state", &states[range])?, number("action", actions)?);
        let id = ids.get(index).cloned().flatten();
        let of_trip = trip.iter().filter_map(|(name, column)| Some((name.clone(), column[index].as_ref()?.value())));
        Ok(Trajectory { states, actions, weight: weights[index], id, trip: of_trip.collect() })
    };
    (0..n).map(path).collect()
}
