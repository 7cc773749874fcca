//! Places on the earth, and a plane to work in.
//!
//! This module has coordinates, distances and bearings. It uses no other module. Begin with [`Position`].

mod map_extent;
mod plane;
mod position;

pub use self::map_extent::MapExtent;
pub use self::plane::{Plane, nearest};
pub use self::position::Position;
