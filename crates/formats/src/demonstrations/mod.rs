//! Demonstrations: `.jsonl`, one a line, or `.npz` for many.
//!
//! It uses only `files`. Begin with `file.rs`, which chooses by the extension; `lines.rs` is the first format and
//! `arrays.rs` the second.

mod arrays;
mod file;
mod lines;

pub use file::{load, load_for, save};
