//! Charts that can be read at column width: curves with intervals, groups of bars, a scatter plot of flows, and a
//! diagram of states.
//!
//! A chart takes numbers and returns a `canvas`; it touches `scales` and `legend` and knows nothing of roads. Begin
//! with `curves.rs`; `plot.rs` has the axes and the legend that curves and bars share.

mod bars;
mod curves;
mod diagram;
mod flow_scatter;
mod interval;
mod plot;

pub use bars::{Bars, bars};
pub use curves::{Curve, curves};
pub use diagram::{DiagramArrow, DiagramState, diagram};
pub use flow_scatter::flow_scatter;
pub use interval::Interval;
pub use plot::Marker;

/// The width of a chart. At 8.5 cm, a column of a journal, 16 units are 8 points.
pub(crate) const WIDTH: f64 = 480.0;
/// The size of the text in a chart.
pub(crate) const LABEL: u32 = 16;
