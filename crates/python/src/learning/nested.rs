//! Nested and discounted recursive logits.

use std::sync::Arc;

use pyo3::prelude::*;
use revealed::{NestedLogit, Step, Watch};
use revealed_formats::{NestedRecord, nested_table};

use crate::failure::{of_engine, of_json};
use crate::inputs::options::within;
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::run::run_watched;

/// The record of the fit as JSON, and its table.
#[pyfunction]
pub fn fit_nested(
    py: Python<'_>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    scale: Vec<usize>,
    discounted: bool,
    threads: Option<usize>,
    memory: Option<usize>,
) -> PyResult<(String, String)> {
    let model = NestedLogit { scale, discounted };
    let (problem, demos, work) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0), within(memory));
    let record = run_watched(
        py,
        threads,
        move |reporter| {
            let mut hear = |_: &Step<'_>| reporter.go_on();
            let fit = model.fit(&problem.mdp, &problem.features, &demos, &work, &Watch::new(&mut hear))?;
            Ok(NestedRecord::new(&fit, &model))
        },
        |_, _: ()| Ok(false),
    );
    let record = record?.map_err(of_engine)?;
    Ok((of_json(serde_json::to_string(&record))?, nested_table(&record)))
}
