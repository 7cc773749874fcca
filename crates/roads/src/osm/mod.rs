//! The OpenStreetMap reader: `.osm.pbf`, `.osm` and `.osm.gz`.
//!
//! This room reads the roads for cars, their nodes and the turn restrictions of a file, in two passes. It touches
//! files, `geometry` and `error`, and nothing of the network that is made later.
//! Begin with [`Extract`].

mod element;
mod extract;
mod part;
mod passes;
mod pbf;
mod restriction;
mod source;
mod tags;
mod wire;
mod xml;

pub use self::extract::{Extract, OsmCounts, RoadNode, RoadWay};
pub use self::restriction::{Restriction, RuleTurn};
pub use self::source::Source;
pub use self::tags::{NotForCars, Road, RoadType, usual_speed};
pub(crate) use self::tags::{lanes, road_type_of, speed};
