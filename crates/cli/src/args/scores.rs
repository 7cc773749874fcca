//! The command line of scores and of cross-validation.

use std::path::PathBuf;

use clap::Args;

use super::{Ends, Work};

/// `revealed score`
#[derive(Args)]
pub struct Score {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Model file
    pub model: PathBuf,
    /// Demonstrations (.jsonl or .npz)
    pub demos: PathBuf,
    /// How many of the least likely demonstrations to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub worst: usize,
    /// Where to write every step of every demonstration, a JSON object a line (.jsonl)
    #[arg(short, long, value_name = "SCORES")]
    pub output: Option<PathBuf>,
    /// Where a path may end [default: the model's]
    #[arg(long, value_enum)]
    pub ends: Option<Ends>,
    /// Most states of a path [default: the model's]
    #[arg(long, value_name = "L")]
    pub horizon: Option<usize>,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}

/// `revealed cross-validate`
#[derive(Args)]
pub struct CrossValidate {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Demonstrations (.jsonl or .npz)
    pub demos: PathBuf,
    /// How many folds; as many as there are demonstrations is leave-one-out
    #[arg(long, value_name = "K", default_value_t = 5)]
    pub folds: usize,
    /// The same seed gives the same folds
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Penalties to compare: X/2 times the squared length of theta is subtracted from the mean log-likelihood
    #[arg(long, value_name = "X,X,...", value_delimiter = ',', default_value = "0", allow_hyphen_values = true)]
    pub l2: Vec<f64>,
    /// Bounds of every weight, such as -10,10 or -inf,0; or a file with a JSON array of [lo, hi] per feature
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true)]
    pub bounds: Option<String>,
    /// Where a path may end
    #[arg(long, value_enum, default_value = "anywhere")]
    pub ends: Ends,
    /// Most states of a path [default: the longest of all demonstrations]
    #[arg(long, value_name = "L")]
    pub horizon: Option<usize>,
    /// Keep demonstrations that are the same path in one fold: one that was seen flatters the model
    #[arg(long)]
    pub group_identical: bool,
    /// Give up a fit after this many iterations
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_iterations: usize,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}
