//! The files of revealed: problems, demonstrations, samples and models, read, checked and written.
//!
//! - [`Problem`]: an MDP with its features, `.json` or `.npz`; [`ProblemColumns`] is the same as plain columns,
//!   before it is checked.
//! - [`demonstrations`]: `.jsonl` or `.npz`.
//! - [`samples`]: what model-free learning reads, `.jsonl` or `.npz`.
//! - [`Model`]: a learned model, `.json`; [`load_theta`]: parameters alone.
//! - [`NestedRecord`] and [`MixedRecord`]: what was learned with other recursive logits, `.json`. [`TableColumn`] reads
//!   them and models, and [`side_by_side`] prints them in one table.
//! - [`ScenarioRecord`]: a changed world, `.json`; [`counterfactual`] compares it with the model's.
//! - [`load_manifest`]: worlds with their demonstrations, `.jsonl`; [`question_line`] and [`answer_line`] are what
//!   processes that hold them say to each other.
//! - [`load_pairs`]: origins and destinations, `.csv` or `.jsonl`.
//! - [`answers`]: questions and answers in JSON; [`answers::Session`] for those who can only pass texts.
//! - [`atomic`]: every file is written whole or not at all.
//!
//! A file that is missing, damaged or wrong is an [`Error`], and its message begins with the path. No file makes a
//! loader panic.
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

mod error;
mod files;

mod problems;

pub mod demonstrations;
pub mod samples;

mod parts;
mod questions;

mod models;
mod summaries;

mod comparisons;
mod counterfactuals;
mod mixed;
mod nested;

mod tables;

pub mod answers;

pub use comparisons::{ComparedRecord, ComparisonRecord, VuongRecord, comparison_table};
pub use counterfactuals::{
    CounterfactualRecord, CounterfactualRequest, ElasticityRecord, FeatureChange, MeasuredRecord, OtherOutcomes, OutcomeRecord,
    RatioRecord, RewardChange, SCENARIO_FORMAT, ScenarioRecord, TripRecord, counterfactual, counterfactual_table,
};
pub use demonstrations::Seen;
pub use error::{Error, Fault};
pub use files::{DataArray, Fnv1a, atomic, csv_cell, is_stdin, load_data_array, save_data_array};
pub use mixed::{MIXED_FORMAT, MixedRecord, RandomRecord, mixed_table};
pub use models::{
    AskedDestinations, AskedModel, DirectionRecord, HistoryRecord, LearnedHistory, LuckRecord, MODEL_FORMAT, Model,
    ModelEvaluation, ModelFreeRecord, ModelLikelihood, SummaryRecord, WindowColumns, WorldRecord, load_theta, warning_texts,
};
pub use nested::{NESTED_FORMAT, NestedRecord, nested_table};
pub use parts::{WorldFiles, answer_line, answer_of_line, load_manifest, question_line, question_of_line, save_manifest};
pub use problems::{Addition, PROBLEM_FORMAT, Problem, ProblemColumns, Table, load_additions};
pub use questions::{Pair, load_over_states, load_pairs};
pub use revealed::worlds::Layout;
pub use samples::FeatureDemonstrations;
pub use summaries::{summary_notes, summary_table};
pub use tables::{TableColumn, TableStyle, side_by_side};
