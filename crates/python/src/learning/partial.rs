//! Learning from demonstrations that are seen in part.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Cluster, ErrorKind, MaxEnt, Options, Starts, Step, Watch};
use revealed_formats::{Model, SummaryRecord};

use super::fit::FitSettings;
use super::parts::{News, tell};
use crate::failure::{of_engine, of_json};
use crate::inputs::arrays::Float;
use crate::inputs::options::within;
use crate::mdp::partial::PartialDemonstrations;
use crate::mdp::problem::Problem;
use crate::threads::progress::{Callback, Listener, unless_stopped};
use crate::threads::run::{Reporter, run_watched};

/// θ, the model as its file has it, and the null directions as text.
type Fitted<'py> = (Float<'py>, String, Vec<String>);

/// Learns θ: as `fit`, with this number of searches.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn fit_partial<'py>(
    py: Python<'py>,
    problem: PyRef<'py, Problem>,
    demos: PyRef<'py, PartialDemonstrations>,
    settings: FitSettings<'py>,
    starts: usize,
    seed: u64,
    callback: Callback,
    every: f64,
) -> PyResult<Fitted<'py>> {
    let (search, mut listener) = (settings.of_engine()?, Listener::new(callback.is_some(), every));
    let (problem, demos) = (Arc::clone(&problem.0), Arc::clone(&demos.0));
    let starts = Starts { number: starts, seed };
    let fitted = run_watched(
        py,
        settings.options.threads,
        move |reporter: &Reporter<News, _>| {
            let mut hear = |step: &Step<'_>| listener.hear(reporter, step);
            let watch = Watch::new(&mut hear);
            let found = search.fit_partial(&problem.mdp, &problem.features, &demos, &starts, &watch)?;
            Ok((Model::of_partial(&found, &search, &problem, demos.len()), found.fit))
        },
        |py, news| tell(py, &callback, &None, news),
    );
    let (model, fit) = fitted?.map_err(of_engine)?;
    let null_directions = fit.null_directions.iter().map(ToString::to_string).collect();
    Ok((fit.theta.into_pyarray(py), of_json(serde_json::to_string(&model))?, null_directions))
}

/// A model with its summary: as `summarise`.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn summarise_partial(
    py: Python<'_>,
    problem: PyRef<'_, Problem>,
    demos: PyRef<'_, PartialDemonstrations>,
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
    let (problem, demos) = (Arc::clone(&problem.0), Arc::clone(&demos.0));
    let summarised = run_watched(
        py,
        threads,
        move |reporter: &Reporter<News, _>| {
            let mut hear = |step: &Step<'_>| match step.parts() {
                Some(parts) => reporter.tell_if(watched, News::Count(parts)),
                None => reporter.go_on(),
            };
            let (mdp, features) = (&problem.mdp, &problem.features);
            let sure = settings.uncertainty_partial(mdp, features, &demos, &model.theta, &cluster, &Watch::new(&mut hear));
            let Some(sure) = unless_stopped(sure)? else { return Ok(None) };
            let sure = sure.with_errors(errors)?;
            let notes = revealed_formats::summary_notes(&sure, &model, features);
            model.summary = Some(SummaryRecord::new(&sure, level, notes)?);
            Ok(Some(model))
        },
        |py, news| tell(py, &callback, &None, news),
    );
    let summarised = summarised?.map_err(of_engine)?;
    summarised.map(|model| of_json(serde_json::to_string(&model))).transpose()
}
