//! The folder of results: what is finished is kept at once, and is never mixed with results of other settings.
//!
//! It touches `work`, and knows neither the experiments nor the report. Begin with `store.rs`, which lists the files;
//! `journal.rs` keeps units while an experiment runs, `results.rs` reads the tables back, and `provenance.rs` says where
//! they come from.

mod journal;
mod provenance;
mod results;
mod store;

pub(crate) use journal::{FinishedUnits, Journal};
pub(crate) use provenance::Provenance;
pub(crate) use results::{Record, Results};
pub(crate) use store::{Standing, Store};
