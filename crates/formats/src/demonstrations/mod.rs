//! Demonstrations: `.jsonl`, one a line, or `.npz` for many.
//!
//! It uses only `files`. Begin with `file.rs`, which chooses by the extension; `lines.rs` is the first format and
//! `arrays.rs` the second; `partial.rs` has demonstrations that are seen in part, and `trips.rs` has the columns of trips in both.

mod arrays;
mod file;
mod lines;
mod partial;
mod trips;

pub use file::{load, load_for, save};
pub use lines::{of_lines, to_lines};
pub use partial::{Seen, load_partial, load_seen, partial_line, partial_of_text, save_partial};
