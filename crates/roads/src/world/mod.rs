//! A road network as a world to learn in: states are segments or chains of them, actions are turns.
//!
//! This module makes a problem of a network and its features, compresses it, and reads and writes it as a file. It
//! uses `network`, `features` and the file formats. Begin with [`Roads`].

mod arrays;
mod chains;
pub mod export;
mod file;
mod own_features;
mod roads;
mod turn_features;

pub use self::chains::Chains;
pub(crate) use self::export::line_feature;
pub use self::own_features::{OwnFeatures, OwnFeaturesRead};
pub use self::roads::Roads;
