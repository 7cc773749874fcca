//! Problems: an MDP without its reward and its features, as `.json` or `.npz`.
//!
//! It uses only `files`. Begin with `problem.rs`. `columns.rs` has a problem before it is checked, and `building.rs`
//! checks it.

mod additions;
mod building;
mod columns;
mod digest;
mod layout;
mod names;
mod problem;
mod table;

pub use additions::{Addition, load_additions};
pub use columns::ProblemColumns;
pub use problem::{PROBLEM_FORMAT, Problem};
pub use table::Table;
