//! From OpenStreetMap and GPS trips to a world and demonstrations.

mod error;
pub mod features;
mod geometry;
pub mod network;
pub mod osm;
mod roads;
mod tags;

pub use error::{Error, Fault};
pub use features::{Group, RoadFeatures};
pub use geometry::{Plane, Position, nearest};
pub use network::{Network, NetworkOptions};
pub use osm::Extract;
pub use roads::Roads;
pub use tags::{Road, RoadType, usual_speed};
