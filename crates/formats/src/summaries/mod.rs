//! The summary of a fit, for people: the table of estimates, and the notes that go with it.
//!
//! It uses `models`, and no file. Begin with `table.rs`.

mod notes;
mod side_by_side;
pub(crate) mod table;

pub use notes::summary_notes;
pub use side_by_side::{TableStyle, side_by_side};
pub use table::summary_table;
