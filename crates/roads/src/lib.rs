//! From OpenStreetMap and GPS trips to a world and demonstrations.

pub mod chains;
pub mod city;
mod directions;
pub mod edges;
mod error;
pub mod export;
pub mod features;
mod geometry;
pub mod network;
pub mod osm;
mod own_features;
mod places;
mod roads;
mod table;
mod tags;

pub use chains::Chains;
pub use city::{Agreement, City, CityOptions, TraceOptions, city, trace, write_trips_csv};
pub use directions::{Leg, directions};
pub use edges::EdgeList;
pub use error::{Error, Fault};
pub use features::{Group, RoadFeatures};
pub use geometry::{Plane, Position, nearest};
pub use network::{Network, NetworkOptions};
pub use osm::Extract;
pub use own_features::{OwnFeatures, OwnFeaturesRead};
pub use places::segments_at;
pub use roads::Roads;
pub use tags::{Road, RoadType, usual_speed};
