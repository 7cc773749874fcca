//! Samples for model-free learning, and demonstrations as features: `.jsonl`, one a line, or `.npz` for many.
//!
//! A line is `{"features": [...], "log_policy": x}`, with `log_reference`, `length` and `rollout` if they are known;
//! see [`SampleColumns`](revealed::SampleColumns) for what they mean. An npz has the same as arrays, `features` with a
//! row for each sample, and perhaps `names`. -∞, which JSON does not have, is the text `"-inf"` in a line.
//! Demonstrations need `features` alone; `weight` (in an npz: `weights`) is how much each counts: see
//! [`FeatureDemonstrations`].
//!
//! It uses only `files`. Begin with `file.rs`, which chooses by the extension; `lines.rs` is the first format and
//! `arrays.rs` the second.

mod arrays;
mod feature_demonstrations;
mod file;
mod lines;

pub use feature_demonstrations::FeatureDemonstrations;
pub use file::{load, save};
