//! Learned costs for routing engines: OSRM, GraphHopper and Valhalla.
//!
//! An engine searches for the cheapest route. The likeliest route is the cheapest one if the cost of a segment or turn
//! is minus its reward. This module writes such costs in the form that each engine reads, as far as it can express
//! them, and reports what is lost. It uses `world`. Begin with [`RoadCosts`].

mod agreement;
mod costs;
mod export;
mod graphhopper;
mod osrm;
mod road_class;
mod valhalla;

pub use self::agreement::EngineAgreement;
pub use self::costs::RoadCosts;
pub use self::export::{Engine, EngineExport};
pub use self::graphhopper::GraphHopperModel;
pub use self::osrm::OsrmTables;
pub use self::valhalla::ValhallaOptions;
