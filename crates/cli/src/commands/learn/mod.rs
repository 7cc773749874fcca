//! `revealed learn`: from a problem and demonstrations to a model file.
//!
//! To follow the code from the file to θ, read this file, then `search`, then `Problem` (crate formats), then
//! `MaxEnt::fit` and `Likelihood::evaluate` (crate revealed).

mod model_free;
pub mod search;

use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{Baseline, Method};
use revealed_formats::{Problem, demonstrations};

use self::search::{Wanted, search};
use crate::args::fitted_paths::FittedPaths;
use crate::args::inference::inference;
use crate::args::search::SearchArgs;
use crate::args::work::Work;
use crate::files::output_file::check_output;
use crate::terminal::{Failure, Output};

/// Learn the reward that explains demonstrations
#[derive(Args)]
#[command(
    override_usage = "revealed learn [OPTIONS] --output <MODEL> <PROBLEM> <DEMOS>\n       \
        revealed learn [OPTIONS] --output <MODEL> --model-free <SAMPLES> [PROBLEM] <DEMOS>",
    after_help = "Example:\n  revealed learn lake.json demos.jsonl -o model.json --bounds -10,10 --summary\n  \
        revealed learn lake.json demos.jsonl --model-free samples.npz -o model-free.json --bounds -10,10"
)]
pub struct LearnArgs {
    /// Problem file (.json or .npz); optional with --model-free
    #[arg(value_name = "PROBLEM")]
    first: PathBuf,
    /// Demonstrations (.jsonl or .npz); without a problem, their features
    #[arg(value_name = "DEMOS", required_unless_present = "model_free")]
    second: Option<PathBuf>,
    /// Where to write the model (.json)
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Which expectations are matched with the demonstrations
    #[arg(long, value_parser = inference(), default_value = "exact")]
    inference: Method,
    /// The paths of the model
    #[command(flatten)]
    paths: FittedPaths,
    /// Learn from sampled trajectories (.jsonl or .npz) instead of the problem's dynamics; the defaults of --ends and
    /// --horizon are those of the samples
    #[arg(long, value_name = "SAMPLES", conflicts_with_all = ["inference", "summary", "resume"])]
    model_free: Option<PathBuf>,
    /// Baseline policy of the samples' weights [default: reference if the samples have log_reference]
    #[arg(long, value_parser = model_free::baseline(), requires = "model_free")]
    baseline: Option<Baseline>,
    /// The search for theta
    #[command(flatten)]
    search: SearchArgs,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

impl LearnArgs {
    /// The problem, if there is one, and the demonstrations.
    fn inputs(&self) -> (Option<&Path>, &Path) {
        match &self.second {
            Some(demos) => (Some(&self.first), demos),
            None => (None, &self.first),
        }
    }
}

/// Learns and writes the model.
pub fn run(args: &LearnArgs, output: Output) -> Result<(), Failure> {
    let inputs = [Some(&args.first), args.second.as_ref(), args.model_free.as_ref()];
    check_output(&args.output, &inputs.into_iter().flatten().map(PathBuf::as_path).collect::<Vec<_>>(), "the model")?;
    let summary = args.search.summary()?;
    if let Some(samples) = &args.model_free {
        return model_free::run(args, samples, output);
    }
    let (Some(problem_file), demos_file) = args.inputs() else {
        return Err(Failure::new("give a problem and demonstrations"));
    };
    let options = args.paths.options(args.inference, &args.work);
    let problem = Problem::load(problem_file)?;
    let demos = demonstrations::load_for(&problem.mdp, demos_file)?;
    let settings = args.search.settings(args.inference, options, problem.features.n_features())?;
    let wanted = Wanted { demos: demos_file, output: &args.output, resume: args.search.resume, summary };
    search(settings, &problem, &demos, &wanted, output)
}
