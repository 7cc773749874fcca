//! Histories: the windows of a model, and the product of a world with them.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Error, MaxEnt, Windows};
use revealed_formats::{HistoryRecord, LearnedHistory};

use super::parts::World;
use crate::failure::{of_engine, of_json};
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;

/// A function of windows would be asked too often beyond this.
const MOST_WINDOWS: usize = 2_000_000;

/// Indicators of the windows of the demonstrations, as a model file has them.
#[pyfunction]
pub fn history_of_indicators(
    py: Python<'_>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    order: usize,
    shrinkage: f64,
) -> PyResult<String> {
    let (mdp, demos) = (&problem.0.mdp, &demonstrations.0);
    let windows = py.detach(|| Windows::indicators(mdp, demos, order, shrinkage)).map_err(of_engine)?;
    of_json(serde_json::to_string(&HistoryRecord::new(&windows, Some(shrinkage))))
}

/// The windows of a table, checked against the problem.
#[pyfunction]
pub fn history_of_table(problem: &Problem, table: &str) -> PyResult<String> {
    let record: HistoryRecord = serde_json::from_str(table).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let windows = record.windows(&problem.0.mdp).map_err(of_engine)?;
    of_json(serde_json::to_string(&HistoryRecord::new(&windows, None)))
}

/// The windows of a function of the last states and the action, which returns a value for each feature.
#[pyfunction]
pub fn history_of_function(
    py: Python<'_>,
    problem: &Problem,
    order: usize,
    names: Vec<String>,
    function: Py<PyAny>,
) -> PyResult<String> {
    let n_features = names.len();
    let of = |states: &[usize], action: usize| -> Result<Vec<(usize, f64)>, Failed> {
        let found = function.bind(py).call1((states.to_vec(), action)).map_err(Failed)?;
        let values: Vec<f64> = found.extract().map_err(Failed)?;
        if values.len() != n_features {
            let message = format!("history: the function returned {} values for {states:?}: return {n_features}", values.len());
            return Err(Failed(PyValueError::new_err(message)));
        }
        Ok(values.into_iter().enumerate().filter(|row| row.1 != 0.0).collect())
    };
    let windows =
        Windows::of_function(&problem.0.mdp, order, (n_features, names), MOST_WINDOWS, of).map_err(|failed| failed.0)?;
    of_json(serde_json::to_string(&HistoryRecord::new(&windows, None)))
}

/// An error of the function, or of the engine.
struct Failed(PyErr);

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed(of_engine(error))
    }
}

/// The product in which a search learns, in place of its only world; `None` without a history.
pub fn learned(history: Option<&str>, worlds: &mut [World], search: &mut MaxEnt) -> PyResult<Option<LearnedHistory>> {
    let Some(json) = history else { return Ok(None) };
    let record: HistoryRecord = of_json(serde_json::from_str(json))?;
    let [world] = worlds else {
        return Err(PyValueError::new_err(format!("a history needs one world, and there are {}", worlds.len())));
    };
    let windows = record.windows(&world.problem.mdp).map_err(of_engine)?;
    let how = (search.options.ends, &search.options.work);
    let made = LearnedHistory::new(&world.problem, &world.demos, &windows, record.shrinkage, how).map_err(of_engine)?;
    *search = made.settings(search.clone());
    *world = World { problem: Arc::new(made.problem.clone()), demos: Arc::new(made.demos.clone()) };
    Ok(Some(made))
}
