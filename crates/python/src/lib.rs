//! `revealed._native`: the engine as Python sees it. Arrays in, arrays out; what can be said in Python is said in
//! `python/revealed`.
//!
//! The modules, in reading order. Each may use only those before it: `inputs` (arrays and options), `threads` (pools,
//! Ctrl-C, callbacks), `mdp` (problem, demonstrations, planning, worlds), `gradients` (likelihood, partition),
//! `questions` (models and routes), `learning` (fits, samples, summaries, model files), `roads` (networks, trips,
//! forecasts), `command` (the command line). `failure` turns errors into Python's.

mod command;
mod failure;
mod gradients;
mod inputs;
mod learning;
mod mdp;
mod questions;
mod roads;
mod threads;

use pyo3::prelude::*;

/// The module. Its classes are frozen, and there is no `unsafe` code: free-threaded Python needs no lock for it.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::gradients::likelihood::Likelihood;
    #[pymodule_export]
    use crate::gradients::partition::Partition;
    #[pymodule_export]
    use crate::learning::comparison::compare;
    #[pymodule_export]
    use crate::learning::counterfactual::counterfactual;
    #[pymodule_export]
    use crate::learning::cross_validation::cross_validate;
    #[pymodule_export]
    use crate::learning::fit::fit;
    #[pymodule_export]
    use crate::learning::history::{history_of_function, history_of_indicators, history_of_table};
    #[pymodule_export]
    use crate::learning::mixed::fit_mixed;
    #[pymodule_export]
    use crate::learning::model_file::{load_model, save_model};
    #[pymodule_export]
    use crate::learning::nested::fit_nested;
    #[pymodule_export]
    use crate::learning::partial::{fit_partial, summarise_partial};
    #[pymodule_export]
    use crate::learning::parts::Part;
    #[pymodule_export]
    use crate::learning::report::report;
    #[pymodule_export]
    use crate::learning::samples::{estimate, fit_samples};
    #[pymodule_export]
    use crate::learning::summary::{summarise, summary_table};
    #[pymodule_export]
    use crate::learning::table::side_by_side;
    #[pymodule_export]
    use crate::mdp::demonstrations::Demonstrations;
    #[pymodule_export]
    use crate::mdp::partial::PartialDemonstrations;
    #[pymodule_export]
    use crate::mdp::planning::{plan, policy_values, recovery, rollouts};
    #[pymodule_export]
    use crate::mdp::problem::Problem;
    #[pymodule_export]
    use crate::mdp::trips::trip_world;
    #[pymodule_export]
    use crate::mdp::worlds::{cliff_walking, frozen_lake, lake_map, linear_chain, n_chain, road_like, taxi};
    #[pymodule_export]
    use crate::questions::path_model::PathModel;
    #[pymodule_export]
    use crate::questions::routes::Routes;
    #[pymodule_export]
    use crate::roads::canvas::{Canvas, cost_map, road_map};
    #[pymodule_export]
    use crate::roads::city::City;
    #[pymodule_export]
    use crate::roads::engines::write_engine_costs;
    #[pymodule_export]
    use crate::roads::evaluation::evaluate_routes;
    #[pymodule_export]
    use crate::roads::forecasts::{assign_flows, likely_destinations, likely_routes};
    #[pymodule_export]
    use crate::roads::matching::{match_trips, split_paths};
    #[pymodule_export]
    use crate::roads::network::Roads;
    #[pymodule_export]
    use crate::roads::regions::cut_regions;
    #[pymodule_export]
    use crate::roads::speeds::Slowness;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
