//! The parts of a network: nodes, segments, and the ways that segments belong to.

use crate::geometry::Position;
use crate::osm::{RoadType, usual_speed};

/// A junction, or a bend of a road.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Its id in OpenStreetMap, or in the table that it was read from.
    pub id: i64,
    /// Its position.
    pub position: Position,
    /// Whether it has traffic lights.
    pub signal: bool,
    /// Whether it is a pedestrian crossing.
    pub crossing: bool,
    /// Its elevation in metres, if it is known.
    pub elevation: Option<f64>,
}

/// A piece of road from one node to the next, in the direction in which it is driven: a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The node where it begins.
    pub from: u32,
    /// The node where it ends.
    pub to: u32,
    /// The way that it is a part of: an index into [`Network::ways`](super::Network::ways).
    pub way: u32,
    /// Its length in metres.
    pub length: f64,
}

/// What the segments of one way have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct WayInfo {
    /// Its id in OpenStreetMap.
    pub id: i64,
    /// The value of the tag `highway`.
    pub highway: String,
    /// Its type in the paper.
    pub road_type: RoadType,
    /// Lanes, if they are tagged.
    pub lanes: Option<u32>,
    /// The speed limit in km/h, if it is tagged.
    pub speed: Option<f64>,
    /// Whether it has a toll.
    pub toll: bool,
    /// Whether it is a part of a roundabout.
    pub roundabout: bool,
    /// Its name; empty if it has none.
    pub name: String,
}

impl WayInfo {
    /// The speed at which it is driven, in km/h: the limit, or the usual speed of such roads.
    pub fn driven_speed(&self) -> f64 {
        self.speed.unwrap_or_else(|| usual_speed(&self.highway))
    }
}
