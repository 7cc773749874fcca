//! ℓ(θ) and its gradient, prepared once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::Horizon;

use super::prepared::{locked, owned_with_problem};
use crate::failure::of_engine;
use crate::inputs::arrays::{Float, Floats};
use crate::inputs::options::{PathOptions, path_length};
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::run::{run, run_sized};

type LockedLikelihood<'a> = Mutex<revealed::Likelihood<'a>>;
owned_with_problem!(OwnedLikelihood, LockedLikelihood);

/// The log-likelihood of demonstrations as a function of θ.
#[pyclass(frozen, module = "revealed._native")]
pub struct Likelihood {
    owned: Arc<OwnedLikelihood>,
    threads: Option<usize>,
    size: usize,
    /// How long the engine worked on the last evaluation; the rest of its time is the overhead of Python.
    nanoseconds: Arc<AtomicU64>,
}

#[pymethods]
impl Likelihood {
    /// Prepares everything that does not depend on θ.
    #[new]
    fn new(py: Python<'_>, problem: &Problem, demonstrations: &Demonstrations, options: PathOptions) -> PyResult<Self> {
        let (engine, threads) = (options.of_engine()?, options.threads);
        // Goals are solved side by side, whatever the size of each.
        let goals = engine.ends == revealed::Ends::Goal;
        let horizon = engine.horizon.map_or(Some(demonstrations.0.longest()), Horizon::at_most);
        let steps = problem.0.mdp.n_transitions();
        // Paths of any length take some solves, whatever their lengths.
        let size = if goals { usize::MAX } else { horizon.map_or(steps, |horizon| steps.saturating_mul(horizon)) };
        let (problem, demos) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0));
        let prepare = move || {
            OwnedLikelihood::try_new(problem, |problem| {
                revealed::Likelihood::new(&problem.mdp, &problem.features, &demos, &engine).map(Mutex::new)
            })
        };
        let owned = run(py, threads, prepare)?.map_err(of_engine)?;
        Ok(Likelihood { owned: Arc::new(owned), threads, size, nanoseconds: Arc::default() })
    }

    /// How many states a path may have.
    #[getter]
    fn horizon(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        path_length(py, self.owned.with_dependent(|_, likelihood| locked(likelihood).horizon()))
    }

    /// How long the engine worked on the last evaluation.
    #[getter]
    fn engine_seconds(&self) -> f64 {
        1e-9 * self.nanoseconds.load(Ordering::Relaxed) as f64
    }

    /// The mean log-likelihood, its gradient, and log Z (None with ends = goal).
    fn evaluate<'py>(&self, py: Python<'py>, theta: Floats<'py>) -> PyResult<(f64, Float<'py>, Option<f64>)> {
        let (theta, owned) = (theta.as_slice()?.to_vec(), Arc::clone(&self.owned));
        let clock = Arc::clone(&self.nanoseconds);
        let evaluate = move || {
            let begun = Instant::now();
            let at = owned.with_dependent(|_, likelihood| locked(likelihood).evaluate(&theta));
            clock.store(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
            at
        };
        let at = run_sized(py, self.threads, self.size, evaluate)?.map_err(of_engine)?;
        Ok((at.log_likelihood, at.gradient.into_pyarray(py), at.log_partition))
    }
}
