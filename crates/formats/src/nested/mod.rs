//! A nested or discounted recursive logit, as a file has it and as a table.
//!
//! It uses `files` and `summaries`. Begin with `record.rs`.

mod record;
mod table;

pub use record::{NESTED_FORMAT, NestedRecord};
pub use table::nested_table;
