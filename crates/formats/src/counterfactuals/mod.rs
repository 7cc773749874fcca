//! Counterfactuals as the interfaces ask for them: scenario files, requests, records of the answers, and tables.
//!
//! It uses `models`, `summaries` and `problems`. Begin with `request.rs`; `answer.rs` does the work.

mod answer;
mod names;
mod notes;
mod record;
mod request;
mod scenario;
mod table;

pub use answer::counterfactual;
pub use record::{CounterfactualRecord, ElasticityRecord, MeasuredRecord, OutcomeRecord, RatioRecord};
pub use request::{CounterfactualRequest, TripRecord};
pub use scenario::{FeatureChange, OtherOutcomes, RewardChange, SCENARIO_FORMAT, ScenarioRecord};
pub use table::counterfactual_table;
