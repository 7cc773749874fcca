//! ℓ(θ) and its gradient, prepared once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use self_cell::self_cell;

use crate::arrays::{Float, Floats, ends};
use crate::demonstrations::Demonstrations;
use crate::failure::of_engine;
use crate::problem::Problem;
use crate::run::{run, run_sized};

type Borrowed<'a> = Mutex<revealed::Likelihood<'a>>;

self_cell!(
    struct Owned {
        owner: Arc<revealed_formats::Problem>,
        #[not_covariant]
        dependent: Borrowed,
    }
);

/// The log-likelihood of demonstrations as a function of θ.
#[pyclass(frozen, module = "revealed._native")]
pub struct Likelihood {
    owned: Arc<Owned>,
    threads: Option<usize>,
    size: usize,
    /// How long the engine worked on the last evaluation: what more it took was the way through Python.
    nanoseconds: Arc<AtomicU64>,
}

#[pymethods]
impl Likelihood {
    /// Prepares everything that does not depend on θ.
    #[new]
    fn new(py: Python<'_>, problem: &Problem, demonstrations: &Demonstrations, options: Options) -> PyResult<Self> {
        let (engine, threads) = (options.of_engine()?, options.threads);
        // Goals are solved side by side, whatever the size of each.
        let goals = engine.ends == revealed::Ends::Goal;
        let horizon = engine.horizon.unwrap_or(demonstrations.0.longest());
        let size = if goals { usize::MAX } else { problem.0.mdp.n_transitions().saturating_mul(horizon) };
        let (problem, demos) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0));
        let prepare = move || {
            Owned::try_new(problem, |problem| {
                revealed::Likelihood::new(&problem.mdp, &problem.features, &demos, &engine).map(Mutex::new)
            })
        };
        let owned = run(py, threads, prepare)?.map_err(of_engine)?;
        Ok(Likelihood { owned: Arc::new(owned), threads, size, nanoseconds: Arc::default() })
    }

    /// L.
    #[getter]
    fn horizon(&self) -> usize {
        self.owned.with_dependent(|_, likelihood| locked(likelihood).horizon())
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

/// A panic in another thread leaves arrays that the next evaluation fills again.
fn locked<'a, 'b>(likelihood: &'b Borrowed<'a>) -> std::sync::MutexGuard<'b, revealed::Likelihood<'a>> {
    likelihood.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How likelihoods are computed.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    ends: String,
    horizon: Option<usize>,
    /// Not for the engine, which works in the pool that it is run in.
    pub threads: Option<usize>,
    memory: Option<usize>,
}

impl Options {
    /// As the engine has them.
    pub fn of_engine(&self) -> PyResult<revealed::Options> {
        let defaults = revealed::Options::default();
        Ok(revealed::Options {
            ends: ends(&self.ends)?,
            horizon: self.horizon,
            threads: None,
            memory: self.memory.unwrap_or(defaults.memory),
        })
    }
}
