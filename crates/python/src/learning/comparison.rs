//! The comparison of models.

use std::sync::Arc;

use pyo3::prelude::*;
use revealed::{Comparison, Step, Watch};
use revealed_formats::{ComparisonRecord, Model, comparison_table};

use super::fit::FitSettings;
use crate::failure::{of_engine, of_json};
use crate::inputs::options::ends;
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::progress::{Callback, Count, call_with_count, unless_stopped};
use crate::threads::run::run_watched;

/// The record of a comparison as JSON, its table, and the model that is taken as its file has it, with its null
/// directions.
type ComparisonAnswer = (String, String, Option<(String, Vec<String>)>);

/// Compares the four models. `callback` gets (finished, all) and ends the work by returning True.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn compare(
    py: Python<'_>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    settings: FitSettings<'_>,
    where_to_end: Option<String>,
    folds: usize,
    seed: u64,
    callback: Callback,
) -> PyResult<Option<ComparisonAnswer>> {
    let given = where_to_end.as_deref().map(ends).transpose()?;
    let plan = Comparison { settings: settings.of_engine()?, ends: given, folds, seed };
    let (problem, demos, watched) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0), callback.is_some());
    let mut finished = None;
    let compared = run_watched(
        py,
        settings.options.threads,
        move |reporter| {
            let mut hear = |step: &Step<'_>| match step.parts() {
                Some(parts) => reporter.tell_if(watched && finished.replace(parts.0) != Some(parts.0), parts),
                None => reporter.go_on(),
            };
            let found = plan.run_watched(&problem.mdp, &problem.features, &demos, &Watch::new(&mut hear));
            let Some(found) = unless_stopped(found)? else { return Ok(None) };
            let model = Model::of_comparison(&found, &problem, &demos);
            let null: Vec<String> = found
                .chosen_fit()
                .map_or(Vec::new(), |fitted| fitted.fit.null_directions.iter().map(ToString::to_string).collect());
            Ok(Some((ComparisonRecord::new(&found, &plan, &demos), model, null)))
        },
        |py, count: Count| call_with_count(py, &callback, count),
    );
    let Some((record, model, null)) = compared?.map_err(of_engine)? else { return Ok(None) };
    let model = model.map(|model| Ok::<_, PyErr>((of_json(serde_json::to_string(&model))?, null))).transpose()?;
    Ok(Some((of_json(serde_json::to_string(&record))?, comparison_table(&record), model)))
}
