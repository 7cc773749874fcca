//! `--history`: features of the last states of a path, and of the step that follows.

use std::path::PathBuf;

use clap::Args;
use revealed::{Demonstrations, Ends, Windows};
use revealed_formats::{HistoryRecord, LearnedHistory, Problem};

use super::work::Work;
use crate::terminal::Failure;

/// Windows with indicators, or those of a table.
#[derive(Args)]
pub struct HistoryArgs {
    /// Add an indicator of each step after each window of 1, 2, …, K states that occurs in the demonstrations
    #[arg(long, value_name = "K")]
    pub history: Option<usize>,
    /// How much stronger --l2 pulls indicators of windows that are one state longer
    #[arg(long, value_name = "X", default_value_t = DEFAULT_SHRINKAGE, requires = "history")]
    pub history_shrinkage: f64,
    /// A table of windows instead (.json): the last states, action and next state, feature, value
    #[arg(long, value_name = "FILE", conflicts_with = "history")]
    pub history_table: Option<PathBuf>,
}

/// What cross-validation on the labyrinth prefers (`revealed bench labyrinth`).
const DEFAULT_SHRINKAGE: f64 = 3.0;

impl HistoryArgs {
    /// Whether there is a history.
    pub fn is_given(&self) -> bool {
        self.history.is_some() || self.history_table.is_some()
    }

    /// The product of a problem with its histories, if one is asked for.
    pub fn product(
        &self,
        problem: &Problem,
        demos: &Demonstrations,
        ends: Ends,
        work: &Work,
    ) -> Result<Option<LearnedHistory>, Failure> {
        let (windows, shrinkage): (Windows, Option<f64>) = match (self.history, &self.history_table) {
            (Some(order), _) => {
                let shrinkage = self.history_shrinkage;
                (Windows::indicators(&problem.mdp, demos, order, shrinkage)?, Some(shrinkage))
            }
            (None, Some(file)) => {
                let record = HistoryRecord::load(file)?;
                (record.windows(&problem.mdp).map_err(|error| Failure::in_file(file, error))?, None)
            }
            (None, None) => return Ok(None),
        };
        Ok(Some(LearnedHistory::new(problem, demos, &windows, shrinkage, (ends, &work.of_engine()))?))
    }
}
