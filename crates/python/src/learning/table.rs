//! Several models side by side.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed_formats::{TableColumn, TableStyle};

/// The table of models (title and content) that have standard errors.
#[pyfunction]
pub fn side_by_side(models: Vec<(String, String)>, style: &str) -> PyResult<String> {
    let style = TableStyle::from_name(style)
        .ok_or_else(|| PyValueError::new_err(format!("style is {style:?}: it must be 'text', 'latex' or 'csv'")))?;
    let read = |(title, model): (String, String)| {
        let column = TableColumn::from_json(&title, &model).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
        column.ok_or_else(|| PyValueError::new_err(format!("{title} has no standard errors")))
    };
    let columns = models.into_iter().map(read).collect::<PyResult<Vec<_>>>()?;
    Ok(revealed_formats::side_by_side(&columns, style))
}
