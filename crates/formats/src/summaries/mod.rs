//! The summary of a fit, for people: the table of estimates, and the notes that go with it.
//!
//! It uses `models`, and no file. Begin with `table.rs`.

pub(crate) mod estimates;
mod notes;
pub(crate) mod table;

pub use notes::summary_notes;
pub use table::summary_table;
