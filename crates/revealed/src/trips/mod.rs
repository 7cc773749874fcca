//! Features that depend on the trip: products of features with columns of the demonstrations, and the link size.
//!
//! It uses `model` and the modules before it. Begin with `trip_world.rs`; `layer.rs` is one copy of the world, and
//! `terms.rs` says which features are added.

mod layer;
mod terms;
mod trip_world;

pub use terms::TripTerms;
pub use trip_world::TripWorld;
