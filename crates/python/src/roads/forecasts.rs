//! The likeliest routes, destinations of unfinished trips, and flows.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::{Demonstrations, Ends, Horizon, PathModel, Scenario, Step, Watch};
use revealed_draw::{destination_map, flow_map, routes_map};
use revealed_formats::{Fault, Problem, ScenarioRecord, load_pairs};
use revealed_roads::{
    AssignedFlows, Demand, DestinationLearning, DestinationModel, LikelyRoute, Trips, different_routes, forecast_trace,
    likeliest_routes, on_all_copies,
};
use serde_json::json;

use super::canvas::Canvas;
use super::network::{Roads, model_of};
use crate::failure::{of_columns, of_drawing, of_engine, of_file, of_roads};
use crate::inputs::arrays::{Float, Floats, optional};
use crate::inputs::options::within;
use crate::mdp::demonstrations::{GivenPaths, given_paths};
use crate::threads::progress::{Callback, Stage, StageListener, call_with_stage};
use crate::threads::run::{Reporter, run, run_watched};

/// A picture, if one was asked for.
fn drawn(canvas: Option<Result<revealed_draw::Canvas, revealed_draw::Error>>) -> PyResult<Option<Canvas>> {
    canvas.map(|canvas| Ok(Canvas::of(canvas.map_err(of_drawing)?))).transpose()
}

/// The likeliest routes from one of some states to one of others: each as JSON, and a map.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn likely_routes(
    py: Python<'_>,
    roads: &Roads,
    model: &str,
    start: Vec<usize>,
    to: Vec<usize>,
    k: usize,
    overlap: f64,
    draw: bool,
    threads: Option<usize>,
    memory: Option<usize>,
) -> PyResult<(Vec<String>, Option<Canvas>)> {
    let (model, problem, roads) = (model_of(model)?, roads.shared_problem()?, Arc::clone(&roads.roads));
    let done = run(py, threads, move || {
        let paths = model.path_model(&problem, None, None)?;
        let found = match k == 1 || overlap == 1.0 {
            true => likeliest_routes(&roads, &paths, [&start, &to], k, &within(memory))?,
            false => different_routes(&roads, &paths, [&start, &to], k, overlap)?,
        };
        let picture = draw.then(|| routes_map(&roads, &found));
        Ok((found.routes.iter().map(|route| LikelyRoute::to_json(route).to_string()).collect(), picture))
    });
    let (routes, picture) = done?.map_err(of_roads)?;
    Ok((routes, drawn(picture)?))
}

/// Where the first trip of a file will end: as JSON, the probability of each state to be the last, and a map. `train` are
/// known trips, and `prior` are weights of the states.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn likely_destinations<'py>(
    py: Python<'py>,
    roads: &Roads,
    model: &str,
    trip: PathBuf,
    train: Option<GivenPaths<'py>>,
    prior: Option<Floats<'py>>,
    seed: u64,
    draw: bool,
    threads: Option<usize>,
    memory: Option<usize>,
    callback: Callback,
) -> PyResult<(String, Float<'py>, Option<Canvas>)> {
    let (model, problem, prior) = (model_of(model)?, roads.shared_problem()?, optional(&prior)?);
    let train = train.as_ref().map(given_paths).transpose()?;
    if let Some(train) = &train {
        Demonstrations::new(&problem.mdp, train).map_err(of_engine)?;
    }
    let (roads, mut listener) = (Arc::clone(&roads.roads), StageListener::new(callback.is_some()));
    let done = run_watched(
        py,
        threads,
        move |reporter: &Reporter<Stage, _>| {
            let mut hear = |step: &Step<'_>| listener.hear(reporter, step);
            let watch = Watch::new(&mut hear);
            let paths = model.path_model(&problem, None, None)?;
            let trip = Trips::first(&trip)?;
            let learned = match &train {
                None => DestinationModel::of_metres(&roads)?,
                Some(train) => {
                    // As the forecast: routes to a given end, of any length.
                    let routes = PathModel::new(paths.mdp(), paths.reward().clone(), paths.horizon(), Ends::Goal)?;
                    let options = DestinationLearning { seed, work: within(memory) };
                    DestinationModel::learn(&roads, &routes, train, &options, &watch)?
                }
            };
            let destinations = match prior {
                Some(prior) => learned.with_prior(&roads, prior)?,
                None => learned,
            };
            let found = forecast_trace(&roads, &paths, &destinations, &trip)?;
            let picture = draw.then(|| destination_map(&roads, &found));
            Ok((found, picture))
        },
        |py, stage| call_with_stage(py, &callback, stage),
    );
    let (found, picture) = done?.map_err(of_roads)?;
    Ok((found.to_json().to_string(), found.posterior.into_pyarray(py), drawn(picture)?))
}

