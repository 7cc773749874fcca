//! Demonstrations that are seen in part, checked against their problem.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed_formats::demonstrations::{load_partial, partial_line, partial_of_text, save_partial};

use super::problem::Problem;
use crate::failure::{of_engine, of_file};

/// Demonstrations that are seen in part.
#[pyclass(frozen, module = "revealed._native")]
pub struct PartialDemonstrations(pub Arc<revealed::PartialDemonstrations>);

#[pymethods]
impl PartialDemonstrations {
    /// From lines as files have them.
    #[new]
    fn new(py: Python<'_>, problem: &Problem, lines: Vec<String>) -> PyResult<Self> {
        let mdp = &problem.0.mdp;
        let found = py.detach(|| Ok::<_, PyErr>(revealed::PartialDemonstrations::new(mdp, &paths(&lines)?)))?;
        Ok(PartialDemonstrations(Arc::new(found.map_err(of_engine)?)))
    }

    /// The lines of a file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
        if revealed_formats::is_stdin(&path) {
            return Err(PyValueError::new_err("path is '-': stdin is not read here, give a file, or './-'"));
        }
        let paths = py.detach(|| load_partial(path)).map_err(of_file)?;
        Ok(paths.iter().map(|path| partial_line(path).to_string()).collect())
    }

    /// Writes lines to a file.
    #[staticmethod]
    fn write(py: Python<'_>, path: PathBuf, lines: Vec<String>) -> PyResult<()> {
        let paths = paths(&lines)?;
        py.detach(|| save_partial(&paths, path)).map_err(of_file)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

fn paths(lines: &[String]) -> PyResult<Vec<revealed::PartialTrajectory>> {
    let path = |(index, line): (usize, &String)| {
        partial_of_text(line).map_err(|fault| PyValueError::new_err(format!("demonstration {index}: {fault}")))
    };
    lines.iter().enumerate().map(path).collect()
}
