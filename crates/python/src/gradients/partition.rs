//! log Z as a function of the reward, prepared once.

use std::sync::{Arc, Mutex};

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::{Given, Reward, Work};

use super::prepared::{locked, owned_with_problem};
use crate::failure::of_engine;
use crate::inputs::arrays::{Float, Floats, Weights, reward};
use crate::inputs::options::{PathLength, ends};
use crate::mdp::problem::Problem;
use crate::threads::run::{run, run_sized};

type LockedPartition<'a> = Mutex<revealed::Partition<'a>>;
owned_with_problem!(OwnedPartition, LockedPartition);

/// log Z as a function of the reward.
#[pyclass(frozen, module = "revealed._native")]
pub struct Partition {
    owned: Arc<OwnedPartition>,
    threads: Option<usize>,
    size: usize,
}

#[pymethods]
impl Partition {
    /// Prepares everything that does not depend on the reward.
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        problem: &Problem,
        ends_name: &str,
        horizon: PathLength,
        start: Weights,
        to: Option<usize>,
        transitions: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (ends, problem) = (ends(ends_name)?, Arc::clone(&problem.0));
        let size = problem.mdp.n_transitions().saturating_mul(horizon.0.at_most().unwrap_or(1));
        let prepare = move || {
            OwnedPartition::try_new(problem, |problem| {
                let mdp = &problem.mdp;
                let along = if transitions { mdp.n_transitions() } else { 0 };
                let nothing = Reward { state: vec![0.0; mdp.n_states()], transition: vec![0.0; along] };
                let model = revealed::PathModel::new(mdp, nothing, horizon.0, ends)?;
                let given = Given::from_states(start).to(to);
                revealed::Partition::new(&model, &given, &Work::default()).map(Mutex::new)
            })
        };
        let owned = run(py, threads, prepare)?.map_err(of_engine)?;
        Ok(Partition { owned: Arc::new(owned), threads, size })
    }

    /// log Z, and the discounted visits of states and transitions: its gradient.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        state: Floats<'py>,
        transition: Floats<'py>,
    ) -> PyResult<(f64, Float<'py>, Float<'py>)> {
        let (reward, owned) = (reward(&(state, transition))?, Arc::clone(&self.owned));
        let evaluate = move || owned.with_dependent(|_, partition| locked(partition).evaluate(&reward));
        let (log_partition, visits) = run_sized(py, self.threads, self.size, evaluate)?.map_err(of_engine)?;
        Ok((log_partition, visits.state.into_pyarray(py), visits.transition.into_pyarray(py)))
    }
}
