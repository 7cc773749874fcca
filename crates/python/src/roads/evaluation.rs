//! Forecasts compared with what was driven.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use revealed::{Demonstrations, Step, Watch};
use revealed_draw::evaluation_maps;
use revealed_roads::{Comparison, EvaluateOptions, Judge, evaluate, long_enough};

use super::canvas::Canvas;
use super::network::{Roads, model_of};
use crate::failure::{of_drawing, of_engine, of_roads};
use crate::inputs::arrays::Int;
use crate::inputs::options::within;
use crate::mdp::demonstrations::{GivenPaths, given_paths};
use crate::threads::progress::{Callback, Stage, StageListener, call_with_stage};
use crate::threads::run::{Reporter, run_watched};

/// Scores as JSON and as a table for people, the comparisons of the trips by name, the predicted routes of the same trips
/// (offsets and states), and maps.
type Evaluated<'py> = (String, String, Bound<'py, PyDict>, (Int<'py>, Int<'py>), Vec<(String, Canvas)>);

/// Forecasts the routes and destinations of trips, and compares them with the true ones and with baselines. `callback`
/// gets (what, done, all).
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn evaluate_routes<'py>(
    py: Python<'py>,
    roads: &Roads,
    model: &str,
    test: GivenPaths<'py>,
    train: Option<GivenPaths<'py>>,
    destinations: usize,
    seed: u64,
    maps: bool,
    threads: Option<usize>,
    memory: Option<usize>,
    callback: Callback,
) -> PyResult<Evaluated<'py>> {
    let (model, problem) = (model_of(model)?, roads.shared_problem()?);
    let (test, train) = (given_paths(&test)?, train.as_ref().map(given_paths).transpose()?);
    Demonstrations::new(&problem.mdp, &test).map_err(of_engine)?;
    let (roads, mut listener) = (Arc::clone(&roads.roads), StageListener::new(callback.is_some()));
    let done = run_watched(
        py,
        threads,
        move |reporter: &Reporter<Stage, _>| {
            let mut hear = |step: &Step<'_>| listener.hear(reporter, step);
            let watch = Watch::new(&mut hear);
            let judge = Judge::new(&roads, &problem, &test, within(memory));
            let paths = model.path_model(&problem, Some(long_enough(model.horizon, &test)), None)?;
            let options = EvaluateOptions { destinations, seed };
            let found = evaluate(&judge, (&paths, model.inference), train.as_deref(), &options, &watch)?;
            let drawn = match maps {
                false => Ok(Vec::new()),
                true => {
                    let visits = judge.model_visits(&model.theta, model.inference, &found.learned)?;
                    evaluation_maps(&judge, &model.theta, &visits, &found)
                }
            };
            let compared = judge.comparisons(&found.learned);
            let routes: Vec<Vec<usize>> = found.learned.routes.iter().filter_map(|route| route.clone().ok()).collect();
            Ok((found.to_json().to_string(), found.table(), compared, routes, drawn))
        },
        |py, stage| call_with_stage(py, &callback, stage),
    );
    let (json, table, compared, routes, drawn) = done?.map_err(of_roads)?;
    let maps = drawn.map_err(of_drawing)?.into_iter().map(|(name, canvas)| (name.to_string(), Canvas::of(canvas)));
    Ok((json, table, columns(py, &compared)?, flat(py, &routes), maps.collect()))
}

/// Routes as flat columns.
fn flat<'py>(py: Python<'py>, routes: &[Vec<usize>]) -> (Int<'py>, Int<'py>) {
    let mut offsets = vec![0_i64];
    routes.iter().for_each(|route| offsets.push(offsets[offsets.len() - 1] + route.len() as i64));
    let states: Vec<i64> = routes.iter().flatten().map(|&state| state as i64).collect();
    (offsets.into_pyarray(py), states.into_pyarray(py))
}

fn columns<'py>(py: Python<'py>, compared: &[(usize, Comparison)]) -> PyResult<Bound<'py, PyDict>> {
    let answer = PyDict::new(py);
    let numbers: Vec<i64> = compared.iter().map(|row| row.0 as i64).collect();
    answer.set_item("number", numbers.into_pyarray(py))?;
    let of = |value: fn(&Comparison) -> f64| compared.iter().map(|row| value(&row.1)).collect::<Vec<f64>>().into_pyarray(py);
    answer.set_item("km", of(|one| one.driven))?;
    answer.set_item("distance_match", of(|one| one.distance_match))?;
    answer.set_item("covered", of(|one| one.covered))?;
    answer.set_item("feature_distance_km", of(|one| one.feature_distance))?;
    answer.set_item("predicted_km", of(|one| one.predicted))?;
    let identical: Vec<bool> = compared.iter().map(|row| row.1.identical).collect();
    answer.set_item("identical", identical.into_pyarray(py))?;
    Ok(answer)
}
