//! Pages of models.

use std::path::PathBuf;

use pyo3::prelude::*;
use revealed::Work;
use revealed_formats::{Error, Model, atomic};
use revealed_page::{Origin, Report};

use crate::failure::{of_file, of_json};
use crate::inputs::options::within;
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;

/// Writes the page of a model (.html), and returns how many bytes it has.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn report(
    py: Python<'_>,
    problem: &Problem,
    model: &str,
    demos: Option<&Demonstrations>,
    title: String,
    path: PathBuf,
    threads: Option<usize>,
    memory: Option<usize>,
) -> PyResult<usize> {
    let model: Model = of_json(serde_json::from_str(model))?;
    let work = Work { threads, ..within(memory) };
    let written = py.detach(|| {
        atomic::check(&path)?;
        let report = Report {
            problem: &problem.0,
            model: &model,
            demos: demos.map(|demos| &*demos.0),
            roads: None,
            origin: Origin { title, ..Origin::default() },
            work,
        };
        let html = report.html().map_err(|fault| Error::new(&path, fault))?;
        atomic::write(&path, |writer| writer.write_all(html.as_bytes()))?;
        Ok(html.len())
    });
    written.map_err(of_file)
}
