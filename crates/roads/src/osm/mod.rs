//! The OpenStreetMap reader: `.osm.pbf`, `.osm` and `.osm.gz`.
//!
//! This module reads the roads for cars, bicycles or walkers, their nodes and the turn restrictions of a file, in two
//! passes. It uses `files`, `geometry` and `error`, and does not depend on `network`. Begin with [`Extract`].

mod element;
mod extract;
mod part;
mod passes;
mod pbf;
mod profile;
mod restriction;
mod source;
mod tags;
mod wire;
mod xml;

pub use self::extract::{Extract, OsmCounts, ReadOptions, RoadNode, RoadWay};
pub use self::profile::Profile;
pub use self::restriction::{Restriction, RuleTurn, WayRestriction};
pub use self::source::Source;
pub use self::tags::{NotForCars, Road, RoadType, usual_speed};
pub(crate) use self::tags::{lanes, road_type_of, speed};
