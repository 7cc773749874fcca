//! The search for θ.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::{Chance, Ends, Error, Evidence, Horizon, MaxEnt, RouteChoice, RouteLengths, Step, Stopped, Watch};
use revealed_formats::{LuckRecord, Model};

use super::history::learned;
use super::parts::{News, PythonParts, World, tell};
use crate::failure::{of_engine, of_json};
use crate::inputs::arrays::{Float, Floats, optional};
use crate::inputs::options::{PathOptions, bounds, method};
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::progress::{Callback, Listener};
use crate::threads::run::{Reporter, run_watched};

/// What to learn with.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct FitSettings<'py> {
    pub options: PathOptions,
    inference: String,
    bounds: Option<(Floats<'py>, Floats<'py>)>,
    l2: f64,
    start: Option<Floats<'py>>,
    tolerance: f64,
    max_iterations: usize,
    /// Windows as a model file has them.
    pub history: Option<String>,
}

impl FitSettings<'_> {
    /// As the engine has them.
    pub fn of_engine(&self) -> PyResult<MaxEnt> {
        Ok(MaxEnt {
            method: method(&self.inference)?,
            options: self.options.of_engine()?,
            bounds: bounds(&self.bounds)?,
            l2: self.l2,
            start: optional(&self.start)?,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            ..MaxEnt::default()
        })
    }
}

/// θ, the model as its file has it, the null directions as text, and two warnings: of circles, and of luck.
type Fitted<'py> = (Float<'py>, String, Vec<String>, Option<String>, Option<String>);

/// Learns θ from one world or several. `callback` is called after iterations, at most once in the given number of
/// seconds, with (iteration, evaluations, theta, objective, gradient norm). It ends the search by returning True. An
/// exception in the callback, like Ctrl-C, also ends the search, and is raised again. If `ask` is given, parts are
/// elsewhere: it takes a question and returns their answers.
#[pyfunction]
pub fn fit<'py>(
    py: Python<'py>,
    worlds: Vec<(PyRef<'py, Problem>, PyRef<'py, Demonstrations>)>,
    settings: FitSettings<'py>,
    ask: Callback,
    callback: Callback,
    every: f64,
) -> PyResult<Fitted<'py>> {
    let (mut search, mut listener) = (settings.of_engine()?, Listener::new(callback.is_some(), every));
    let (mut worlds, elsewhere) = (owned(&worlds), ask.is_some());
    let history = learned(settings.history.as_deref(), &mut worlds, &mut search)?;
    let fitted = run_watched(
        py,
        settings.options.threads,
        move |reporter: &Reporter<News, _>| {
            let evidence: Vec<Evidence<'_>> = worlds.iter().map(World::evidence).collect();
            let mut hear = |step: &Step<'_>| listener.hear(reporter, step);
            let watch = Watch::new(&mut hear);
            let fit = match elsewhere {
                true => search.fit_parts(&mut PythonParts(reporter), &watch)?,
                false => search.fit_worlds(&evidence, &watch)?,
            };
            let pairs: Vec<_> = worlds.iter().map(|world| (&*world.problem, &*world.demos)).collect();
            let mut model = Model::of_worlds(&fit, &search, &pairs);
            if let Some(history) = &history {
                model = history.model(model);
            }
            let any_route = (Horizon::Any, Ends::Goal, Chance::Tilted);
            let routes = (fit.horizon, fit.ends, fit.method.chance()) == any_route && fit.stop != Stopped::Interrupted;
            let of_world = |world: &Evidence<'_>| {
                RouteChoice::new(world.mdp, world.features, world.demos, &search.options.work)?.lengths(&fit.theta)
            };
            let lengths = match (routes, elsewhere) {
                (true, true) => search.route_lengths(&mut PythonParts(reporter), &fit.theta)?,
                (true, false) => evidence.iter().map(of_world).collect::<Result<Vec<_>, Error>>()?,
                (false, _) => Vec::new(),
            };
            let circles = lengths.iter().position(RouteLengths::goes_in_circles);
            let place = |at: usize| if lengths.len() > 1 { format!("part {at}: ") } else { String::new() };
            let circles = circles.map(|at| format!("{}{}; add a feature that counts states or turns", place(at), lengths[at]));
            Ok((fit, model, circles))
        },
        |py, news| tell(py, &callback, &ask, news),
    );
    let (fit, model, circles) = fitted?.map_err(of_engine)?;
    let null_directions = fit.null_directions.iter().map(ToString::to_string).collect();
    let luck = model.luck.as_ref().filter(|luck| !luck.is_negligible()).map(LuckRecord::words);
    Ok((fit.theta.into_pyarray(py), of_json(serde_json::to_string(&model))?, null_directions, circles, luck))
}

/// Worlds that outlive the call.
pub fn owned(worlds: &[(PyRef<'_, Problem>, PyRef<'_, Demonstrations>)]) -> Vec<World> {
    let of = |(problem, demos): &(PyRef<'_, Problem>, PyRef<'_, Demonstrations>)| World {
        problem: Arc::clone(&problem.0),
        demos: Arc::clone(&demos.0),
    };
    worlds.iter().map(of).collect()
}
