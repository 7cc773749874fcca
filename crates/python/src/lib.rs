//! `revealed._native`: the engine as Python sees it. Arrays in, arrays out; what can be said in Python is said in `python/revealed`.

mod arrays;
mod causal_model;
mod demonstrations;
mod failure;
mod learn;
mod likelihood;
mod model;
mod model_free;
mod partition;
mod path_model;
mod planning;
mod problem;
mod routes;
mod run;
mod worlds;

use pyo3::prelude::*;

/// The module.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::causal_model::CausalModel;
    #[pymodule_export]
    use crate::demonstrations::Demonstrations;
    #[pymodule_export]
    use crate::learn::{cross_validate, fit, summarise, summary_table};
    #[pymodule_export]
    use crate::likelihood::Likelihood;
    #[pymodule_export]
    use crate::model::{load_model, save_model};
    #[pymodule_export]
    use crate::model_free::{estimate, fit_samples};
    #[pymodule_export]
    use crate::partition::Partition;
    #[pymodule_export]
    use crate::path_model::PathModel;
    #[pymodule_export]
    use crate::planning::{plan, policy_values, recovery, rollouts};
    #[pymodule_export]
    use crate::problem::Problem;
    #[pymodule_export]
    use crate::routes::Routes;
    #[pymodule_export]
    use crate::worlds::{cliff_walking, frozen_lake, lake_map, linear_chain, n_chain, road_like, taxi};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
