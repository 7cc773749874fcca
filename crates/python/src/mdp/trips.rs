//! Features that depend on the trip.

use std::sync::Arc;

use pyo3::prelude::*;
use revealed::{TripTerms, TripWorld};

use super::demonstrations::{Demonstrations, PathColumns, path_columns};
use super::problem::Problem;
use crate::failure::of_engine;
use crate::inputs::arrays::{Floats, optional};
use crate::inputs::options::within;
use crate::threads::run::run;

/// The problem with the added features, and the demonstrations in it.
#[pyfunction]
pub fn trip_world<'py>(
    py: Python<'py>,
    problem: &Problem,
    demonstrations: &Demonstrations,
    products: Vec<(usize, String)>,
    link_size: Option<Floats<'py>>,
    memory: Option<usize>,
) -> PyResult<(Problem, PathColumns<'py>)> {
    let terms = TripTerms { products, link_size: optional(&link_size)? };
    let (problem, demos, work) = (Arc::clone(&problem.0), Arc::clone(&demonstrations.0), within(memory));
    let made = run(py, Some(1), move || TripWorld::new(&problem.mdp, &problem.features, &demos, &terms, &work))?;
    let TripWorld { mdp, features, paths, .. } = made.map_err(of_engine)?;
    let made = revealed_formats::Problem { mdp, features, layout: None, true_theta: None };
    Ok((Problem(Arc::new(made)), path_columns(py, paths)))
}
