//! How a run is followed and stopped.

use std::path::Path;

use super::experiment::Experiment;
use super::settings::Settings;

/// How a caller follows a run, and how it stops one. Both functions are called from any thread.
#[derive(Clone, Copy)]
pub struct RunWatch<'a> {
    /// Hears of each event.
    pub tell: &'a (dyn Fn(Event) + Sync),
    /// Answers whether to stop after the current units.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// What happens in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// An experiment starts.
    Begun {
        /// Which.
        experiment: Experiment,
        /// Its units of work.
        units: usize,
        /// Units that an earlier run finished.
        kept: usize,
    },
    /// Another unit is finished.
    Progress {
        /// Of which experiment.
        experiment: Experiment,
        /// Finished units, including those of earlier runs.
        finished: usize,
        /// All units.
        units: usize,
    },
    /// Progress within a long unit.
    Stage {
        /// Of which experiment.
        experiment: Experiment,
        /// The name of the stage.
        stage: &'static str,
        /// How much of it is done.
        done: usize,
        /// How much there is to do; 0 if that is not known.
        all: usize,
    },
    /// An experiment ends, finished or interrupted.
    Ended(Tally),
}

/// What a unit may use besides its own case.
pub(crate) struct Context<'a> {
    pub settings: &'a Settings,
    /// The folder of results.
    pub folder: &'a Path,
    pub watch: &'a RunWatch<'a>,
}

/// What was done of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Which experiment.
    pub experiment: Experiment,
    /// Its units of work.
    pub units: usize,
    /// Units that an earlier run finished.
    pub kept: usize,
    /// Units that this run finished.
    pub done: usize,
    /// The time that this run took for them, in seconds.
    pub seconds: f64,
}
