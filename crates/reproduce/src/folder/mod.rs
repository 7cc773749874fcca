//! The folder of results: what is finished is kept at once, and is never mixed with results of other settings.
//!
//! It touches `work`, and knows neither the experiments nor the report. Begin with `store.rs`, which lists the files;
//! `journal.rs` keeps units while an experiment runs, and `results.rs` reads the tables back.

mod journal;
mod results;
mod store;

pub(crate) use journal::{FinishedUnits, Journal};
pub(crate) use results::{Record, Results};
pub(crate) use store::{Standing, Store};
