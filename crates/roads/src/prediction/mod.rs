//! Predictions of a model: the likeliest routes between two places, and where a trip will end.
//!
//! This module queries a learned model on one network. It uses `world`, and `matching` for trips that are recorded by
//! GPS. Begin with [`likeliest_routes`] for one query and with [`predict`] for many trips.

mod destinations;
mod end_points;
mod likeliest;
mod predict;
mod prior;
mod trace;

pub use self::destinations::posterior;
pub(crate) use self::destinations::too_expensive;
pub(crate) use self::end_points::EndPoints;
pub use self::likeliest::{LikelyRoute, LikelyRoutes, likeliest_routes, states_at};
pub use self::predict::{Predictions, predict};
pub use self::prior::{SPREAD, destination_prior};
pub use self::trace::{LikelyDestination, TraceForecast, forecast_trace};
