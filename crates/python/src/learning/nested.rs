//! Nested and discounted recursive logits.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Cluster, ErrorKind, NestedLogit, Step, Watch};
use revealed_formats::{NestedRecord, nested_table};

use crate::failure::{of_engine, of_json};
use crate::inputs::options::within;
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::run::run_watched;

/// The record of the fit as JSON, and its table.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn fit_nested(
    py: Python<'_>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    scale: Vec<usize>,
    discounted: bool,
    errors: (String, Option<String>),
    threads: Option<usize>,
    memory: Option<usize>,
) -> PyResult<(String, String)> {
    let model = NestedLogit { scale, discounted };
    let (errors, cluster) = errors;
    let errors = ErrorKind::from_name(&errors)
        .ok_or_else(|| PyValueError::new_err(format!("errors is {errors:?}: it must be 'model' or 'robust'")))?;
    let cluster = cluster.as_deref().map_or(Cluster::Each, Cluster::from_name);
    let (problem, demos, work) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0), within(memory));
    let record = run_watched(
        py,
        threads,
        move |reporter| {
            let mut hear = |_: &Step<'_>| reporter.go_on();
            let watch = Watch::new(&mut hear);
            let fit = model.fit_clustered(&problem.mdp, &problem.features, &demos, &cluster, &work, &watch)?;
            Ok(NestedRecord::new(&fit.with_errors(errors)?, &model))
        },
        |_, _: ()| Ok(false),
    );
    let record = record?.map_err(of_engine)?;
    Ok((of_json(serde_json::to_string(&record))?, nested_table(&record)))
}
