//! The command line.

mod destinations;
mod path;
mod paths;
mod planning;
mod policy;
pub mod roads;
mod scores;
mod search;
mod summary;

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

pub use self::destinations::{Destinations, Lengths};
pub use self::path::{BestPath, Length};
pub use self::paths::{Asked, Marginals, Sample};
pub use self::planning::{Evaluate, Plan, Policy, Rollouts};
pub use self::policy::PathPolicy;
pub use self::scores::{CrossValidate, Score};
pub use self::search::Search;
pub use self::summary::Summary;

/// Given what somebody did, what were they after?
///
/// Exact maximum-entropy inverse reinforcement learning. `revealed demo` shows it without any input.
#[derive(Parser)]
#[command(name = "revealed", version, about, long_about, arg_required_else_help = true)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
    /// Print exactly one JSON object to stdout
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Show the whole thing on FrozenLake: sample, learn, compare
    #[command(after_help = "Example:\n  revealed demo --out demo")]
    Demo(Demo),
    /// Learn the reward that demonstrations reveal
    #[command(after_help = "Example:\n  revealed learn lake.json demos.jsonl -o model.json --bounds -10,10 --summary\n  \
        revealed learn lake.json demos.jsonl --model-free samples.npz -o model-free.json --bounds -10,10")]
    Learn(Learn),
    /// Standard errors of a learned model, and what the data cannot tell
    #[command(after_help = "Example:\n  revealed summary lake.json model.json demos.jsonl")]
    Summary(Summary),
    /// Log-likelihood of demonstrations and its gradient
    #[command(after_help = "Example:\n  revealed likelihood lake.json demos.jsonl --model model.json --json")]
    Likelihood(Likelihood),
    /// Where paths are at time t, or how often they visit each state
    #[command(after_help = "Example:\n  revealed marginals lake.json model.json --t 5\n  \
        revealed marginals lake.json model.json --from 4 --to 15")]
    Marginals(Marginals),
    /// The likeliest paths from one state to another
    #[command(after_help = "Example:\n  revealed path lake.json model.json --from 0 --to 15\n  \
        revealed path lake.json model.json --from 0 --to 15 --horizon 40 --k 3 --loopless --json\n  \
        revealed path lake.json model.json --pairs pairs.csv -o routes.jsonl")]
    Path(BestPath),
    /// Draw paths from a model, exactly
    #[command(after_help = "Example:\n  revealed sample lake.json model.json -n 100 --seed 1 -o paths.jsonl\n  \
        revealed sample lake.json model.json -n 100 --prefix 0,2,1 --to 15 -o to-the-goal.jsonl")]
    Sample(Sample),
    /// What a model does at each time, and what a stationary policy would lose
    #[command(
        after_help = "Example:\n  revealed policy lake.json model.json --discount 0.99 --rollouts 1000 -o policy.json\n  \
        revealed policy lake.json model.json --t 3"
    )]
    Policy(PathPolicy),
    /// Where a path that was begun will end, for every destination at once
    #[command(after_help = "Example:\n  revealed destinations lake.json model.json --prefix 0,1,4,1,8\n  \
        revealed destinations lake.json model.json --prefix 0 --follow")]
    Destinations(Destinations),
    /// How long paths are: from a start, to a destination, after a prefix
    #[command(after_help = "Example:\n  revealed lengths lake.json model.json --from 0 --to 15")]
    Lengths(Lengths),
    /// Roll out a policy and write features and probabilities, for learn --model-free
    #[command(after_help = "Example:\n  revealed samples lake.json -n 10000 --seed 1 --prefixes --longest 20 -o samples.npz")]
    Samples(Samples),
    /// What states are worth under a known reward, and what is best to do
    #[command(after_help = "Example:\n  revealed plan lake.json --discount 0.99 -o policy.json")]
    Plan(Plan),
    /// Episodes of an optimal, uniform or Boltzmann policy, as demonstrations
    #[command(after_help = "Example:\n  revealed rollouts lake.json -n 50 --seed 1 --discount 0.99 -o episodes.jsonl")]
    Rollouts(Rollouts),
    /// How good a learned reward is, where the true one is known
    #[command(after_help = "Example:\n  revealed evaluate lake.json model.json --discount 0.99 --demos demos.jsonl")]
    Evaluate(Evaluate),
    /// How likely each demonstration is, and where it surprises the model most
    #[command(after_help = "Example:\n  revealed score lake.json model.json demos.jsonl --worst 5 -o scores.jsonl")]
    Score(Score),
    /// What learning is worth on demonstrations that it has not seen
    #[command(after_help = "Example:\n  revealed cross-validate lake.json demos.jsonl --folds 5 --l2 0.001,0.01,0.1")]
    CrossValidate(CrossValidate),
    /// Write a known environment as a problem file
    #[command(after_help = "Example:\n  revealed env --list\n  revealed env frozenlake-4x4 -o lake.json")]
    Env(Env),
    /// Say in words what is in a problem, and everything that is wrong with it
    #[command(after_help = "Example:\n  revealed check lake.json demos.jsonl")]
    Check(Check),
    /// Road networks and GPS trips: from a map and trips to forecasts of what drivers do
    #[command(
        subcommand,
        after_help = "Example:\n  revealed roads city -o city.osm --trips trips.csv\n  \
            revealed roads import city.osm -o city.npz --features type,time,signals,turns\n  \
            revealed roads match city.npz trips.csv -o paths.jsonl --shortest 60\n  \
            revealed roads learn city.npz paths.jsonl -o taxi.json --held-out test.jsonl --train train.jsonl\n  \
            revealed roads evaluate city.npz taxi.json test.jsonl --train train.jsonl"
    )]
    Roads(roads::Roads),
    /// Run the paper's experiments and show its numbers beside ours
    #[command(after_help = "Example:\n  revealed reproduce worked-example --out results")]
    Reproduce(Reproduce),
}

