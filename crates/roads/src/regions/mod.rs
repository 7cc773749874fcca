//! Regions: a network that is cut into smaller worlds with overlap, so that each trip lies within one.
//!
//! It uses no other module of this crate but the errors. Begin with `regions.rs`; `halves.rs` divides the plane, and
//! `part.rs` makes a world of some states.

mod halves;
mod part;
#[allow(clippy::module_inception)]
mod regions;

pub use regions::{Region, RegionOptions, Regions, regions};
