//! Files on disk: how they are opened, parsed and written. What they mean is defined in the other modules.
//!
//! It uses the file system and the crates that read JSON and zip, and no other module. Begin with `fields.rs`, which
//! reads both JSON documents and npz archives; `atomic.rs` writes every file.

pub mod atomic;
pub(crate) mod column;
mod csv_cell;
mod data_array;
pub(crate) mod fields;
mod fnv;
pub(crate) mod input;
pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod npy;
pub(crate) mod npz;
mod temporary;
mod unique;

pub use csv_cell::csv_cell;
pub use data_array::{DataArray, load_data_array, save_data_array};
pub use fnv::Fnv1a;
pub use input::is_stdin;
