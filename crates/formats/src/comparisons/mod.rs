//! The comparison of models, for people and for programs: the record, the table, and the verdict.
//!
//! It uses `models` and `problems`, and no file. Begin with `record.rs`.

mod record;
mod table;
mod verdict;

pub use record::{ComparedRecord, ComparisonRecord, VuongRecord};
pub use table::comparison_table;
