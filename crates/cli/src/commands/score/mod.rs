//! `revealed score`: the log-likelihood of each demonstration, and its least likely steps.

mod scored;

use std::path::{Path, PathBuf};

use clap::Args;
use revealed_formats::answers::ScoredDemonstrations;
use revealed_formats::{atomic, demonstrations};

use self::scored::Scored;
pub use self::scored::probability;
use crate::args::path_set::PathSet;
use crate::args::problem::ProblemAndModel;
use crate::args::work::Work;
use crate::files::output_file::check_optional;
use crate::terminal::{Failure, Output};

/// Log-likelihood of each demonstration, and its least likely steps
#[derive(Args)]
#[command(after_help = "Example:\n  revealed score lake.json model.json demos.jsonl --worst 5 -o scores.jsonl")]
pub struct ScoreArgs {
    /// The problem and the model
    #[command(flatten)]
    files: ProblemAndModel,
    /// Demonstrations (.jsonl or .npz)
    demos: PathBuf,
    /// How many of the least likely demonstrations to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    worst: usize,
    /// Where to write every step of every demonstration, a JSON object a line (.jsonl)
    #[arg(short, long, value_name = "SCORES")]
    output: Option<PathBuf>,
    /// Which paths
    #[command(flatten)]
    path_set: PathSet,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Scores and prints.
pub fn run(args: &ScoreArgs, output: Output) -> Result<(), Failure> {
    let inputs: Vec<&Path> = args.files.inputs().into_iter().chain([args.demos.as_path()]).collect();
    check_optional(args.output.as_deref(), &inputs, "the scores", "jsonl")?;
    let (problem, model) = args.files.load_any()?;
    let paths = args.path_set.asked(&problem, &model, &args.work)?;
    let demos = demonstrations::load_for(&problem.mdp, &args.demos)?;
    let answers = paths.scores(&demos, &args.work.of_engine())?;
    let scores = ScoredDemonstrations { mdp: &problem.mdp, demos: &demos, answers: &answers };
    let scored = Scored { problem: &problem, scores, chance: paths.chance() };
    if let Some(file) = &args.output {
        atomic::write(file, |writer| (0..demos.len()).try_for_each(|index| writeln!(writer, "{}", scores.every_step(index))))?;
    }
    let horizon = paths.horizon();
    let mut words = scored.words(horizon, paths.ends(), args.worst);
    if let Some(file) = &args.output {
        words += &format!("every step is written to {}\n", file.display());
    }
    output.print(&words, &scores.json(horizon, paths.ends()))
}
