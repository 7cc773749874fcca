//! What a unit of work may use, and how much of an experiment is done.

use std::path::Path;

use revealed::Watch;

use super::experiment::Experiment;
use super::settings::Settings;

/// What a unit may use besides its own case.
pub(crate) struct Context<'a, 'w> {
    pub settings: &'a Settings,
    /// The folder of results.
    pub folder: &'a Path,
    pub watch: &'a Watch<'w>,
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
