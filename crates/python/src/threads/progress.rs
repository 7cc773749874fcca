//! Progress: the steps of a search or a count, from the engine's threads to a callback of Python.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::{Error, Step};

use super::run::Reporter;

/// A callback of Python, if there is one.
pub type Callback = Option<Py<PyAny>>;

/// The state of a search: iteration, evaluations, θ, the objective, the gradient's norm.
pub type SearchStep = (usize, usize, Vec<f64>, f64, f64);

/// Finished pieces of work, and all.
pub type Count = (usize, usize);

/// Calls a callback with a step of a search. It ends the search by returning a true value.
pub fn call_with_step(py: Python<'_>, callback: &Callback, step: SearchStep) -> PyResult<bool> {
    let Some(callback) = callback else { return Ok(false) };
    let (iteration, evaluations, theta, objective, norm) = step;
    callback.bind(py).call1((iteration, evaluations, theta.into_pyarray(py), objective, norm))?.is_truthy()
}

/// Calls a callback with a count. It ends the work by returning a true value.
pub fn call_with_count(py: Python<'_>, callback: &Callback, count: Count) -> PyResult<bool> {
    match callback {
        Some(callback) => callback.bind(py).call1(count)?.is_truthy(),
        None => Ok(false),
    }
}

/// What is being counted, finished pieces of it, and all (0 if unknown).
pub type Stage = (&'static str, usize, usize);

/// Calls a callback with the count of a stage. It ends the work by returning a true value.
pub fn call_with_stage(py: Python<'_>, callback: &Callback, stage: Stage) -> PyResult<bool> {
    match callback {
        Some(callback) => callback.bind(py).call1(stage)?.is_truthy(),
        None => Ok(false),
    }
}

/// Reports the counts of stages, at most every so often: there may be millions.
pub struct StageListener {
    wanted: bool,
    last: Option<(&'static str, Instant)>,
}

impl StageListener {
    /// The time between two reports.
    const BETWEEN: Duration = Duration::from_millis(50);

    /// Reports only if it is wanted.
    pub fn new(wanted: bool) -> Self {
        StageListener { wanted, last: None }
    }

    /// Takes note of a step.
    pub fn hear<T>(&mut self, reporter: &Reporter<Stage, T>, step: &Step<'_>) -> ControlFlow<()> {
        let (what, done, all) = match *step {
            Step::Parts { what, done, all } | Step::Stage { what, done, all } => (what, done, all),
            Step::Iteration(progress) => ("iterations", progress.iteration, 0),
            Step::Validation(_) => return reporter.go_on(),
        };
        let is_due = self.last.is_none_or(|(before, at)| before != what || at.elapsed() >= Self::BETWEEN);
        if !(self.wanted && is_due) {
            return reporter.go_on();
        }
        self.last = Some((what, Instant::now()));
        reporter.tell((what, done, all))
    }
}

/// `None` if the work was stopped.
pub fn unless_stopped<T>(answer: Result<T, Error>) -> Result<Option<T>, Error> {
    match answer {
        Err(Error::Stopped) => Ok(None),
        answer => answer.map(Some),
    }
}

/// Reports the iterations of a search at most every so often: more would slow down a fit of milliseconds, or one with a
/// slow callback.
pub struct Listener {
    wanted: bool,
    every: Duration,
    last: Instant,
}

impl Listener {
    /// Reports an iteration if `every` seconds have passed since the last report.
    pub fn new(wanted: bool, every: f64) -> Self {
        let every = Duration::try_from_secs_f64(every).unwrap_or_default();
        Listener { wanted, every, last: Instant::now() }
    }

    /// Takes note of an iteration.
    pub fn hear<S: From<SearchStep>, T>(&mut self, reporter: &Reporter<S, T>, step: &Step<'_>) -> ControlFlow<()> {
        let due = self.wanted && self.last.elapsed() >= self.every;
        let Some(step) = step.iteration().filter(|_| due) else { return reporter.go_on() };
        self.last = Instant::now();
        reporter.tell((step.iteration, step.evaluations, step.theta.to_vec(), step.objective, step.gradient_norm).into())
    }
}
