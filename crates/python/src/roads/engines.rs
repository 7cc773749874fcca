//! Learned costs for routing engines.

use std::path::PathBuf;

use pyo3::prelude::*;
use revealed_roads::{Engine, EngineExport, RoadCosts};

use super::network::Roads;
use crate::failure::of_roads;
use crate::inputs::arrays::Floats;
use crate::inputs::options::unknown;

/// Writes the learned costs for an engine. The answer is JSON: what is in the files, and what is lost.
#[pyfunction]
pub fn write_engine_costs(
    py: Python<'_>,
    roads: &Roads,
    theta: Floats<'_>,
    engine: &str,
    output: PathBuf,
    turns: Option<PathBuf>,
) -> PyResult<String> {
    let found = Engine::ALL.into_iter().find(|one| one.name() == engine);
    let engine = found.ok_or_else(|| unknown("to", engine, &Engine::ALL.map(Engine::name)))?;
    let (theta, network) = (theta.as_slice()?.to_vec(), &roads.roads);
    let written = py.detach(|| {
        let costs = RoadCosts::new(network, &theta)?;
        EngineExport::write(engine, &costs, &output, turns.as_deref())
    });
    Ok(written.map_err(of_roads)?.to_json().to_string())
}
