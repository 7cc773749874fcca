//! The command line of questions about the paths of a model.

use std::path::PathBuf;

use clap::Args;

use super::{Ends, Work};

/// Which paths are asked about.
#[derive(Args)]
pub struct Asked {
    /// Where paths begin: a state, or a file with a JSON array of a weight for each [default: the problem's start]
    #[arg(long, value_name = "S|FILE")]
    pub from: Option<String>,
    /// The state where paths end; a model with ends goal needs it
    #[arg(long, value_name = "S")]
    pub to: Option<usize>,
    /// Another name of --to
    #[arg(long, value_name = "S", conflicts_with = "to")]
    pub goal: Option<usize>,
    /// Most states of a path [default: the model's]
    #[arg(long, value_name = "L")]
    pub horizon: Option<usize>,
    /// Where a path may end [default: the model's]
    #[arg(long, value_enum)]
    pub ends: Option<Ends>,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}

/// `revealed marginals`
#[derive(Args)]
pub struct Marginals {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Model file
    pub model: PathBuf,
    /// The time, from 1; without it, the discounted sum over all times
    #[arg(long, value_name = "T")]
    pub t: Option<usize>,
    /// Which paths
    #[command(flatten)]
    pub asked: Asked,
}

/// `revealed sample`
#[derive(Args)]
pub struct Sample {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Model file
    pub model: PathBuf,
    /// How many paths
    #[arg(short, value_name = "N", default_value_t = 100)]
    pub n: usize,
    /// The same seed gives the same paths
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub seed: u64,
    /// Where to write them (.jsonl or .npz)
    #[arg(short, long, value_name = "DEMOS")]
    pub output: PathBuf,
    /// How paths begin: states and actions in turns, such as 0,2,1
    #[arg(long, value_name = "s,a,s", conflicts_with = "from")]
    pub prefix: Option<String>,
    /// Which paths
    #[command(flatten)]
    pub asked: Asked,
}
