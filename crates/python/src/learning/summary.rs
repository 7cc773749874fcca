//! Standard errors and statistics of a fit.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Cluster, Error, ErrorKind, Evidence, MaxEnt, Options, Step, Watch};
use revealed_formats::{Model, SummaryRecord};

use super::fit::owned;
use super::parts::{News, PythonParts, World, tell};
use crate::failure::{of_engine, of_json};
use crate::inputs::options::within;
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::progress::{Callback, unless_stopped};
use crate::threads::run::{Reporter, run_watched};

/// A model with its summary. `callback` gets (done, all) and ends the work by returning True: then the answer is None.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn summarise(
    py: Python<'_>,
    worlds: Vec<(PyRef<'_, Problem>, PyRef<'_, Demonstrations>)>,
    ask: Callback,
    model: &str,
    level: f64,
    errors: &str,
    cluster: Option<&str>,
    threads: Option<usize>,
    memory: Option<usize>,
    callback: Callback,
) -> PyResult<Option<String>> {
    let mut model: Model = of_json(serde_json::from_str(model))?;
    let watched = callback.is_some();
    let errors = ErrorKind::from_name(errors)
        .ok_or_else(|| PyValueError::new_err(format!("errors is {errors:?}: it must be 'model' or 'robust'")))?;
    let cluster = cluster.map_or(Cluster::Each, Cluster::from_name);
    let settings = MaxEnt {
        method: model.inference,
        options: Options { ends: model.ends, horizon: Some(model.horizon), work: within(memory) },
        bounds: model.bounds_of_theta(),
        l2: model.l2.unwrap_or(0.0),
        ..MaxEnt::default()
    };
    let (worlds, elsewhere) = (owned(&worlds), ask.is_some());
    let summarised = run_watched(
        py,
        threads,
        move |reporter: &Reporter<News, _>| {
            let evidence: Vec<Evidence<'_>> = worlds.iter().map(World::evidence).collect();
            let Some(first) = evidence.first() else { return Err(Error::NoDemonstrations) };
            let mut hear = |step: &Step<'_>| match step.parts() {
                Some(parts) => reporter.tell_if(watched, News::Count(parts)),
                None => reporter.go_on(),
            };
            let watch = Watch::new(&mut hear);
            let sure = match elsewhere {
                true => settings.uncertainty_parts(&mut PythonParts(reporter), &model.theta, &cluster, &watch),
                false => settings.uncertainty_worlds(&evidence, &model.theta, &cluster, &watch),
            };
            let Some(sure) = unless_stopped(sure)? else { return Ok(None) };
            let sure = sure.with_errors(errors)?;
            let notes = revealed_formats::summary_notes(&sure, &model, first.features);
            model.summary = Some(SummaryRecord::new(&sure, level, notes)?);
            Ok(Some(model))
        },
        |py, news| tell(py, &callback, &ask, news),
    );
    let summarised = summarised?.map_err(of_engine)?;
    summarised.map(|model| of_json(serde_json::to_string(&model))).transpose()
}

/// The table of a model that has a summary.
#[pyfunction]
pub fn summary_table(model: &str) -> PyResult<String> {
    Ok(revealed_formats::summary_table(&of_json(serde_json::from_str(model))?))
}
