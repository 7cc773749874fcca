//! Answers of a model as JSON: what the command line prints with `--json`, and what a page asks the engine behind it.
//!
//! One module for each kind of question. [`Session`] takes a question and gives its answer, so that a program that can
//! only pass texts (a page, a server) reaches everything. It uses `problems`, `demonstrations` and `models`.
//! Begin with `question.rs` and `session.rs`.

mod compared;
mod destinations;
mod fit;
mod learning;
mod lengths;
mod paths;
mod policy;
mod question;
mod scored;
mod session;
mod visits;
mod world;

pub use destinations::RankedDestinations;
pub use lengths::lengths_json;
pub use paths::{log_probability, log_total, paths_json};
pub use policy::policy_json;
pub use question::Question;
pub use scored::{MeanScore, ScoredDemonstrations};
pub use session::Session;
pub use visits::visits_json;

use revealed::{Ends, Horizon};
use serde_json::{Value, json};

/// The horizon in JSON: a number, or `"any"`.
pub fn horizon_json(horizon: Horizon) -> Value {
    match horizon {
        Horizon::AtMost(states) => json!(states),
        Horizon::Any => json!("any"),
    }
}

/// The path set in JSON.
pub fn path_set_json(horizon: Horizon, ends: Ends) -> Value {
    json!({ "horizon": horizon_json(horizon), "ends": ends.name() })
}
