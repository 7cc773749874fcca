//! Observed speeds, by kind of road and hour.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use revealed_roads::{ClockOptions, SlownessRow, TimedDrives, add_slowness};
use serde_json::{Value, json};

use super::network::Roads;
use crate::failure::of_roads;
use crate::threads::run::run;

/// How much longer drives take than at the usual speeds.
#[pyclass(frozen, module = "revealed._native")]
pub struct Slowness(Arc<revealed_roads::Slowness>);

#[pymethods]
impl Slowness {
    /// Estimates it from matched paths (.jsonl). The second answer is JSON: how many paths have times.
    #[staticmethod]
    fn estimate(
        py: Python<'_>,
        roads: &Roads,
        paths: PathBuf,
        clock: Option<String>,
        utc_offset: f64,
    ) -> PyResult<(Slowness, String)> {
        let roads = Arc::clone(&roads.roads);
        let done = run(py, None, move || {
            let drives = TimedDrives::read(&roads, paths, &ClockOptions { column: clock, offset: utc_offset })?;
            Ok((revealed_roads::Slowness::estimate(&drives)?, drives))
        });
        let (found, drives) = done?.map_err(of_roads)?;
        let told = json!({
            "paths": drives.paths, "without_times": drives.without_times, "without_hour": drives.without_hour,
            "left_out": drives.left_out,
        });
        Ok((Slowness(Arc::new(found)), told.to_string()))
    }

    /// Reads a table (.csv).
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Slowness> {
        Ok(Slowness(Arc::new(revealed_roads::Slowness::load(path).map_err(of_roads)?)))
    }

    /// Writes the table (.csv).
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(of_roads)
    }

    /// The rows, as a list in JSON.
    fn rows(&self) -> String {
        Value::from(self.0.rows.iter().map(SlownessRow::to_json).collect::<Vec<_>>()).to_string()
    }

    /// The network with the feature `time` in an hour, or in the mean of all.
    fn slow_down(&self, py: Python<'_>, roads: &Roads, hour: Option<usize>) -> PyResult<Roads> {
        let (slowness, roads) = (Arc::clone(&self.0), Arc::clone(&roads.roads));
        let done = run(py, Some(1), move || {
            let mut slower = (*roads).clone();
            slower.slow_down(&slowness, hour)?;
            Ok(slower)
        });
        Ok(Roads::of(done?.map_err(of_roads)?))
    }

    /// Copies matched paths (.jsonl), and adds the hour and its slowness to each.
    fn add_to(&self, paths: PathBuf, output: PathBuf, clock: Option<String>, utc_offset: f64) -> PyResult<usize> {
        add_slowness(&paths, &output, &self.0, &ClockOptions { column: clock, offset: utc_offset }).map_err(of_roads)
    }
}
