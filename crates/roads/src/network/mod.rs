//! The road network: directed segments, and the turns between them.
//!
//! This module makes a network of an OpenStreetMap extract or of an edge list. It finds roads by position, and gives
//! their names. It uses `osm`, `geometry` and `files`. Begin with [`Network`].

mod components;
mod copies;
mod directions;
mod edge_list;
mod elevation;
mod graph;
mod links;
mod parts;
mod places;
mod rules;
mod split;
mod turns;
mod way_rules;

pub use self::directions::{Leg, directions};
pub use self::edge_list::EdgeList;
pub use self::graph::{Network, NetworkOptions};
pub use self::parts::{Node, Segment, WayInfo};
pub use self::places::segments_at;
pub use self::turns::TurnCounts;
