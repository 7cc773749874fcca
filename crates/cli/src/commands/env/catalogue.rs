//! The environments by name: what they are, and the settings that they take.

use clap::Args;
use clap::builder::TypedValueParser;
use revealed::worlds::{self, StepFeatures, World};

use crate::args::choice::choice;
use crate::terminal::Failure;

/// The settings of some environments; --list says which.
#[derive(Args)]
#[command(next_help_heading = "Settings of some environments")]
pub struct EnvironmentSettings {
    /// Steps may slip [default of lakes]
    #[arg(long, conflicts_with = "not_slippery")]
    slippery: bool,
    /// Steps never slip [default of cliffwalking]
    #[arg(long)]
    not_slippery: bool,
    /// Rows and columns of a random lake [default: 8]
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// Probability that a cell of a random lake is frozen, not a hole [default: 0.8]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    p_frozen: Option<f64>,
    /// The same seed gives the same lake [default: 0]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// States of a chain [default: 5 of nchain, 4 of linear-chain]
    #[arg(long, value_name = "N")]
    n: Option<usize>,
    /// Probability that an action has the effect of the other one [default: 0.2]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    slip: Option<f64>,
    /// Reward of going back to the start [default: 2]
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    small: Option<f64>,
    /// Reward of staying at the end [default: 10]
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    large: Option<f64>,
    /// What the features of steps distinguish [default: state-actions]
    #[arg(long, value_parser = step_features())]
    features: Option<StepFeatures>,
}

fn step_features() -> impl TypedValueParser<Value = StepFeatures> {
    const ALL: [StepFeatures; 3] = [StepFeatures::Kinds, StepFeatures::StateActions, StepFeatures::Transitions];
    let name = |features| match features {
        StepFeatures::Kinds => "kinds",
        StepFeatures::StateActions => "state-actions",
        StepFeatures::Transitions => "transitions",
    };
    choice(&ALL, name, |features| match features {
        StepFeatures::Kinds => "One per kind of payment; theta has the value of each kind",
        StepFeatures::StateActions => "One per (state, action), as in the paper",
        StepFeatures::Transitions => "One per (state, action, next state)",
    })
}

/// An environment that `revealed env` can write.
pub struct Environment {
    /// Its name in lists and messages.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The options that it takes.
    pub options: &'static [&'static str],
    /// Its other names, in small letters and digits.
    aliases: &'static [&'static str],
    /// The versions of it in Gym and Gymnasium whose dynamics it has.
    versions: &'static [&'static str],
    make: fn(&EnvironmentSettings) -> Result<World, revealed::Error>,
}

/// Every environment, in the order in which they are listed.
pub const CATALOGUE: [Environment; 7] = [
    Environment {
        name: "frozenlake-4x4",
        about: "Gymnasium's FrozenLake-v1: 16 states, cross the ice to the goal",
        options: &["--slippery", "--not-slippery"],
        aliases: &["frozenlake"],
        versions: &["v0", "v1"],
        make: |settings| worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, settings.is_slippery(true)),
    },
    Environment {
        name: "frozenlake-8x8",
        about: "Gymnasium's FrozenLake8x8-v1: 64 states",
        options: &["--slippery", "--not-slippery"],
        aliases: &[],
        versions: &["v0", "v1"],
        make: |settings| worlds::frozen_lake(&worlds::FROZEN_LAKE_8X8, settings.is_slippery(true)),
    },
    Environment {
        name: "frozenlake-random",
        about: "FrozenLake on a random map that can be crossed",
        options: &["--size", "--p-frozen", "--seed", "--slippery", "--not-slippery"],
        aliases: &[],
        versions: &["v0", "v1"],
        make: random_lake,
    },
    Environment {
        name: "taxi",
        about: "Gymnasium's Taxi-v3 and Taxi-v4: 500 states, fetch a passenger and deliver them",
        options: &["--features"],
        aliases: &[],
        versions: &["v3", "v4"],
        make: |settings| worlds::taxi(settings.step_features()),
    },
    Environment {
        name: "nchain",
        about: "Gym's NChain-v0: a long way to a large reward, or back for a small one",
        options: &["--n", "--slip", "--small", "--large", "--features"],
        aliases: &[],
        versions: &["v0"],
        make: n_chain,
    },
    Environment {
        name: "cliffwalking",
        about: "Gymnasium's CliffWalking-v1: 48 states, walk along a cliff",
        options: &["--slippery", "--not-slippery", "--features"],
        aliases: &[],
        versions: &["v0", "v1"],
        make: |settings| worlds::cliff_walking(settings.is_slippery(false), settings.step_features()),
    },
    Environment {
        name: "linear-chain",
        about: "the chain of the paper's worked example: one action, from state to state",
        options: &["--n"],
        aliases: &[],
        versions: &[],
        make: |settings| worlds::linear_chain(settings.n.unwrap_or(4)),
    },
];

fn random_lake(settings: &EnvironmentSettings) -> Result<World, revealed::Error> {
    let (size, p_frozen) = (settings.size.unwrap_or(8), settings.p_frozen.unwrap_or(0.8));
    let map = worlds::random_lake(size, p_frozen, settings.seed.unwrap_or(0))?;
    worlds::frozen_lake(&map, settings.is_slippery(true))
}

fn n_chain(settings: &EnvironmentSettings) -> Result<World, revealed::Error> {
    let [small, large] = [settings.small.unwrap_or(2.0), settings.large.unwrap_or(10.0)];
    worlds::n_chain(settings.n.unwrap_or(5), settings.slip.unwrap_or(0.2), small, large, settings.step_features())
}

/// The world of that name, which may be written in any case, with or without hyphens and a version.
pub fn world(name: &str, settings: &EnvironmentSettings) -> Result<World, Failure> {
    let plain = plain(name);
    let Some(environment) = CATALOGUE.iter().find(|environment| environment.is_called(&plain)) else {
        let names = CATALOGUE.map(|environment| environment.name).join(", ");
        return Err(Failure::new(format!("there is no environment {name:?}: choose one of {names}")));
    };
    if let Some(option) = settings.given().find(|option| !environment.options.contains(option)) {
        let (name, options) = (environment.name, environment.options.join(", "));
        return Err(Failure::new(format!("{option} does not apply to {name}: it takes {options}")));
    }
    Ok((environment.make)(settings)?)
}

/// Small letters and digits alone.
fn plain(name: &str) -> String {
    name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect()
}

impl Environment {
    fn is_called(&self, plain_name: &str) -> bool {
        let mut names = [plain(self.name)].into_iter().chain(self.aliases.iter().map(|alias| alias.to_string()));
        names.any(|name| {
            let version = plain_name.strip_prefix(name.as_str());
            version.is_some_and(|version| version.is_empty() || self.versions.contains(&version))
        })
    }
}

impl EnvironmentSettings {
    /// The options that were given.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let options = [
            ("--slippery", self.slippery),
            ("--not-slippery", self.not_slippery),
            ("--size", self.size.is_some()),
            ("--p-frozen", self.p_frozen.is_some()),
            ("--seed", self.seed.is_some()),
            ("--n", self.n.is_some()),
            ("--slip", self.slip.is_some()),
            ("--small", self.small.is_some()),
            ("--large", self.large.is_some()),
            ("--features", self.features.is_some()),
        ];
        options.into_iter().filter(|option| option.1).map(|option| option.0)
    }

    fn is_slippery(&self, by_default: bool) -> bool {
        if by_default { !self.not_slippery } else { self.slippery }
    }

    fn step_features(&self) -> StepFeatures {
        self.features.unwrap_or(StepFeatures::StateActions)
    }
}