/// Where a path may end.
#[derive(Clone, Copy, ValueEnum)]
pub enum Ends {
    /// Every length 1..L, ending in any state (the paper)
    Anywhere,
    /// Exactly L states, or fewer if a terminal state ends it
    Horizon,
    /// In a terminal state within L
    Terminal,
    /// From each demonstration's own first state to its own last state, within L
    Goal,
}

impl From<Ends> for revealed::Ends {
    fn from(ends: Ends) -> Self {
        match ends {
            Ends::Anywhere => revealed::Ends::Anywhere,
            Ends::Horizon => revealed::Ends::Horizon,
            Ends::Terminal => revealed::Ends::Terminal,
            Ends::Goal => revealed::Ends::Goal,
        }
    }
}

/// Which expectations are matched with the demonstrations.
#[derive(Clone, Copy, ValueEnum)]
pub enum Inference {
    /// The exact ones of the MaxEnt model (the paper)
    Exact,
    /// Ziebart et al. 2008, Algorithm 1, as printed; a baseline
    Ziebart2008,
    /// Its revision of 2010, as printed; a baseline
    Ziebart2010,
    /// Maximum causal entropy (Ziebart 2010), another model; ends is horizon
    Causal,
    /// Exact, for paths of any length between each demonstration's own ends (recursive logit); ends is goal
    RecursiveLogit,
}

impl From<Inference> for revealed::Method {
    fn from(inference: Inference) -> Self {
        match inference {
            Inference::Exact => revealed::Method::Exact,
            Inference::Ziebart2008 => revealed::Method::Ziebart2008,
            Inference::Ziebart2010 => revealed::Method::Ziebart2010,
            Inference::Causal => revealed::Method::CausalEntropy,
            Inference::RecursiveLogit => revealed::Method::RecursiveLogit,
        }
    }
}

/// How the work is done; the result does not depend on it.
#[derive(Args)]
pub struct Work {
    /// Threads to use; all cores by default. Any number gives the same bits
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Memory for the working arrays, such as 250M or 2G; by default a quarter of what is free, at most 2G
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::parse)]
    pub memory: Option<usize>,
}

/// `revealed learn`
#[derive(Args)]
#[command(override_usage = "revealed learn [OPTIONS] --output <MODEL> <PROBLEM> <DEMOS>\n       \
    revealed learn [OPTIONS] --output <MODEL> --model-free <SAMPLES> [PROBLEM] <DEMOS>")]
