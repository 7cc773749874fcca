//! From a map or an edge list, and tables of what else is known, to a network with features.
//!
//! This module reads OpenStreetMap (`osm`) or an edge list (`network`), elevations, observed speeds (`speeds`) and
//! features of users (`world`), in the order in which they build on each other. Begin with [`Import`].

mod plan;

pub use self::plan::{Import, Imported};
