//! Several models side by side.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed_formats::{Model, TableStyle};

use crate::failure::of_json;

/// The table of models (title and content) that have summaries.
#[pyfunction]
pub fn side_by_side(models: Vec<(String, String)>, style: &str) -> PyResult<String> {
    let style = TableStyle::from_name(style)
        .ok_or_else(|| PyValueError::new_err(format!("style is {style:?}: it must be 'text', 'latex' or 'csv'")))?;
    let read = |(title, model): (String, String)| Ok((title, of_json(serde_json::from_str::<Model>(&model))?));
    let models = models.into_iter().map(read).collect::<PyResult<Vec<_>>>()?;
    let none = |title: String| PyValueError::new_err(format!("{title} has no standard errors"));
    revealed_formats::side_by_side(&models, style).map_err(none)
}
