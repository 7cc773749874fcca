//! ℓ(θ) and its gradient, prepared once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::{Method, Options};
use revealed_formats::ModelLikelihood;

use super::prepared::locked;
use crate::failure::of_engine;
use crate::inputs::arrays::{Float, Floats};
use crate::inputs::options::{PathOptions, path_length, unknown};
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::run::{run, run_sized};

type LockedLikelihood<'a> = Mutex<ModelLikelihood<'a>>;

/// What a likelihood borrows from.
struct Evidence {
    problem: Arc<revealed_formats::Problem>,
    demos: Arc<revealed::Demonstrations>,
}

self_cell::self_cell!(
    struct OwnedLikelihood {
        owner: Evidence,
        #[not_covariant]
        dependent: LockedLikelihood,
    }
);

/// The methods whose likelihoods have gradients.
const METHODS: [Method; 4] = [Method::Exact, Method::Causal, Method::CausalDual, Method::RecursiveLogit];

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
    fn new(
        py: Python<'_>,
        problem: &Problem,
        demonstrations: &Demonstrations,
        inference: &str,
        options: PathOptions,
    ) -> PyResult<Self> {
        let method = METHODS.into_iter().find(|method| method.name() == inference);
        let method = method.ok_or_else(|| unknown("inference", inference, &METHODS.map(Method::name)))?;
        let (engine, threads) = (options.of_engine()?, options.threads);
        method.check(&problem.0.mdp, &problem.0.features, engine.ends).map_err(of_engine)?;
        let horizon = method.horizon(engine.horizon, demonstrations.0.longest()).map_err(of_engine)?;
        let engine = Options { horizon: Some(horizon), ..engine };
        // Goals are solved side by side, whatever the size of each.
        let goals = engine.ends == revealed::Ends::Goal;
        let steps = problem.0.mdp.n_transitions();
        // Paths of any length take some solves, whatever their lengths.
        let size = if goals { usize::MAX } else { horizon.at_most().map_or(steps, |horizon| steps.saturating_mul(horizon)) };
        let evidence = Evidence { problem: Arc::clone(&problem.0), demos: Arc::clone(&demonstrations.0) };
        let prepare = move || {
            OwnedLikelihood::try_new(evidence, |Evidence { problem, demos }| {
                ModelLikelihood::new(method, &problem.mdp, &problem.features, demos, &engine).map(Mutex::new)
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

    /// The mean log-likelihood, the objective, its gradient, and log Z (None with ends = goal and for causal models).
    fn evaluate<'py>(&self, py: Python<'py>, theta: Floats<'py>) -> PyResult<(f64, f64, Float<'py>, Option<f64>)> {
        let (theta, owned) = (theta.as_slice()?.to_vec(), Arc::clone(&self.owned));
        let clock = Arc::clone(&self.nanoseconds);
        let evaluate = move || {
            let begun = Instant::now();
            let at = owned.with_dependent(|_, likelihood| locked(likelihood).evaluate(&theta));
            clock.store(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
            at
        };
        let at = run_sized(py, self.threads, self.size, evaluate)?.map_err(of_engine)?;
        Ok((at.log_likelihood, at.objective, at.gradient.into_pyarray(py), at.log_partition))
    }
}
