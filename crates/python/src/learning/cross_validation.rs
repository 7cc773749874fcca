//! Cross-validation of penalties.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use revealed::{CrossValidation, Penalty, Step, Watch};

use super::fit::FitSettings;
use crate::failure::of_engine;
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::progress::{Callback, Count, call_with_count, unless_stopped};
use crate::threads::run::run_watched;

/// Held-out log-likelihoods of penalties. `callback` gets (finished, all) and ends the work by returning True.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn cross_validate<'py>(
    py: Python<'py>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    settings: FitSettings<'py>,
    l2: Vec<f64>,
    folds: usize,
    seed: u64,
    group_identical: bool,
    callback: Callback,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let validation = CrossValidation { settings: settings.of_engine()?, l2, folds, seed, group_identical };
    let (problem, demos, watched) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0), callback.is_some());
    let mut finished = None;
    let found = run_watched(
        py,
        settings.options.threads,
        move |reporter| {
            let mut hear = |step: &Step<'_>| match step.parts() {
                Some(parts) => reporter.tell_if(watched && finished.replace(parts.0) != Some(parts.0), parts),
                None => reporter.go_on(),
            };
            unless_stopped(validation.run_watched(&problem.mdp, &problem.features, &demos, &Watch::new(&mut hear)))
        },
        |py, count: Count| call_with_count(py, &callback, count),
    );
    let Some(found) = found?.map_err(of_engine)? else { return Ok(None) };
    let answer = PyDict::new(py);
    let column = |of: fn(&Penalty) -> f64| found.penalties.iter().map(of).collect::<Vec<f64>>().into_pyarray(py);
    answer.set_item("l2", column(|penalty| penalty.l2))?;
    answer.set_item("held_out", column(|penalty| penalty.held_out))?;
    answer.set_item("standard_error", column(|penalty| penalty.standard_error))?;
    answer.set_item("shortfall", column(|penalty| penalty.shortfall))?;
    answer.set_item("shortfall_error", column(|penalty| penalty.shortfall_error))?;
    answer.set_item("in_sample", column(|penalty| penalty.in_sample))?;
    answer.set_item("best", found.best)?;
    answer.set_item("simplest", found.simplest)?;
    answer.set_item("fold_of", found.fold_of)?;
    Ok(Some(answer))
}
