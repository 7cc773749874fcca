//! Mixed recursive logits.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Cluster, Distribution, ErrorKind, MixedLogit, RandomCoefficient, Sharing, Step, Watch};
use revealed_formats::{MixedRecord, mixed_table};

use crate::failure::{of_engine, of_json};
use crate::inputs::options::within;
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::run::run_watched;

/// The record of the fit as JSON, and its table. `random` has features and their distributions; `draws` their number,
/// whether they are the same for all, and the seed.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn fit_mixed(
    py: Python<'_>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    random: Vec<(usize, String)>,
    draws: (usize, bool, u64),
    panel: Option<&str>,
    errors: &str,
    threads: Option<usize>,
    memory: Option<usize>,
) -> PyResult<(String, String)> {
    let coefficient = |(feature, name): (usize, String)| {
        let all = [Distribution::Normal, Distribution::Positive, Distribution::Negative];
        let found = all.into_iter().find(|distribution| distribution.name() == name);
        let distribution = found.ok_or_else(|| PyValueError::new_err(format!("there is no distribution {name:?}")))?;
        Ok(RandomCoefficient { feature, distribution })
    };
    let errors = ErrorKind::from_name(errors)
        .ok_or_else(|| PyValueError::new_err(format!("errors is {errors:?}: it must be 'model' or 'robust'")))?;
    let (draws, common, seed) = draws;
    let model = MixedLogit {
        random: random.into_iter().map(coefficient).collect::<PyResult<_>>()?,
        draws,
        sharing: if common { Sharing::Common } else { Sharing::Own },
        seed,
        panel: panel.map_or(Cluster::Each, Cluster::from_name),
        errors,
    };
    let (problem, demos, work) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0), within(memory));
    let record = run_watched(
        py,
        threads,
        move |reporter| {
            let mut hear = |_: &Step<'_>| reporter.go_on();
            let fit = model.fit(&problem.mdp, &problem.features, &demos, &work, &Watch::new(&mut hear))?;
            Ok(MixedRecord::new(&fit, &model))
        },
        |_, _: ()| Ok(false),
    );
    let record = record?.map_err(of_engine)?;
    Ok((of_json(serde_json::to_string(&record))?, mixed_table(&record)))
}
