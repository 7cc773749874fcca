//! One numpy array: a header in text, then the elements.
//!
//! It uses readers and writers of bytes, and no archive. Begin with `array.rs`, which reads; `writing.rs` writes.

mod array;
mod element_type;
mod header;
mod writing;

pub(crate) use array::{Array, Kind, Matrix};
pub(crate) use writing::{write_floats, write_integers, write_texts};
