//! The command line of likeliest paths.

use std::path::PathBuf;

use clap::Args;

use super::{Ends, Work};

/// The most states of a path.
#[derive(Clone, Copy)]
pub enum Length {
    /// This many
    Most(usize),
    /// As many as it takes
    Any,
}

/// A number of states, or `none`.
fn length(text: &str) -> Result<Length, String> {
    match text.parse() {
        Ok(most) => Ok(Length::Most(most)),
        Err(_) if text == "none" => Ok(Length::Any),
        Err(_) => Err("give a number of states, or none".to_string()),
    }
}

/// `revealed path`
#[derive(Args)]
#[command(override_usage = "revealed path [OPTIONS] --from <S> [--to <S>] <PROBLEM> <MODEL>\n       \
    revealed path [OPTIONS] --pairs <FILE> [-o <FILE>] <PROBLEM> <MODEL>")]
pub struct BestPath {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Model file
    pub model: PathBuf,
    /// The first state; or a file with a JSON array of weights over the states
    #[arg(long, value_name = "S", required_unless_present = "pairs")]
    pub from: Option<String>,
    /// The last state, or such a file [default: wherever paths of the model end]
    #[arg(long, value_name = "S")]
    pub to: Option<String>,
    /// Most states of a path, or none for any length [default: the model's]
    #[arg(long, value_name = "L", value_parser = length)]
    pub horizon: Option<Length>,
    /// Where a path may end [default: the model's]
    #[arg(long, value_enum)]
    pub ends: Option<Ends>,
    /// How many paths, the likeliest first [default: 1]
    #[arg(long, value_name = "K")]
    pub k: Option<usize>,
    /// Only paths that visit no state twice
    #[arg(long)]
    pub loopless: bool,
    /// Many queries: a file of first and last states
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to", "k", "loopless"])]
    pub pairs: Option<PathBuf>,
    /// Where to write the paths of --pairs, a JSON object a line (.jsonl)
    #[arg(short, long, value_name = "FILE", requires = "pairs", conflicts_with_all = ["from", "to", "k", "loopless"])]
    pub output: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}
