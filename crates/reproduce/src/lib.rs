//! Every experiment of the paper by one call: raw results, figures, and a report with the paper's numbers beside ours.
//!
//! ```
//! use revealed_reproduce::{Event, Experiment, Settings, Watch, run};
//!
//! # let folder = std::env::temp_dir().join(format!("revealed-reproduce-{}", std::process::id()));
//! let watch = Watch { tell: &|_: Event| {}, stop: &|| false };
//! let outcome = run(&[Experiment::WorkedExample], &Settings::default(), &folder, false, &watch)?;
//! assert!(outcome.unfinished.is_none() && folder.join("worked-example.csv").is_file());
//! assert!(outcome.index.is_file());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), revealed_reproduce::Error>(())
//! ```
//!
//! # How an experiment is made
//!
//! `experiment.rs` lists them. Each is a file of three functions: `plan` (which cases, how often, which columns), `work` (one unit:
//! a case, once, with a random stream of its own) and `section` (what the results say). `run.rs` does the units, `store.rs`
//! keeps what is finished, `report.rs` writes the page. Nothing here prints: see [`Watch`].

mod chain;
mod error;
mod experiment;
mod expert;
mod figure;
mod lake;
mod model_free;
mod padding;
mod plan;
mod porto;
mod propositions;
mod report;
mod results;
mod reward_recovery;
mod run;
mod section;
pub mod stats;
mod store;
mod worked_example;
mod ziebart;

pub use error::Error;
pub use experiment::Experiment;
pub use figure::Figure;
pub use porto::PortoFiles;
pub use run::{Event, Outcome, Tally, Watch, run};
pub use section::{Cell, Number, Section, Table, Verdict};

/// What a run is asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// How often each case is done; the paper's number unless set.
    pub repeats: Option<usize>,
    /// The same seed gives the same results, timings aside.
    pub seed: u64,
    /// Fewer repeats and cases, for a first look.
    pub quick: bool,
    /// Threads to use; as many as there are cores unless set. Any number gives the same results.
    pub threads: Option<usize>,
    /// The raw files of the experiment `porto`.
    pub porto: PortoFiles,
}

impl Settings {
    /// The number of repeats: as asked for, or the paper's, or so many for a first look.
    pub(crate) fn repeats(&self, paper: usize, quick: usize) -> usize {
        self.repeats.unwrap_or(if self.quick { quick } else { paper })
    }
}
