//! A small city that does not exist, with drivers whose preferences are known.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed_roads::{CityOptions, TraceOptions, city, traces, write_trips_csv};

use super::network::Roads;
use crate::failure::of_roads;
use crate::inputs::arrays::Float;
use crate::mdp::demonstrations::{PathColumns, path_columns};
use crate::threads::run::run;

/// The city, and its drivers.
#[pyclass(frozen, module = "revealed._native")]
pub struct City(Arc<revealed_roads::City>);

#[pymethods]
impl City {
    /// Makes it up.
    #[new]
    fn new(py: Python<'_>, size: usize, seed: u64) -> PyResult<City> {
        let options = CityOptions { seed, blocks: size, ..CityOptions::default() };
        Ok(City(Arc::new(run(py, None, move || city(&options))?.map_err(of_roads)?)))
    }

    /// The map, as the text of an .osm file.
    fn osm_xml(&self) -> &str {
        self.0.osm_xml()
    }

    /// The network that the drivers know.
    fn roads(&self) -> Roads {
        Roads::of(self.0.roads.clone())
    }

    /// What they prefer: the reward for a unit of each feature.
    #[getter]
    fn theta<'py>(&self, py: Python<'py>) -> Float<'py> {
        self.0.theta.clone().into_pyarray(py)
    }

    /// The most states of a trip.
    #[getter]
    fn horizon(&self) -> usize {
        self.0.horizon
    }

    /// The paths of some trips.
    fn trips<'py>(&self, py: Python<'py>, n: usize, seed: u64) -> PyResult<PathColumns<'py>> {
        let city = Arc::clone(&self.0);
        Ok(path_columns(py, run(py, None, move || city.trips(n, seed))?.map_err(of_roads)?))
    }

    /// Writes GPS trips as the taxis of Porto have them.
    fn write_trips(&self, py: Python<'_>, path: PathBuf, n: usize, seed: u64) -> PyResult<()> {
        let city = Arc::clone(&self.0);
        let written = run(py, None, move || {
            let trips = city.trips(n, seed)?;
            write_trips_csv(path, &traces(&city.roads, &trips, &TraceOptions::default(), seed))
        });
        written?.map_err(of_roads)
    }
}
