//! The search for θ, how sure it is, and which penalty to take.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use revealed::{Bounds, CrossValidation, MaxEnt, Method, RouteChoice, Stopped, Watch};
use revealed_formats::{Model, SummaryRecord};

use crate::arrays::{Float, Floats, method};
use crate::demonstrations::Demonstrations;
use crate::failure::{of_engine, of_json};
use crate::likelihood::Options;
use crate::problem::Problem;
use crate::run::{Asker, run_watched};

/// What to learn with.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings<'py> {
    options: Options,
    inference: String,
    bounds: Option<(Floats<'py>, Floats<'py>)>,
    l2: f64,
    start: Option<Floats<'py>>,
    tolerance: f64,
    max_iterations: usize,
}

impl Settings<'_> {
    fn of_engine(&self) -> PyResult<MaxEnt> {
        Ok(MaxEnt {
            method: method(&self.inference)?,
            options: self.options.of_engine()?,
            bounds: bounds(&self.bounds)?,
            l2: self.l2,
            start: self.start.as_ref().map(|start| start.as_slice().map(<[f64]>::to_vec)).transpose()?,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            ..MaxEnt::default()
        })
    }
}

/// Lower and upper bounds of each parameter.
pub fn bounds(bounds: &Option<(Floats<'_>, Floats<'_>)>) -> PyResult<Bounds> {
    Ok(match bounds {
        None => Bounds::None,
        Some((lo, hi)) => Bounds::Each(lo.as_slice()?.iter().copied().zip(hi.as_slice()?.iter().copied()).collect()),
    })
}

/// How a search stands: iteration, evaluations, θ, the objective, the gradient's norm.
pub type Step = (usize, usize, Vec<f64>, f64, f64);

/// Tells a callback of Python how a search stands.
pub fn told(py: Python<'_>, callback: &Option<Py<PyAny>>, step: Step) -> PyResult<bool> {
    let Some(callback) = callback else { return Ok(false) };
    let (iteration, evaluations, theta, objective, norm) = step;
    callback.bind(py).call1((iteration, evaluations, theta.into_pyarray(py), objective, norm))?.is_truthy()
}

/// θ, the model as its file has it, the null directions in words, and a warning.
type Fitted<'py> = (Float<'py>, String, Vec<String>, Option<String>);

/// Hears of the iterations of a search, and passes on what is due: a callback that takes its time, or a fit of milliseconds, would
/// be slowed down by more.
pub struct Listener {
    wanted: bool,
    every: Duration,
    last: Instant,
}

impl Listener {
    /// One that passes on an iteration when so many seconds have passed since the last.
    pub fn new(wanted: bool, every: f64) -> Self {
        let every = Duration::try_from_secs_f64(every).unwrap_or_default();
        Listener { wanted, every, last: Instant::now() }
    }

    /// An iteration ended.
    pub fn hear<T>(&mut self, asker: &Asker<Step, T>, step: &revealed::Step<'_>) -> ControlFlow<()> {
        let due = self.wanted && self.last.elapsed() >= self.every;
        let Some(step) = step.iteration().filter(|_| due) else { return asker.gone() };
        self.last = Instant::now();
        asker.tell((step.iteration, step.evaluations, step.theta.to_vec(), step.objective, step.gradient_norm))
    }
}

/// Learns θ. `callback` is called after iterations, at most every so many seconds, with (iteration, evaluations, theta, objective,
/// gradient norm) and ends the search by returning True; whatever it raises ends it too and is raised again, as Ctrl-C is.
#[pyfunction]
pub fn fit<'py>(
    py: Python<'py>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    settings: Settings<'py>,
    callback: Option<Py<PyAny>>,
    every: f64,
) -> PyResult<Fitted<'py>> {
    let (search, mut listener) = (settings.of_engine()?, Listener::new(callback.is_some(), every));
    let (problem, demos) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0));
    let fitted = run_watched(
        py,
        settings.options.threads,
        move |asker| {
            let (mdp, features) = (&problem.mdp, &problem.features);
            let mut hear = |step: &revealed::Step<'_>| listener.hear(asker, step);
            let fit = search.fit_watched(mdp, features, &demos, &Watch::new(&mut hear))?;
            let model = Model::of_fit(&fit, &search, &problem, &demos);
            let routes = fit.method == Method::RecursiveLogit && fit.stop != Stopped::Interrupted;
            let lengths = match routes {
                true => Some(RouteChoice::new(mdp, features, &demos, None)?.lengths(&fit.theta)?),
                false => None,
            };
            Ok((fit, model, lengths.filter(|lengths| lengths.goes_in_circles())))
        },
        |py, step: Step| told(py, &callback, step),
    );
    let (fit, model, circles) = fitted?.map_err(of_engine)?;
    let nowhere = fit.null_directions.iter().map(ToString::to_string).collect();
    let warning = circles.map(|lengths| format!("{lengths}; add a feature that counts states or turns"));
    Ok((fit.theta.into_pyarray(py), of_json(serde_json::to_string(&model))?, nowhere, warning))
}