pub struct Learn {
    /// Problem file (.json or .npz); with --model-free it may be left out
    #[arg(value_name = "PROBLEM")]
    pub first: PathBuf,
    /// Demonstrations (.jsonl or .npz); without a problem, their features
    #[arg(value_name = "DEMOS", required_unless_present = "model_free")]
    pub second: Option<PathBuf>,
    /// Where to write the model (.json)
    #[arg(short, long, value_name = "MODEL")]
    pub output: PathBuf,
    /// Which expectations are matched with the demonstrations
    #[arg(long, value_enum, default_value = "exact")]
    pub inference: Inference,
    /// Where a path may end [default: anywhere; with --inference causal, horizon, and with recursive-logit, goal; with --model-free, what the samples are]
    #[arg(long, value_enum)]
    pub ends: Option<Ends>,
    /// Most states of a path [default: the longest demonstration; with --model-free, sample]
    #[arg(long, value_name = "L")]
    pub horizon: Option<usize>,
    /// Learn from sampled trajectories (.jsonl or .npz) instead of the problem's dynamics
    #[arg(long, value_name = "SAMPLES", conflicts_with_all = ["inference", "summary", "resume"])]
    pub model_free: Option<PathBuf>,
    /// Baseline policy of the samples' weights [default: reference if the samples have log_reference]
    #[arg(long, value_enum, requires = "model_free")]
    pub baseline: Option<Baseline>,
    /// How theta is searched for
    #[command(flatten)]
    pub search: Search,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}

impl Learn {
    /// The problem, where there is one, and the demonstrations.
    pub fn inputs(&self) -> (Option<&Path>, &Path) {
        match &self.second {
            Some(demos) => (Some(&self.first), demos),
            None => (None, &self.first),
        }
    }
}

/// What stands for the baseline policy in a sample's weight.
#[derive(Clone, Copy, ValueEnum)]
pub enum Baseline {
    /// Its probability, log_reference: Relative Entropy IRL
    Reference,
    /// 1: maximum entropy
    One,
}

impl From<Baseline> for revealed::Baseline {
    fn from(baseline: Baseline) -> Self {
        match baseline {
            Baseline::Reference => revealed::Baseline::Reference,
            Baseline::One => revealed::Baseline::One,
        }
    }
}

/// The policy of rollouts.
#[derive(Clone, Copy, ValueEnum)]
pub enum RolloutPolicy {
    /// Every action that a state offers with the same probability
    Uniform,
    /// The problem's reference policy
    Reference,
}

/// `revealed samples`
#[derive(Args)]
pub struct Samples {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// How many rollouts
    #[arg(short, value_name = "N", default_value_t = 10_000)]
    pub n: usize,
    /// The same seed gives the same rollouts
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub seed: u64,
    /// Where to write the samples (.jsonl or .npz)
    #[arg(short, long, value_name = "SAMPLES")]
    pub output: PathBuf,
    /// Each prefix of a rollout is a sample: for --ends anywhere. Otherwise each rollout is one: for --ends horizon
    #[arg(long)]
    pub prefixes: bool,
    /// Most states of a rollout: the horizon of the model
    #[arg(long, value_name = "L", default_value_t = 20)]
    pub longest: usize,
    /// What acts
    #[arg(long, value_enum, default_value = "uniform")]
    pub policy: RolloutPolicy,
}

