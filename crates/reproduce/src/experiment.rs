//! The experiments by name. A new one is a variant here and a file with `plan`, `work` and `section`.

use std::path::Path;

use crate::error::Error;
use crate::plan::{Plan, Recipe, Row, Unit};
use crate::results::Results;
use crate::run::Context;
use crate::section::Section;
use crate::{Settings, model_free, padding, porto, propositions, reward_recovery, worked_example, ziebart};

/// An experiment of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Experiment {
    /// The inverse learning error against the number of demonstration paths.
    RewardRecovery,
    /// The comparison with Ziebart's algorithms.
    Ziebart,
    /// Runtime against problem size.
    Padding,
    /// The four-state chain.
    WorkedExample,
    /// The appendix.
    Propositions,
    /// What the discussion leaves open.
    ModelFree,
    /// Forecasting what taxi drivers do.
    Porto,
}

impl Experiment {
    /// All of them, in the order of the paper.
    pub const ALL: [Experiment; 7] = [
        Experiment::RewardRecovery,
        Experiment::Ziebart,
        Experiment::Padding,
        Experiment::WorkedExample,
        Experiment::Propositions,
        Experiment::ModelFree,
        Experiment::Porto,
    ];

    /// Its name on the command line and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::RewardRecovery => "reward-recovery",
            Experiment::Ziebart => "ziebart",
            Experiment::Padding => "padding",
            Experiment::WorkedExample => "worked-example",
            Experiment::Propositions => "propositions",
            Experiment::ModelFree => "model-free",
            Experiment::Porto => "porto",
        }
    }

    /// What it shows, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Experiment::RewardRecovery => "inverse learning error against the number of demonstration paths, in three worlds",
            Experiment::Ziebart => "exact inference against Ziebart's two algorithms on FrozenLake4x4",
            Experiment::Padding => "runtime against problem size, with and without the padding trick",
            Experiment::WorkedExample => "every number of the four-state chain's tables, errata marked",
            Experiment::Propositions => "a uniform MDP on which Ziebart's expectations do not depend on the reward",
            Experiment::ModelFree => "importance sampling against the exact gradient, with and without length bias",
            Experiment::Porto => "forecasts of taxi drivers' routes and destinations, from raw GPS trips and a raw map",
        }
    }

    /// The experiment of this name.
    ///
    /// ```
    /// use revealed_reproduce::Experiment;
    /// assert_eq!(Experiment::from_name("padding").unwrap(), Experiment::Padding);
    /// assert!(Experiment::from_name("paddling").unwrap_err().to_string().contains("worked-example"));
    /// ```
    ///
    /// # Errors
    /// If there is none; the message has the names that exist.
    pub fn from_name(name: &str) -> Result<Experiment, Error> {
        let found = Experiment::ALL.into_iter().find(|experiment| experiment.name() == name);
        found.ok_or_else(|| Error::UnknownName {
            name: name.to_string(),
            known: Experiment::ALL.map(Experiment::name).join(", "),
        })
    }

    /// The units of work that these settings ask for.
    pub(crate) fn plan(self, settings: &Settings) -> Plan {
        match self {
            Experiment::RewardRecovery => reward_recovery::plan(settings),
            Experiment::Ziebart => ziebart::plan(settings),
            Experiment::Padding => padding::plan(settings),
            Experiment::WorkedExample => worked_example::plan(),
            Experiment::Propositions => propositions::plan(settings),
            Experiment::ModelFree => model_free::plan(settings),
            Experiment::Porto => porto::plan(settings),
        }
    }

    /// What it needs and does not find, in words; everything else needs nothing.
    pub fn missing(self, settings: &Settings) -> Option<String> {
        match self {
            Experiment::Porto => settings.porto.missing(),
            _ => None,
        }
    }

    /// Forgets what it keeps in the folder besides its results.
    pub(crate) fn forget(self, folder: &Path) -> Result<(), Error> {
        match self {
            Experiment::Porto => porto::forget(folder),
            _ => Ok(()),
        }
    }

    /// Does one unit.
    pub(crate) fn work(self, unit: &Unit, context: &Context<'_>) -> Result<Vec<Row>, Error> {
        let rows = match self {
            Experiment::RewardRecovery => reward_recovery::work(unit),
            Experiment::Ziebart => ziebart::work(unit),
            Experiment::Padding => padding::work(unit),
            Experiment::WorkedExample => worked_example::work(),
            Experiment::Propositions => propositions::work(unit),
            Experiment::ModelFree => model_free::work(unit),
            Experiment::Porto => return porto::work(unit, context),
        };
        rows.map_err(|cause| Error::Engine { experiment: self.name(), cause })
    }

    /// What the results say; `folder` has what else the experiment kept.
    pub(crate) fn section(self, recipe: &Recipe, results: &Results, folder: &Path) -> Result<Section, Error> {
        match self {
            Experiment::RewardRecovery => reward_recovery::section(recipe, results),
            Experiment::Ziebart => ziebart::section(recipe, results),
            Experiment::Padding => padding::section(recipe, results),
            Experiment::WorkedExample => worked_example::section(results),
            Experiment::Propositions => propositions::section(recipe, results),
            Experiment::ModelFree => model_free::section(recipe, results),
            Experiment::Porto => porto::section(recipe, results, folder),
        }
    }
}
