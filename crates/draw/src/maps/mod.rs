//! Maps: rewards of a grid world as heat maps, and pictures of a road network, its flows, trips and destinations.
//!
//! A map takes a world or `revealed_roads::Roads` and returns a `canvas`; it may use every other room. Begin with
//! `road_map.rs`; `view.rs` maps the ground to the sheet, and `values.rs`, `flows.rs`, `trips.rs` and `destinations.rs`
//! each draw one kind of picture. `answers.rs` draws the answers of `revealed_roads`.

mod answers;
mod destinations;
mod flows;
mod grid;
mod lines;
mod margin;
mod road_map;
mod trips;
mod values;
mod view;

pub use answers::{NamedMap, destination_map, evaluation_maps, flow_map, routes_map};
pub use destinations::DestinationPicture;
pub use flows::Flows;
pub use grid::{GridMap, grid_maps};
pub use road_map::{MapOptions, RoadMap};
pub use trips::TripPicture;
pub use values::{Values, cost_per_metre};
