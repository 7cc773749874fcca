//! What would change in another world.

use std::sync::Arc;

use pyo3::prelude::*;
use revealed::{Error, Step, Watch};
use revealed_formats::{CounterfactualRequest, Fault, Model};

use crate::failure::{of_columns, of_engine, of_json};
use crate::inputs::options::within;
use crate::mdp::problem::Problem;
use crate::threads::progress::{Callback, Count, call_with_count};
use crate::threads::run::run_watched;

/// The answer to a request as JSON, and as a table. `callback` gets (done, all) and ends the work by returning True: then
/// the answer is None.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn counterfactual(
    py: Python<'_>,
    problem: &Problem,
    model: &str,
    world: Option<&Problem>,
    request: &str,
    threads: Option<usize>,
    memory: Option<usize>,
    callback: Callback,
) -> PyResult<Option<(String, String)>> {
    let model: Model = of_json(serde_json::from_str(model))?;
    let request: CounterfactualRequest =
        serde_json::from_str(request).map_err(|error| of_columns(Fault::Request(format!("the scenario: {error}"))))?;
    let watched = callback.is_some();
    let (problem, world) = (Arc::clone(&problem.0), world.map(|world| Arc::clone(&world.0)));
    let found = run_watched(
        py,
        threads,
        move |reporter| {
            let mut hear = |step: &Step<'_>| match step.parts() {
                Some(parts) => reporter.tell_if(watched, parts),
                None => reporter.go_on(),
            };
            let work = within(memory);
            let watch = Watch::new(&mut hear);
            match revealed_formats::counterfactual(&problem, &model, world.as_deref(), &request, &work, &watch) {
                Err(Fault::Content(Error::Stopped)) => Ok(None),
                found => found.map(Some),
            }
        },
        |py, count: Count| call_with_count(py, &callback, count),
    );
    let found = found?.map_err(|fault| match fault {
        Fault::Content(error) => of_engine(error),
        fault => of_columns(fault),
    })?;
    let texts = |record| {
        let table = revealed_formats::counterfactual_table(&record);
        Ok((of_json(serde_json::to_string(&record))?, table))
    };
    found.map(texts).transpose()
}
