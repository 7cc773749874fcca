//! `revealed sample`: exact samples of a model.

use std::path::PathBuf;

use clap::Args;
use revealed_formats::demonstrations;
use serde_json::json;

use crate::args::asked_paths::{AskedPaths, Draw};
use crate::args::problem::ProblemAndModel;
use crate::files::output_file::check_output;
use crate::terminal::{Failure, Output};

/// Draw exact samples of paths from a model
#[derive(Args)]
#[command(after_help = "Example:\n  revealed sample lake.json model.json -n 100 --seed 1 -o paths.jsonl\n  \
    revealed sample lake.json model.json -n 100 --prefix 0,2,1 --to 15 -o to-the-goal.jsonl")]
pub struct SampleArgs {
    /// The problem and the model
    #[command(flatten)]
    files: ProblemAndModel,
    /// How many paths
    #[arg(short, value_name = "N", default_value_t = 100)]
    n: usize,
    /// The same seed gives the same paths
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Draw only the first N states of each path, as for paths that may never end
    #[arg(long, value_name = "N")]
    states: Option<usize>,
    /// Where to write them (.jsonl or .npz)
    #[arg(short, long, value_name = "DEMOS")]
    output: PathBuf,
    /// The path so far: states and actions in turn, as in 0,2,1
    #[arg(long, value_name = "S,A,S", conflicts_with = "from")]
    prefix: Option<String>,
    /// Which paths
    #[command(flatten)]
    asked: AskedPaths,
}

/// Draws paths and writes them.
pub fn run(args: &SampleArgs, output: Output) -> Result<(), Failure> {
    if args.n == 0 {
        return Err(Failure::new("-n is 0: ask for at least one path"));
    }
    if args.states == Some(0) {
        return Err(Failure::new("--states is 0: ask for at least one state of each path"));
    }
    check_output(&args.output, &args.files.inputs(), "the paths")?;
    let (problem, model) = args.files.load_any()?;
    let wanted = Draw { begun: args.prefix.as_deref(), n: args.n, seed: args.seed, states: args.states };
    let sampled = args.asked.sample(&problem, &model, &wanted)?;
    demonstrations::save(&sampled, &args.output)?;
    let mean = sampled.iter().map(|path| path.states.len() as f64).sum::<f64>() / args.n as f64;
    let file = args.output.display().to_string();
    let json = json!({ "n": args.n, "mean_length": mean, "seed": args.seed, "demonstrations": file });
    let words = format!("{} paths of {mean:.2} states on average; written to {file}\n", args.n);
    output.print(&words, &json)
}
