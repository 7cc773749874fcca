//! Predictions of a model: the likeliest routes between two places, and where a trip will end.
//!
//! This module queries a learned model on one network. It uses `world`, and `matching` for trips that are recorded by
//! GPS. Begin with [`likeliest_routes`] for one query and with [`predict`] for many trips.

mod assignment;
mod beginning;
mod changes;
mod continuations;
mod destination_model;
mod destinations;
mod distances;
mod end_points;
mod exponents;
mod in_order;
mod likeliest;
mod middle;
mod predict;
mod prefix;
mod prior;
mod trace;

pub use self::assignment::{AssignedFlows, ChangedFlows, Demand};
pub use self::changes::on_all_copies;
pub(crate) use self::continuations::{Continuations, log_ratio, over_copies, route_sums};
pub use self::destination_model::{DestinationLearning, DestinationModel};
pub use self::destinations::posterior;
pub use self::distances::Distances;
pub use self::exponents::Exponents;
pub(crate) use self::in_order::in_order;
pub use self::likeliest::{LikelyRoute, LikelyRoutes, different_routes, likeliest_routes, states_at};
pub(crate) use self::middle::middle;
pub use self::predict::{Predictions, predict};
pub(crate) use self::prefix::driven;
pub use self::prefix::prefix_length;
pub use self::prior::{SPREAD, destination_prior};
pub use self::trace::{LikelyDestination, TraceForecast, forecast_trace};
