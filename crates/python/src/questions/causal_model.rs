//! Maximum causal entropy: policies, and what follows from them.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::{CausalEntropy, Error, Reward, Trajectory};

use crate::failure::of_engine;
use crate::inputs::arrays::{Float, RewardColumns, reward};
use crate::inputs::options::within;
use crate::mdp::demonstrations::{Demonstrations, PathColumns, path_columns};
use crate::mdp::problem::Problem;
use crate::threads::run::run;

/// What describes a causal model.
struct CausalParts {
    problem: Arc<revealed_formats::Problem>,
    reward: Reward,
    horizon: usize,
    memory: Option<usize>,
}

/// A reward and the policies that it leads to.
#[pyclass(frozen, module = "revealed._native")]
pub struct CausalModel(Arc<CausalParts>);

#[pymethods]
impl CausalModel {
    /// From a problem and a reward.
    #[new]
    fn new(problem: &Problem, rewards: RewardColumns<'_>, horizon: usize, memory: Option<usize>) -> PyResult<Self> {
        let reward = reward(&rewards)?;
        Ok(CausalModel(Arc::new(CausalParts { problem: Arc::clone(&problem.0), reward, horizon, memory })))
    }

    /// V_t(s).
    fn values<'py>(&self, py: Python<'py>, t: usize, threads: Option<usize>) -> PyResult<Float<'py>> {
        Ok(self.ask(py, threads, move |model| model.values(t))?.into_pyarray(py))
    }

    /// π_t of each choice.
    fn policy<'py>(&self, py: Python<'py>, t: usize, threads: Option<usize>) -> PyResult<Float<'py>> {
        Ok(self.ask(py, threads, move |model| model.policy(t))?.into_pyarray(py))
    }

    /// p_t(s), or without t the discounted visits.
    fn marginals<'py>(&self, py: Python<'py>, t: Option<usize>, threads: Option<usize>) -> PyResult<Float<'py>> {
        let state = self.ask(py, threads, move |model| match t {
            Some(t) => model.marginals(t).map(|at| at.state),
            None => Ok(model.occupancy().state.clone()),
        });
        Ok(state?.into_pyarray(py))
    }

    /// Exact samples.
    fn sample<'py>(&self, py: Python<'py>, n: usize, seed: u64, threads: Option<usize>) -> PyResult<PathColumns<'py>> {
        Ok(path_columns(py, self.ask(py, threads, move |model| model.sample(n, seed))?))
    }

    /// The log-likelihood of each demonstration.
    fn scores<'py>(&self, py: Python<'py>, demonstrations: &Demonstrations, threads: Option<usize>) -> PyResult<Float<'py>> {
        let (demos, parts) = (Arc::clone(&demonstrations.0), Arc::clone(&self.0));
        let scores = self.ask(py, threads, move |model| {
            let mdp = &parts.problem.mdp;
            let path = |index: usize| {
                let states = demos.states(index).iter().map(|&state| state as usize).collect();
                let choice = |&transition: &u32| mdp.choice_of()[transition as usize] as usize;
                Trajectory::new(states, demos.transitions(index).iter().map(|row| mdp.action_of(choice(row))).collect())
            };
            (0..demos.len()).map(|index| model.log_prob(&path(index))).collect::<Result<Vec<f64>, Error>>()
        });
        Ok(scores?.into_pyarray(py))
    }
}

impl CausalModel {
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        question: impl FnOnce(&mut CausalEntropy<'_>) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let parts = Arc::clone(&self.0);
        let work = move || {
            let work = within(parts.memory);
            question(&mut CausalEntropy::new(&parts.problem.mdp, parts.reward.clone(), parts.horizon, &work)?)
        };
        run(py, threads, work)?.map_err(of_engine)
    }
}