/// The flow of each state, that in a scenario and the difference, and by features its elasticity.
type Flows<'py> = (Float<'py>, Option<(Float<'py>, Float<'py>)>, Vec<(String, Float<'py>)>);

/// A scenario (JSON), made to the world of the roads.
fn scenario_of(changes: &str, roads: &revealed_roads::Roads, problem: &Problem) -> PyResult<Scenario> {
    let mut changes: ScenarioRecord =
        serde_json::from_str(changes).map_err(|error| of_columns(Fault::Request(format!("the scenario: {error}"))))?;
    on_all_copies(roads, &mut changes);
    changes.build(problem).map_err(of_columns)
}

/// The expected flows of the pairs in a file: as columns, as JSON of all together, and as a map. `changes` are
/// those of a scenario (JSON), and `save` is a table that is written (.csv).
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn assign_flows<'py>(
    py: Python<'py>,
    roads: &Roads,
    model: &str,
    pairs: PathBuf,
    by: Vec<(String, usize)>,
    changes: Option<&str>,
    save: Option<PathBuf>,
    draw: bool,
    threads: Option<usize>,
    memory: Option<usize>,
) -> PyResult<(Flows<'py>, String, Option<Canvas>)> {
    let (model, problem, roads) = (model_of(model)?, roads.shared_problem()?, Arc::clone(&roads.roads));
    let pairs = load_pairs(pairs, roads.n_states()).map_err(of_file)?;
    let demand: Vec<Demand> = pairs.into_iter().map(|pair| ([pair.from, pair.to], pair.weight)).collect();
    let n_pairs = demand.len();
    let scenario = changes.map(|changes| scenario_of(changes, &roads, &problem)).transpose()?;
    let network = Arc::clone(&roads);
    let done = run(py, threads, move || {
        let paths = model.path_model(&problem, Some(Horizon::Any), Some(Ends::Goal))?;
        let mut found = AssignedFlows::new(&roads, &problem, &model, &paths, &demand, &by, &within(memory))?;
        if let Some(scenario) = &scenario {
            found = found.in_scenario(&roads, &model, scenario, &demand, &within(memory))?;
        }
        let picture = draw.then(|| flow_map(&roads, &found));
        if let Some(file) = save {
            found.save(&roads, file)?;
        }
        Ok((found, picture))
    });
    let (found, picture) = done?.map_err(of_roads)?;
    let of_all = |(name, values): &(String, Vec<f64>)| (name.clone(), json!(found.of_all_metres(&network, values)));
    let mut told = json!({
        "pairs": n_pairs, "trips": found.trips, "n_states": found.flows.len(), "km_per_trip": found.km_per_trip(),
        "states_per_trip": found.states_per_trip(),
        "of_all_kilometres": found.elasticities.iter().map(of_all).collect::<serde_json::Map<_, _>>(),
    });
    if let Some(changed) = &found.changed {
        told["scenario_km_per_trip"] = json!(changed.km_per_trip);
    }
    let changed = found.changed.map(|changed| (changed.flows.into_pyarray(py), changed.difference.into_pyarray(py)));
    let elasticities = found.elasticities.into_iter().map(|(name, values)| (name, values.into_pyarray(py))).collect();
    Ok(((found.flows.into_pyarray(py), changed, elasticities), told.to_string(), drawn(picture)?))
}
