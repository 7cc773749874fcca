//! From values to positions and colours: axes with ticks, classes with round edges, colour scales, hexagonal bins.
//!
//! Of the other rooms it touches only the types of a point and of a colour. Begin with `axis.rs`; maps begin with
//! `classes.rs`.

mod axis;
mod classes;
mod colours;
mod hexagons;

pub use axis::Axis;
pub(crate) use axis::{Scale, round_step};
pub(crate) use classes::{Classes, short};
pub(crate) use colours::{BASE, diverging, sequential};
pub(crate) use hexagons::Hexagons;
