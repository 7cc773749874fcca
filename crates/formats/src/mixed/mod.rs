//! A mixed recursive logit, as a file has it and as a table.
//!
//! It uses `files` and `summaries`. Begin with `record.rs`.

mod record;
mod table;

pub use record::{MIXED_FORMAT, MixedRecord, RandomRecord};
pub use table::mixed_table;
