//! The command line of `revealed policy`.

use std::path::PathBuf;

use clap::Args;

use super::Asked;

/// `revealed policy`
#[derive(Args)]
pub struct PathPolicy {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Model file
    pub model: PathBuf,
    /// Print what is done at this time, from 1, and nothing else
    #[arg(long, value_name = "T", conflicts_with_all = ["discount", "rollouts", "output"])]
    pub t: Option<usize>,
    /// Discount of the values and of planning [default: the problem's]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    pub discount: Option<f64>,
    /// Execute the policies in so many episodes, too
    #[arg(long, value_name = "N")]
    pub rollouts: Option<usize>,
    /// The same seed gives the same episodes
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub seed: u64,
    /// Where to write the stationary projection, as `plan -o` writes policies (.json)
    #[arg(short, long, value_name = "POLICY")]
    pub output: Option<PathBuf>,
    /// Which paths
    #[command(flatten)]
    pub asked: Asked,
}
