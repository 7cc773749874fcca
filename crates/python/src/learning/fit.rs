//! The search for θ.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::{Chance, Ends, Horizon, MaxEnt, RouteChoice, Step, Stopped, Watch};
use revealed_formats::{LuckRecord, Model};

use crate::failure::{of_engine, of_json};
use crate::inputs::arrays::{Float, Floats, optional};
use crate::inputs::options::{PathOptions, bounds, method};
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::progress::{Callback, Listener, SearchStep, call_with_step};
use crate::threads::run::run_watched;

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

/// Learns θ. `callback` is called after iterations, at most once in the given number of seconds, with (iteration,
/// evaluations, theta, objective, gradient norm). It ends the search by returning True. An exception in the callback,
/// like Ctrl-C, also ends the search, and is raised again.
#[pyfunction]
pub fn fit<'py>(
    py: Python<'py>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    settings: FitSettings<'py>,
    callback: Callback,
    every: f64,
) -> PyResult<Fitted<'py>> {
    let (search, mut listener) = (settings.of_engine()?, Listener::new(callback.is_some(), every));
    let (problem, demos) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0));
    let fitted = run_watched(
        py,
        settings.options.threads,
        move |reporter| {
            let (mdp, features) = (&problem.mdp, &problem.features);
            let mut hear = |step: &Step<'_>| listener.hear(reporter, step);
            let fit = search.fit_watched(mdp, features, &demos, &Watch::new(&mut hear))?;
            let model = Model::of_fit(&fit, &search, &problem, &demos);
            let any_route = (Horizon::Any, Ends::Goal, Chance::Tilted);
            let routes = (fit.horizon, fit.ends, fit.method.chance()) == any_route && fit.stop != Stopped::Interrupted;
            let lengths = match routes {
                true => Some(RouteChoice::new(mdp, features, &demos, &search.options.work)?.lengths(&fit.theta)?),
                false => None,
            };
            Ok((fit, model, lengths.filter(|lengths| lengths.goes_in_circles())))
        },
        |py, step: SearchStep| call_with_step(py, &callback, step),
    );
    let (fit, model, circles) = fitted?.map_err(of_engine)?;
    let null_directions = fit.null_directions.iter().map(ToString::to_string).collect();
    let luck = model.luck.as_ref().filter(|luck| !luck.is_negligible()).map(LuckRecord::words);
    let circles = circles.map(|lengths| format!("{lengths}; add a feature that counts states or turns"));
    Ok((fit.theta.into_pyarray(py), of_json(serde_json::to_string(&model))?, null_directions, circles, luck))
}
