//! Places on the earth, and a plane to work in.
//!
//! This room holds coordinates, distances and bearings. It touches no other room. Begin with [`Position`].

mod plane;
mod position;

pub use self::plane::{Plane, nearest};
pub use self::position::Position;
