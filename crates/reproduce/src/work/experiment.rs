//! The experiments by name. A new one is a variant here and a folder in `experiments` with `plan`, `work` and
//! `section`.

use crate::error::Error;

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
    /// The model-free estimator, which the paper leaves to future work.
    ModelFree,
    /// Rewards that are learned from samples (the paper's discussion).
    ModelFreeRewards,
    /// Reference policies that know something (the paper's discussion).
    ReferencePolicy,
    /// When a stationary policy suffices (the paper's discussion).
    StationaryPolicy,
    /// Forecasts of taxi drivers' routes.
    Porto,
}

impl Experiment {
    /// All of them, in the order of the paper.
    pub const ALL: [Experiment; 10] = [
        Experiment::RewardRecovery,
        Experiment::Ziebart,
        Experiment::Padding,
        Experiment::WorkedExample,
        Experiment::Propositions,
        Experiment::ModelFree,
        Experiment::ModelFreeRewards,
        Experiment::ReferencePolicy,
        Experiment::StationaryPolicy,
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
            Experiment::ModelFreeRewards => "model-free-rewards",
            Experiment::ReferencePolicy => "reference-policy",
            Experiment::StationaryPolicy => "stationary-policy",
            Experiment::Porto => "porto",
        }
    }

    /// What it shows, as one line.
    pub fn about(self) -> &'static str {
        match self {
            Experiment::RewardRecovery => "inverse learning error against the number of demonstration paths, in three worlds",
            Experiment::Ziebart => "exact inference against Ziebart's two algorithms on FrozenLake4x4",
            Experiment::Padding => "runtime against problem size, with and without the padding trick",
            Experiment::WorkedExample => "every number of the four-state chain's tables, errata marked",
            Experiment::Propositions => "a uniform MDP on which Ziebart's expectations do not depend on the reward",
            Experiment::ModelFree => "importance sampling against the exact gradient, with and without length bias",
            Experiment::ModelFreeRewards => "rewards learned by importance sampling against rewards learned exactly",
            Experiment::ReferencePolicy => "an informative reference policy against maximum entropy as demonstrations grow",
            Experiment::StationaryPolicy => "what a stationary policy loses, in worlds from deterministic to slippery",
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
}