/// Nothing where the work was stopped.
fn unless_stopped<T>(answer: Result<T, revealed::Error>) -> Result<Option<T>, revealed::Error> {
    match answer {
        Err(revealed::Error::Stopped) => Ok(None),
        answer => answer.map(Some),
    }
}

/// So many bytes for messages.
pub fn within(memory: Option<usize>) -> revealed::Options {
    let defaults = revealed::Options::default();
    revealed::Options { memory: memory.unwrap_or(defaults.memory), ..defaults }
}

/// A model with its summary: how sure θ is. `callback` hears (done, all) and ends the work by returning True: then there is none.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn summarise(
    py: Python<'_>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    model: &str,
    level: f64,
    threads: Option<usize>,
    memory: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Option<String>> {
    let mut model: Model = of_json(serde_json::from_str(model))?;
    let watched = callback.is_some();
    let settings = MaxEnt {
        method: model.inference,
        options: revealed::Options { ends: model.ends, horizon: Some(model.horizon), ..within(memory) },
        bounds: model.bounds_of_theta(),
        l2: model.l2.unwrap_or(0.0),
        ..MaxEnt::default()
    };
    let (problem, demos) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0));
    let summarised = run_watched(
        py,
        threads,
        move |asker| {
            let (mdp, features) = (&problem.mdp, &problem.features);
            let mut hear = |step: &revealed::Step<'_>| match step.parts() {
                Some(parts) if watched => asker.tell(parts),
                _ => asker.gone(),
            };
            let sure = settings.uncertainty_watched(mdp, features, &demos, &model.theta, &Watch::new(&mut hear));
            let Some(sure) = unless_stopped(sure)? else { return Ok(None) };
            let notes = revealed_formats::summary_notes(&sure, &model, features);
            model.summary = Some(SummaryRecord::new(&sure, level, notes)?);
            Ok(Some(model))
        },
        |py, step: (usize, usize)| match &callback {
            Some(callback) => callback.bind(py).call1(step)?.is_truthy(),
            None => Ok(false),
        },
    );
    let summarised = summarised?.map_err(of_engine)?;
    summarised.map(|model| of_json(serde_json::to_string(&model))).transpose()
}

/// The table of a model that has a summary.
#[pyfunction]
pub fn summary_table(model: &str) -> PyResult<String> {
    Ok(revealed_formats::summary_table(&of_json(serde_json::from_str(model))?))
}

/// Held-out log-likelihoods of penalties. `callback` hears (finished, all) and ends the work by returning True.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn cross_validate<'py>(
    py: Python<'py>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    settings: Settings<'py>,
    l2: Vec<f64>,
    folds: usize,
    seed: u64,
    group_identical: bool,
    callback: Option<Py<PyAny>>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let validation = CrossValidation { settings: settings.of_engine()?, l2, folds, seed, group_identical };
    let (problem, demos, watched) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0), callback.is_some());
    let mut finished = None;
    let found = run_watched(
        py,
        settings.options.threads,
        move |asker| {
            let mut hear = |step: &revealed::Step<'_>| match step.parts() {
                Some(parts) if watched && finished.replace(parts.0) != Some(parts.0) => asker.tell(parts),
                _ => asker.gone(),
            };
            unless_stopped(validation.run_watched(&problem.mdp, &problem.features, &demos, &Watch::new(&mut hear)))
        },
        |py, step: (usize, usize)| match &callback {
            Some(callback) => callback.bind(py).call1(step)?.is_truthy(),
            None => Ok(false),
        },
    );
    let Some(found) = found?.map_err(of_engine)? else { return Ok(None) };
    let answer = PyDict::new(py);
    let column = |of: fn(&revealed::Penalty) -> f64| found.penalties.iter().map(of).collect::<Vec<f64>>().into_pyarray(py);
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
