//! Every experiment of the paper by one call: raw results, figures, and a report with the paper's numbers beside ours.
//!
//! ```
//! use revealed_reproduce::{Experiment, Settings, run};
//!
//! # let folder = std::env::temp_dir().join(format!("revealed-reproduce-{}", std::process::id()));
//! let outcome = run(&[Experiment::WorkedExample], &Settings::default(), &folder, false, &revealed::Watch::none())?;
//! assert!(outcome.unfinished.is_none() && folder.join("worked-example.csv").is_file());
//! assert!(outcome.index.is_file());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), revealed_reproduce::Error>(())
//! ```
//!
//! # The rooms, in reading order
//!
//! | room | what is in it |
//! |---|---|
//! | [`statistics`] | means with intervals, quantiles, slopes, and how numbers are shown |
//! | `work` | the list of experiments, their settings, and their units of work |
//! | `folder` | the folder of results: finished work is kept at once |
//! | `report` | what is said about an experiment, and the page that says it |
//! | `experiments` | one folder for each experiment |
//! | `run` | does what is missing, and writes the report |
//! | [`public_data`] | the library on public data, beside published numbers |
//!
//! A room uses only the rooms above it. Each experiment consists of three functions: `plan` (the cases, the repeats and
//! the columns), `work` (one unit: a case, once, with a random stream of its own) and `section` (what the results
//! show). Nothing here prints: progress goes to a [`Watch`](revealed::Watch).

mod error;

pub mod statistics;
mod work;

mod folder;
mod report;

mod experiments;
mod run;

pub mod public_data;

pub use error::Error;
pub use report::{Cell, Figure, Number, Quantity, Section, Table, Verdict, plain, unknown_commands};
pub use run::{Outcome, run};
pub use work::{Experiment, PortoFiles, Settings, Tally};
