//! Maps and charts.

use std::sync::Arc;

use pyo3::prelude::*;
use revealed_draw::{MapOptions, RoadMap, Values, cost_per_metre};

use super::network::Roads;
use crate::failure::of_drawing;
use crate::inputs::arrays::Floats;
use crate::threads::run::run;

/// A picture.
#[pyclass(frozen, module = "revealed._native")]
pub struct Canvas(pub Arc<revealed_draw::Canvas>);

impl Canvas {
    /// Of a picture of the engine.
    pub fn of(canvas: revealed_draw::Canvas) -> Canvas {
        Canvas(Arc::new(canvas))
    }
}

#[pymethods]
impl Canvas {
    /// The text of an SVG file.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.svg())
    }

    /// The bytes of a PNG file.
    fn png(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        py.detach(|| self.0.png()).map_err(of_drawing)
    }
}

/// A map with a colour for the value of each state.
#[pyfunction]
pub fn road_map(
    py: Python<'_>,
    roads: &Roads,
    values: Floats<'_>,
    title: String,
    label: String,
    log: bool,
) -> PyResult<Canvas> {
    let (roads, values) = (Arc::clone(&roads.roads), values.as_slice()?.to_vec());
    let drawn = run(py, Some(1), move || {
        let values = Values { title: &title, label: &label, values: &values, log, ..Values::default() };
        RoadMap::new(&roads, MapOptions::of(&roads))?.coloured(&values)
    });
    Ok(Canvas::of(drawn?.map_err(of_drawing)?))
}

/// The map of learned costs per metre.
#[pyfunction]
pub fn cost_map(py: Python<'_>, roads: &Roads, theta: Floats<'_>) -> PyResult<Canvas> {
    let (roads, theta) = (Arc::clone(&roads.roads), theta.as_slice()?.to_vec());
    let drawn = run(py, Some(1), move || {
        let values = cost_per_metre(&roads, &theta)?;
        let (title, label) = ("Cost of a metre of each road", "learned cost, nats per metre");
        let values = Values { title, label, values: &values, ..Values::default() };
        RoadMap::new(&roads, MapOptions::of(&roads))?.coloured(&values)
    });
    Ok(Canvas::of(drawn?.map_err(of_drawing)?))
}
