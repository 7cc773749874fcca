//! Several models in one table.
//!
//! It uses `models`, `nested` and `mixed`. Begin with `side_by_side.rs`; `column.rs` is what all kinds of models have.

mod column;
mod likelihood_ratio;
mod side_by_side;

pub use column::TableColumn;
pub use side_by_side::{TableStyle, side_by_side};
