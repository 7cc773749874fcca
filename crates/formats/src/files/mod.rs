//! Bytes on a disk: how files are opened, parsed and written, whatever they mean.
//!
//! It uses the file system and the crates that read JSON and zip, and no other module. Begin with `fields.rs`, which
//! reads JSON documents and npz archives alike; `atomic.rs` writes every file.

pub mod atomic;
pub(crate) mod column;
pub(crate) mod fields;
mod fnv;
pub(crate) mod input;
pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod npy;
pub(crate) mod npz;

pub use fnv::Fnv1a;
