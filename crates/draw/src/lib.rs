//! Charts and maps as SVG and PNG.
//!
//! Every picture is a [`Canvas`]; [`Canvas::svg`] and [`Canvas::png`] give the bytes of a file. Nothing here reads or
//! writes files, and the same input gives the same bytes on every machine.
//!
//! # The rooms, in reading order
//!
//! | room | what is in it |
//! |---|---|
//! | `canvas` | a sheet of shapes, and how it becomes SVG and PNG |
//! | `scales` | from values to positions and colours: axes, classes, colour scales, hexagonal bins |
//! | `legend` | what stands around a picture: titles, legends, colour bars |
//! | `charts` | curves, bars, a scatter plot and a diagram of states |
//! | `maps` | rewards of a grid world, and maps of a road network |
//!
//! A room uses only the rooms above it.
//!
//! ```
//! use revealed_draw::{Axis, BLUE, Curve, Interval, Marker, curves};
//!
//! let point = |x: f64, y: f64| (x, Interval { middle: y, half_width: 0.1 * y });
//! let points = vec![point(1.0, 5.0), point(10.0, 2.0), point(100.0, 1.0)];
//! let curve = Curve::new("exact", BLUE, Marker::Circle, points);
//! let chart = curves(&Axis::log("demonstrations"), &Axis::linear("error"), &[curve]);
//! assert!(chart.svg().contains("demonstrations"));
//! assert!(chart.png()?.starts_with(b"\x89PNG"));
//! # Ok::<(), revealed_draw::Error>(())
//! ```

mod error;

mod canvas;
mod scales;

mod legend;

mod charts;
mod maps;

pub use canvas::{BLUE, Canvas, Colour, GREEN, GREY, VERMILION};
pub use charts::{Bars, Curve, DiagramArrow, DiagramState, Interval, Marker, bars, curves, diagram, flow_scatter};
pub use error::Error;
pub use maps::{
    DestinationPicture, Flows, GridMap, MapOptions, NamedMap, RoadMap, TripPicture, Values, cost_per_metre, destination_map,
    evaluation_maps, flow_map, grid_maps, routes_map,
};
pub use scales::Axis;
