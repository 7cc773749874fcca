//! The files of revealed: problems, demonstrations and models, read and written as the contract says.
//!
//! - [`Problem`]: an MDP with its features, `.json` or `.npz`; [`ProblemColumns`] is the same as plain columns,
//!   before it is checked.
//! - [`demonstrations`]: `.jsonl` or `.npz`.
//! - [`samples`]: what model-free learning reads, `.jsonl` or `.npz`.
//! - [`Model`]: what was learned, `.json`; [`load_theta`]: parameters alone.
//! - [`load_pairs`]: where from and where to, `.csv` or `.jsonl`.
//! - [`atomic`]: every file is written whole or not at all.
//!
//! Whatever is wrong with a file is an [`Error`] whose message begins with the path; no file makes a loader panic.
//!
//! ```
//! use revealed_formats::{Problem, ProblemColumns};
//!
//! let mut columns = ProblemColumns::new(2, 1, 1);
//! columns.start.push([0], 1.0);
//! columns.terminal.push(1);
//! columns.transitions.push([0, 0, 1], 1.0);
//! columns.state_features.push([1, 0], 1.0);
//!
//! let directory = tempfile::tempdir()?;
//! let (json, npz) = (directory.path().join("chain.json"), directory.path().join("chain.npz"));
//! columns.save(&json)?;
//! Problem::load(&json)?.save(&npz)?;
//! assert_eq!(Problem::load(&npz)?.digest(), Problem::load(&json)?.digest());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod additions;
pub mod atomic;
mod columns;
pub mod demonstrations;
mod digest;
mod error;
mod feature_demonstrations;
mod fields;
mod fitted;
mod input;
mod json;
mod layout;
mod model;
mod npy;
mod npz;
mod over_states;
mod pairs;
mod problem;
pub mod samples;
mod summary_notes;
mod summary_record;
mod summary_table;
mod table;
mod theta;

pub use additions::{Addition, load_additions};
pub use columns::ProblemColumns;
pub use error::{Error, Fault};
pub use feature_demonstrations::FeatureDemonstrations;
pub use fitted::warnings_in_words;
pub use model::{MODEL_FORMAT, Model, ModelFreeRecord};
pub use over_states::load_over_states;
pub use pairs::{Pair, load_pairs};
pub use problem::{PROBLEM_FORMAT, Problem};
pub use revealed::worlds::Layout;
pub use summary_notes::summary_notes;
pub use summary_record::{DirectionRecord, SummaryRecord};
pub use summary_table::summary_table;
pub use table::Table;
pub use theta::load_theta;
