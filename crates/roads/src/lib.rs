//! From OpenStreetMap and GPS trips to a world, demonstrations, and forecasts of what drivers do.
//!
//! The modules of this crate, in reading order. Each may use only those above it, and a test checks this.
//!
//! | module | what it is for | begin with |
//! |---|---|---|
//! | [`statistics`](mod@statistics) | medians with their intervals, normal random numbers | [`Summary`] |
//! | [`geometry`](mod@geometry) | places on the earth, and a plane to work in | [`Position`] |
//! | `files` | names of files, and tables in CSV | |
//! | [`osm`] | the OpenStreetMap reader | [`Extract`] |
//! | [`network`] | directed segments, and the turns between them | [`Network`], [`EdgeList`] |
//! | [`features`] | features of segments and turns | [`Group`] |
//! | [`world`] | a network as a problem, its file, its export | [`Roads`], [`Chains`] |
//! | [`engines`] | learned costs for OSRM, GraphHopper and Valhalla | [`RoadCosts`] |
//! | [`trips`] | readers of GPS trips | [`Trips`] |
//! | [`matching`] | map matching: hidden Markov model and particle filter | [`Matcher`] |
//! | [`speeds`] | observed speeds, by kind of road and hour | [`Slowness`] |
//! | [`import`] | from maps and tables to a network with features | [`Import`] |
//! | [`prediction`] | likeliest routes, and destinations | [`predict`], [`likeliest_routes`], [`posterior`] |
//! | [`judging`] | training and test sets, metrics, baselines, tables | [`split()`], [`evaluate`] |
//! | [`city`](mod@city) | a made-up city with known preferences | [`city()`] |
//! | [`regions`](mod@regions) | a network as several worlds with overlap | [`regions()`] |
//!
//! ```
//! use revealed_roads::{CityOptions, city};
//!
//! let city = city(&CityOptions { blocks: 12, ..CityOptions::default() })?;
//! let trips = city.trips(10, 1)?;
//! assert!(trips.iter().all(|trip| trip.states.iter().all(|&state| state < city.roads.n_states())));
//! # Ok::<(), revealed_roads::Error>(())
//! ```

mod error;

pub mod statistics;

pub mod geometry;

mod files;

pub mod osm;

pub mod network;

pub mod features;

pub mod world;

pub mod engines;

pub mod trips;

pub mod matching;

pub mod speeds;

pub mod import;

pub mod prediction;

pub mod judging;

pub mod city;

pub mod regions;

pub use city::{Agreement, City, CityOptions, TraceOptions, Traced, city, trace, traces, write_trips_csv};
pub use engines::{Engine, EngineAgreement, EngineExport, GraphHopperModel, OsrmTables, RoadCosts, ValhallaOptions};
pub use error::{Error, Fault};
pub use features::{Group, RoadFeatures};
pub use geometry::{MapExtent, Plane, Position, nearest};
pub use import::{Import, Imported};
pub use judging::{
    Baseline, Comparison, DestinationEvaluation, DestinationOptions, DestinationScore, EvaluateOptions, Evaluated, Evaluation,
    Forecaster, Judge, Judged, Metrics, SEEN, Score, Split, baselines, evaluate, evaluate_destinations, long_enough, split,
    visits, visits_of_all,
};
pub use matching::{Area, MatchOptions, MatchOutputs, Matched, Matcher, Reason, Tally, match_all, match_files};
pub use network::{EdgeList, Leg, Network, NetworkOptions, directions, segments_at};
pub use osm::{Extract, Profile, ReadOptions, Road, RoadType, Source, usual_speed};
pub use prediction::{
    AssignedFlows, ChangedFlows, Demand, DestinationLearning, DestinationModel, Distances, Exponents, LikelyDestination,
    LikelyRoute, LikelyRoutes, Predictions, SPREAD, TraceForecast, destination_prior, different_routes, forecast_trace,
    likeliest_routes, on_all_copies, posterior, predict, prefix_length, states_at,
};
pub use regions::{Region, RegionOptions, Regions, regions};
pub use speeds::{ClockOptions, Slowness, SlownessRow, TimedDrives, add_slowness};
pub use statistics::{Summary, median_rank};
pub use trips::{Fix, Trip, Trips};
pub use world::{Chains, OwnFeatures, OwnFeaturesRead, Roads, export};
