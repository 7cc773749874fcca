//! Tables with a line in each row, as Python takes them.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyList;
use revealed_roads::export::{Column, Parts, Table};

use crate::inputs::arrays::{Float, Int};

/// Longitudes, latitudes, where each part of a line begins, and where the parts of each line begin.
pub type LineColumns<'py> = (Float<'py>, Float<'py>, Int<'py>, Int<'py>);
/// The names of the columns, their values (None where they are not known), and the lines.
pub type PyTable<'py> = (Vec<String>, Vec<Bound<'py, PyList>>, LineColumns<'py>);

/// A table.
pub fn table_of<'py>(py: Python<'py>, table: Table<'_>) -> PyResult<PyTable<'py>> {
    let (names, columns): (Vec<String>, Vec<Column<'_>>) = table.columns.into_iter().unzip();
    let list = |column: Column<'_>| match column {
        Column::Integers(values) => PyList::new(py, values),
        Column::Floats(values) => PyList::new(py, values),
        Column::Texts(values) => PyList::new(py, values.iter().map(|value| value.as_deref())),
        Column::Truths(values) => PyList::new(py, values),
    };
    Ok((names, columns.into_iter().map(list).collect::<PyResult<_>>()?, lines_of(py, &table.lines)))
}

/// Lines as flat columns.
pub fn lines_of<'py>(py: Python<'py>, lines: &[Parts]) -> LineColumns<'py> {
    let points: Vec<[f64; 2]> = lines.iter().flatten().flatten().copied().collect();
    let (mut parts, mut rows) = (vec![0_i64], vec![0_i64]);
    for line in lines {
        for part in line {
            parts.push(parts.last().copied().unwrap_or(0) + part.len() as i64);
        }
        rows.push(parts.len() as i64 - 1);
    }
    let axis = |at: usize| points.iter().map(|point| point[at]).collect::<Vec<f64>>().into_pyarray(py);
    (axis(0), axis(1), parts.into_pyarray(py), rows.into_pyarray(py))
}
