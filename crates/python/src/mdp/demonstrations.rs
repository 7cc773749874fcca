//! Demonstrations, checked against their problem.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::Trajectory;

use super::problem::Problem;
use crate::failure::{of_engine, of_file};
use crate::inputs::arrays::{Float, Floats, Int, Integers, whole};

/// 𝓓.
#[pyclass(frozen, module = "revealed._native")]
pub struct Demonstrations(pub Arc<revealed::Demonstrations>);

/// offsets, states, actions (-1 on the last step of each), weights, ids.
pub type PathColumns<'py> = (Int<'py>, Int<'py>, Int<'py>, Float<'py>, Vec<Option<String>>);

#[pymethods]
impl Demonstrations {
    /// From flat columns: demonstration i has the states `offsets[i]..offsets[i + 1]`; the action of a last step is not
    /// read.
    #[new]
    fn new(
        py: Python<'_>,
        problem: &Problem,
        offsets: Integers<'_>,
        states: Integers<'_>,
        actions: Integers<'_>,
        weights: Floats<'_>,
        ids: Vec<Option<String>>,
    ) -> PyResult<Self> {
        let columns = (offsets.as_slice()?, states.as_slice()?, actions.as_slice()?, weights.as_slice()?);
        let paths = trajectories(columns, &ids)?;
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
    fn write(
        py: Python<'_>,
        path: PathBuf,
        offsets: Integers<'_>,
        states: Integers<'_>,
        actions: Integers<'_>,
        weights: Floats<'_>,
        ids: Vec<Option<String>>,
    ) -> PyResult<()> {
        let columns = (offsets.as_slice()?, states.as_slice()?, actions.as_slice()?, weights.as_slice()?);
        let paths = trajectories(columns, &ids)?;
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
    let ids = paths.into_iter().map(|path| path.id).collect();
    (offsets.into_pyarray(py), states.into_pyarray(py), actions.into_pyarray(py), weights.into_pyarray(py), ids)
}

fn trajectories(columns: (&[i64], &[i64], &[i64], &[f64]), ids: &[Option<String>]) -> PyResult<Vec<Trajectory>> {
    let (offsets, states, actions, weights) = columns;
    let n = offsets.len().saturating_sub(1);
    let rising = offsets.windows(2).all(|pair| pair[0] < pair[1]);
    let fits = !offsets.is_empty() && offsets[0] == 0 && rising && offsets[n] as usize == states.len();
    if !fits || actions.len() != states.len() || weights.len() != n || !(ids.is_empty() || ids.len() == n) {
        return Err(PyValueError::new_err("the columns of the demonstrations do not have matching lengths"));
    }
    let path = |index: usize| {
        let range = offsets[index] as usize..offsets[index + 1] as usize;
        let number = |what: &str, column: &[i64]| whole(column, |step| format!("demonstration {index}: step {step}: {what}"));
        let actions = &actions[range.start..range.end.max(range.start + 1) - 1];
        let (states, actions) = (number("state", &states[range])?, number("action", actions)?);
        let id = ids.get(index).cloned().flatten();
        Ok(Trajectory { states, actions, weight: weights[index], id })
    };
    (0..n).map(path).collect()
}
