//! From OpenStreetMap and GPS trips to a world, demonstrations, and forecasts of what drivers do.
//!
//! | step | what does it |
//! |---|---|
//! | a map becomes a network | [`Extract`] or [`EdgeList`], [`Network`], [`Roads`] |
//! | trips become paths | [`Trips`], [`matching::Matcher`] |
//! | paths are divided | [`split()`] |
//! | routes are forecast and judged | [`predict`], [`baselines`], [`Metrics`], [`Evaluation`] |
//! | destinations are forecast and judged | [`prediction`] |
//! | others look at it | [`Roads::export`](Roads::export) |
//! | without any data | [`city()`] |
//!
//! ```
//! use revealed_roads::{CityOptions, city};
//!
//! let city = city(&CityOptions { blocks: 12, ..CityOptions::default() })?;
//! let trips = city.trips(10, 1)?;
//! assert!(trips.iter().all(|trip| trip.states.iter().all(|&state| state < city.roads.n_states())));
//! # Ok::<(), revealed_roads::Error>(())
//! ```

pub mod baselines;
pub mod chains;
pub mod city;
mod directions;
pub mod edges;
mod error;
mod evaluation;
pub mod export;
pub mod features;
mod geometry;
pub mod matching;
pub mod network;
mod normal;
pub mod osm;
mod own_features;
mod places;
pub mod prediction;
mod roads;
mod source;
mod split;
mod summary;
mod table;
mod tags;
pub mod trips;

pub use baselines::{Predictions, predict};
pub use chains::Chains;
pub use city::{Agreement, City, CityOptions, TraceOptions, city, trace, write_trips_csv};
pub use directions::{Leg, directions};
pub use edges::EdgeList;
pub use error::{Error, Fault};
pub use evaluation::{Comparison, Evaluation, Metrics, Score};
pub use features::{Group, RoadFeatures};
pub use geometry::{Plane, Position, nearest};
pub use matching::{Area, MatchOptions, Matched, Matcher, Reason, Tally, match_all};
pub use network::{Network, NetworkOptions};
pub use osm::Extract;
pub use own_features::{OwnFeatures, OwnFeaturesRead};
pub use places::segments_at;
pub use roads::Roads;
pub use source::Source;
pub use split::{Split, split};
pub use summary::{Summary, median_rank};
pub use tags::{Road, RoadType, usual_speed};
pub use trips::{Fix, Trip, Trips};
