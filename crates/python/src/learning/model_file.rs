//! Model files.

use std::path::PathBuf;

use pyo3::prelude::*;
use revealed_formats::Model;

use crate::failure::{of_file, of_json};

/// Writes a model file from its JSON.
#[pyfunction]
pub fn save_model(py: Python<'_>, path: PathBuf, json: &str) -> PyResult<()> {
    let model: Model = of_json(serde_json::from_str(json))?;
    py.detach(|| model.save(path)).map_err(of_file)
}

/// Reads a model file, checked, as JSON.
#[pyfunction]
pub fn load_model(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let model = py.detach(|| Model::load(path)).map_err(of_file)?;
    of_json(serde_json::to_string(&model))
}
