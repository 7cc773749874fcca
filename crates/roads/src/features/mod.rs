//! Features of segments and turns: attributes of roads that may matter to a driver.
//!
//! This module computes the features of a network, in groups that are chosen by name. It uses only `network`. Begin
//! with [`Group`].

mod group;
mod road_features;

pub use self::group::Group;
pub use self::road_features::RoadFeatures;