/// `revealed likelihood`
#[derive(Args)]
#[command(group(ArgGroup::new("parameters").required(true).args(["theta", "model"])))]
pub struct Likelihood {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Demonstrations (.jsonl or .npz)
    pub demos: PathBuf,
    /// theta as a JSON array
    #[arg(long, value_name = "FILE")]
    pub theta: Option<PathBuf>,
    /// A model file; its ends and horizon hold unless they are given
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Where a path may end [default: the model's, or anywhere]
    #[arg(long, value_enum)]
    pub ends: Option<Ends>,
    /// Most states of a path [default: the model's, or the longest demonstration]
    #[arg(long, value_name = "L")]
    pub horizon: Option<usize>,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}

/// `revealed env`
#[derive(Args)]
pub struct Env {
    /// An environment of --list; any case, with or without a version, such as Taxi-v3
    #[arg(required_unless_present = "list")]
    pub name: Option<String>,
    /// Where to write the problem (.json or .npz)
    #[arg(short, long, value_name = "PROBLEM", required_unless_present = "list")]
    pub output: Option<PathBuf>,
    /// List the environments, what they are and the options that they take
    #[arg(long, conflicts_with_all = ["name", "output", "discount", "Settings"])]
    pub list: bool,
    /// Discount of the problem
    #[arg(long, value_name = "G", default_value_t = 1.0, allow_negative_numbers = true)]
    pub discount: f64,
    /// What some environments can be told
    #[command(flatten)]
    pub settings: Settings,
}

/// What some environments can be told; --list says which.
#[derive(Args)]
#[command(next_help_heading = "Settings of some environments")]
pub struct Settings {
    /// Steps may go astray [default of lakes]
    #[arg(long, conflicts_with = "not_slippery")]
    pub slippery: bool,
    /// Every step goes where it is meant to [default of cliffwalking]
    #[arg(long)]
    pub not_slippery: bool,
    /// Rows and columns of a random lake [default: 8]
    #[arg(long, value_name = "N")]
    pub size: Option<usize>,
    /// Probability that a cell of a random lake is frozen, not a hole [default: 0.8]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub p_frozen: Option<f64>,
    /// The same seed gives the same lake [default: 0]
    #[arg(long, value_name = "K")]
    pub seed: Option<u64>,
    /// States of a chain [default: 5 of nchain, 4 of linear-chain]
    #[arg(long, value_name = "N")]
    pub n: Option<usize>,
    /// Probability that an action does what the other one would [default: 0.2]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub slip: Option<f64>,
    /// What going back to the start pays [default: 2]
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub small: Option<f64>,
    /// What staying at the end pays [default: 10]
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub large: Option<f64>,
    /// What the features of steps tell apart [default: state-actions]
    #[arg(long, value_enum)]
    pub features: Option<StepFeatures>,
}

/// The features of an environment that pays for steps.
#[derive(Clone, Copy, ValueEnum)]
pub enum StepFeatures {
    /// One per kind of payment: few, and theta is the price list
    Kinds,
    /// One per (state, action), as in the paper
    StateActions,
    /// One per (state, action, next state)
    Transitions,
}

/// `revealed check`
#[derive(Args)]
pub struct Check {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Demonstrations (.jsonl or .npz)
    pub demos: Option<PathBuf>,
}

/// `revealed demo`
#[derive(Args)]
pub struct Demo {
    /// Folder for the problem, demonstration and model files
    #[arg(long, value_name = "DIR", default_value = "revealed-demo")]
    pub out: PathBuf,
    /// Seed of the demonstrations
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub seed: u64,
    /// Number of demonstrations
    #[arg(short, value_name = "N", default_value_t = 50)]
    pub n: usize,
}

/// `revealed reproduce`
#[derive(Args)]
pub struct Reproduce {
    /// The experiments [default: all of them]; an unknown name lists them
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Repeats of each case [default: the paper's number]
    #[arg(long, value_name = "N")]
    pub repeats: Option<usize>,
    /// The same seed gives the same CSV files, timings aside
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Folder for results, figures and index.html; finished work in it is not done again
    #[arg(long, value_name = "DIR", default_value = "revealed-reproduce")]
    pub out: PathBuf,
    /// Fewer repeats and cases: everything in under a minute
    #[arg(long)]
    pub quick: bool,
    /// Replace what DIR has of these experiments
    #[arg(long)]
    pub fresh: bool,
    /// GPS trips for porto, as the UCI's taxi data has them [default: ../shared/data/porto_trips/porto_trips_17084.csv.gz]
    #[arg(long, value_name = "FILE")]
    pub trips: Option<PathBuf>,
    /// OpenStreetMap for porto [default: ../shared/data/porto_osm/porto_2022-11.osm.gz]
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Threads to use; all cores by default. Any number gives the same CSV files; what is timed runs alone
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}
