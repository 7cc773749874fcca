//! The command line of `destinations` and `lengths`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::{Ends, Work};

/// `revealed destinations`
#[derive(Args)]
#[command(group(ArgGroup::new("path").required(true).multiple(true).args(["prefix", "follow"])))]
pub struct Destinations {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Model file
    pub model: PathBuf,
    /// The path so far: states and actions in turns, as in 0,2,1
    #[arg(long, value_name = "S,A,S")]
    pub prefix: Option<String>,
    /// What is known of the destination: model, uniform, or a file with a JSON array of weights over states [default: model; for
    /// models with ends = goal, uniform]
    #[arg(long, value_name = "PRIOR")]
    pub prior: Option<String>,
    /// Only the N likeliest destinations [default: 20 in words, 5 with --follow, all with --json]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Read the path from stdin as it grows and print the ranking after each line: a state first (unless --prefix begins the path), then
    /// `action state`. With --json, one object a line
    #[arg(long)]
    pub follow: bool,
    /// Where a path may end [default: the model's]
    #[arg(long, value_enum)]
    pub ends: Option<Ends>,
    /// Most states of a path [default: the model's]
    #[arg(long, value_name = "L")]
    pub horizon: Option<usize>,
    /// Threads to use; all cores by default. Any number gives the same bits
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// `revealed lengths`
#[derive(Args)]
pub struct Lengths {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Model file
    pub model: PathBuf,
    /// The first state, or a file with a JSON array of weights over states [default: the problem's start]
    #[arg(long, value_name = "S|FILE", conflicts_with = "prefix")]
    pub from: Option<String>,
    /// The path so far: states and actions in turns, as in 0,2,1
    #[arg(long, value_name = "S,A,S")]
    pub prefix: Option<String>,
    /// The last state, of those paths alone that end there
    #[arg(long, value_name = "S")]
    pub to: Option<usize>,
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
