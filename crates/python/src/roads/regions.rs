//! A network as several worlds.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::Demonstrations;
use revealed_roads::{RegionOptions, regions};
use serde_json::json;

use crate::failure::{of_columns, of_engine, of_roads};
use crate::inputs::arrays::Int;
use crate::mdp::demonstrations::{GivenPaths, PathColumns, given_paths, path_columns};
use crate::mdp::problem::Problem;
use crate::threads::run::run;

/// A region: its problem, its paths, and the number of each of its states in the whole network.
type PyRegion<'py> = (Problem, PathColumns<'py>, Int<'py>);

/// Cuts a network into regions so that each path lies within one. The second answer is JSON: what was cut. Paths within no
/// region are an error, unless they are dropped. `folder` is where the regions are written.
#[pyfunction]
pub fn cut_regions<'py>(
    py: Python<'py>,
    problem: &Problem,
    paths: GivenPaths<'py>,
    count: usize,
    margin: Option<f64>,
    drop: bool,
    folder: Option<PathBuf>,
) -> PyResult<(Vec<PyRegion<'py>>, String)> {
    let (problem, paths) = (Arc::clone(&problem.0), given_paths(&paths)?);
    Demonstrations::new(&problem.mdp, &paths).map_err(of_engine)?;
    let n_paths = paths.len();
    let cut = run(py, None, move || regions(&problem, &paths, &RegionOptions { count, margin }))?.map_err(of_roads)?;
    if let (Some(first), false) = (cut.without.first(), drop) {
        return Err(PyValueError::new_err(format!(
            "{} of {n_paths} paths lie within no region with a margin of {}, the first is path {first}: give a larger margin or \
             fewer regions, or leave them out with drop=True",
            cut.without.len(),
            cut.margin
        )));
    }
    if cut.without.len() == n_paths {
        return Err(PyValueError::new_err("no path lies within a region: give a larger margin"));
    }
    let manifest = folder.map(|folder| cut.save(&folder)).transpose().map_err(of_roads)?;
    let told = json!({
        "margin": cut.margin, "paths": n_paths, "without": cut.without, "states_in_several_regions": cut.shared,
        "transitions_cut": cut.cut, "manifest": manifest.map(|file| file.display().to_string()),
    });
    let region = |one: revealed_roads::Region| {
        let problem = Problem(Arc::new(one.problem.build().map_err(of_columns)?));
        let states: Vec<i64> = one.states.iter().map(|&state| state as i64).collect();
        Ok((problem, path_columns(py, one.trips), states.into_pyarray(py)))
    };
    Ok((cut.regions.into_iter().map(region).collect::<PyResult<_>>()?, told.to_string()))
}
