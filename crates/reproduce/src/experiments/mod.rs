//! The experiments of the paper, each in a folder of its own with `plan`, `work` and `section`.
//!
//! They may use every room but `run`, and not each other; `expert.rs` and `lake.rs` are shared, and
//! `quantities.rs` lists what several of them measure. Begin with
//! `propositions/`, the shortest; a new experiment is a folder, a variant of `Experiment`, and a line in each function
//! below.

mod expert;
mod lake;
mod model_free;
mod model_free_rewards;
mod padding;
mod porto;
mod propositions;
mod quantities;
mod reference_policy;
mod reward_recovery;
mod stationary_policy;
mod worked_example;
mod ziebart;

use std::path::Path;

use crate::error::Error;
use crate::folder::Results;
use crate::report::Section;
use crate::work::{Context, Experiment, Plan, Recipe, Row, Settings, Unit};

impl Experiment {
    /// The units of work for these settings.
    pub(crate) fn plan(self, settings: &Settings) -> Plan {
        match self {
            Experiment::RewardRecovery => reward_recovery::plan(settings),
            Experiment::Ziebart => ziebart::plan(settings),
            Experiment::Padding => padding::plan(settings),
            Experiment::WorkedExample => worked_example::plan(),
            Experiment::Propositions => propositions::plan(settings),
            Experiment::ModelFree => model_free::plan(settings),
            Experiment::ModelFreeRewards => model_free_rewards::plan(settings),
            Experiment::ReferencePolicy => reference_policy::plan(settings),
            Experiment::StationaryPolicy => stationary_policy::plan(settings),
            Experiment::Porto => porto::plan(settings),
        }
    }

    /// The file that it needs and that does not exist, and the remedy. Only `porto` needs files.
    pub fn missing(self, settings: &Settings) -> Option<String> {
        match self {
            Experiment::Porto => settings.porto.missing(),
            _ => None,
        }
    }

    /// Removes the files that it keeps in the folder besides its results.
    pub(crate) fn forget(self, folder: &Path) -> Result<(), Error> {
        match self {
            Experiment::Porto => porto::forget(folder),
            _ => Ok(()),
        }
    }

    /// Runs one unit.
    pub(crate) fn work(self, unit: &Unit, context: &Context<'_, '_>) -> Result<Vec<Row>, Error> {
        let rows = match self {
            Experiment::RewardRecovery => reward_recovery::work(unit),
            Experiment::Ziebart => ziebart::work(unit),
            Experiment::Padding => padding::work(unit),
            Experiment::WorkedExample => worked_example::work(),
            Experiment::Propositions => propositions::work(unit),
            Experiment::ModelFree => model_free::work(unit),
            Experiment::ModelFreeRewards => model_free_rewards::work(unit),
            Experiment::ReferencePolicy => reference_policy::work(unit),
            Experiment::StationaryPolicy => stationary_policy::work(unit),
            Experiment::Porto => return porto::work(unit, context),
        };
        rows.map_err(|cause| Error::Engine { experiment: self.name(), cause })
    }

    /// The section of the report on these results. `folder` has the other files that the experiment kept.
    pub(crate) fn section(self, recipe: &Recipe, results: &Results, folder: &Path) -> Result<Section, Error> {
        let section = match self {
            Experiment::RewardRecovery => reward_recovery::section(recipe, results),
            Experiment::Ziebart => ziebart::section(recipe, results),
            Experiment::Padding => padding::section(recipe, results),
            Experiment::WorkedExample => worked_example::section(results),
            Experiment::Propositions => propositions::section(recipe, results),
            Experiment::ModelFree => model_free::section(recipe, results),
            Experiment::ModelFreeRewards => model_free_rewards::section(recipe, results),
            Experiment::ReferencePolicy => reference_policy::section(recipe, results),
            Experiment::StationaryPolicy => stationary_policy::section(recipe, results),
            Experiment::Porto => porto::section(recipe, results, folder),
        };
        section.map(|section| quantities::declare(section, self, recipe))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `reward-recovery` with 50 paths and `ziebart` have the same settings: on the same data set, the same error and
    /// the same log-likelihood. Their means differ because their data sets differ.
    #[test]
    fn the_lake_with_50_paths_is_the_same_in_two_experiments() {
        for seed in 0..3 {
            let of = |case: &str| Unit { case: case.to_string(), repeat: 1, seed };
            let [one] = &reward_recovery::work(&of("FrozenLake4x4/50")).unwrap()[..] else { panic!("one row") };
            let other = &ziebart::work(&of("many")).unwrap()[0];
            // The inverse learning error on both scales, and the log-likelihood.
            for (here, there) in [(5, 4), (7, 5), (9, 6)] {
                assert_eq!(one.cells[here], other.cells[there], "seed {seed}");
            }
        }
    }
}
