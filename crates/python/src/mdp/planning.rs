//! Planning, episodes, and how much a learned reward loses.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::{AtTerminal, Paid, Planning, Policy, Recovery, Work};

use super::demonstrations::{PathColumns, path_columns};
use super::problem::Problem;
use crate::failure::of_engine;
use crate::inputs::arrays::{Float, Floats, RewardColumns, reward};
use crate::inputs::options::unknown;
use crate::threads::run::run;

/// Options of planning.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PlanSettings {
    discount: Option<f64>,
    at_terminal: String,
    paid: String,
    tolerance: f64,
    max_iterations: usize,
    threads: Option<usize>,
}

impl PlanSettings {
    fn of_engine(&self) -> PyResult<Planning> {
        let at_terminal = [AtTerminal::Ends, AtTerminal::KeepsPaying];
        let paid = [Paid::InState, Paid::OnArrival];
        let find_terminal = at_terminal.into_iter().find(|one| one.name() == self.at_terminal);
        let find_paid = paid.into_iter().find(|one| one.name() == self.paid);
        Ok(Planning {
            discount: self.discount,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            at_terminal: find_terminal
                .ok_or_else(|| unknown("at_terminal", &self.at_terminal, &at_terminal.map(AtTerminal::name)))?,
            paid: find_paid.ok_or_else(|| unknown("paid", &self.paid, &paid.map(Paid::name)))?,
            work: Work::default(),
        })
    }
}

/// Values, the policy by choices, an error bound, iterations, and whether it converged.
type Planned<'py> = (Float<'py>, Float<'py>, Option<f64>, usize, bool);

/// The optimal policy of a reward; with a temperature, a Boltzmann policy of its action values.
#[pyfunction]
pub fn plan<'py>(
    py: Python<'py>,
    problem: &Problem,
    reward_columns: RewardColumns<'py>,
    temperature: Option<f64>,
    settings: PlanSettings,
) -> PyResult<Planned<'py>> {
    let (reward, planning, problem) = (reward(&reward_columns)?, settings.of_engine()?, Arc::clone(&problem.0));
    let found = run(py, settings.threads, move || {
        let mdp = &problem.mdp;
        let plan = planning.solve(mdp, &reward)?;
        let policy = match temperature {
            Some(temperature) => {
                let values = planning.action_values(mdp, &reward, &plan.values)?;
                Policy::boltzmann(mdp, &values, temperature)?
            }
            None => plan.policy.clone(),
        };
        Ok((plan, policy))
    });
    let (plan, policy) = found?.map_err(of_engine)?;
    let policy = policy.probabilities().to_vec().into_pyarray(py);
    Ok((plan.values.into_pyarray(py), policy, plan.error_bound, plan.iterations, plan.converged))
}

/// The value of each state under a policy (by choices).
#[pyfunction]
pub fn policy_values<'py>(
    py: Python<'py>,
    problem: &Problem,
    reward_columns: RewardColumns<'py>,
    policy: Floats<'py>,
    settings: PlanSettings,
) -> PyResult<Float<'py>> {
    let (reward, planning, problem) = (reward(&reward_columns)?, settings.of_engine()?, Arc::clone(&problem.0));
    let policy = policy.as_slice()?.to_vec();
    let values = run(py, settings.threads, move || {
        planning.evaluate(&problem.mdp, &reward, &Policy::new(&problem.mdp, policy)?).map(|found| found.values)
    });
    Ok(values?.map_err(of_engine)?.into_pyarray(py))
}

/// Episodes of a policy (by choices).
#[pyfunction]
pub fn rollouts<'py>(
    py: Python<'py>,
    problem: &Problem,
    policy: Floats<'py>,
    n: usize,
    longest: usize,
    seed: u64,
) -> PyResult<PathColumns<'py>> {
    let (policy, problem) = (policy.as_slice()?.to_vec(), Arc::clone(&problem.0));
    let work = move || revealed::rollouts(&problem.mdp, &Policy::new(&problem.mdp, policy)?, n, longest, seed);
    Ok(path_columns(py, run(py, Some(1), work)?.map_err(of_engine)?))
}

/// Inverse learning error, expected value difference, and the number of states in which the actions differ.
#[pyfunction]
pub fn recovery<'py>(
    py: Python<'py>,
    problem: &Problem,
    truth: RewardColumns<'py>,
    learned: RewardColumns<'py>,
    settings: PlanSettings,
) -> PyResult<(f64, f64, usize)> {
    let (truth, learned) = (reward(&truth)?, reward(&learned)?);
    let (planning, problem) = (settings.of_engine()?, Arc::clone(&problem.0));
    let found = run(py, settings.threads, move || Recovery::new(&problem.mdp, &truth, &learned, &planning))?;
    let found = found.map_err(of_engine)?;
    Ok((found.inverse_learning_error, found.expected_value_difference, found.n_different))
}
