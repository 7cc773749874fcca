//! `revealed roads learn`: what drivers prefer, from matched paths.

use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{Demonstrations, Method, Trajectory};
use revealed_formats::{Problem, WorldFiles, demonstrations};
use revealed_roads::split;

use crate::args::fitted_paths::FittedPaths;
use crate::args::inference::inference;
use crate::args::search::SearchArgs;
use crate::args::work::Work;
use crate::commands::learn::search::{Wanted, search};
use crate::files::output_file::{check_apart, check_output};
use crate::files::worlds::World;
use crate::terminal::notes::note;
use crate::terminal::{Failure, Output};

/// Learn the preferences of drivers from matched paths
#[derive(Args)]
#[command(after_help = "Example:\n  \
    revealed roads learn city.npz paths.jsonl -o taxi.json --held-out test.jsonl --train train.jsonl")]
pub struct RoadsLearnArgs {
    /// The road network (.npz)
    roads: PathBuf,
    /// Matched paths (.jsonl or .npz)
    paths: PathBuf,
    /// Where to write the model (.json)
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Ignore paths of more states
    #[arg(long, value_name = "N", default_value_t = 400, alias = "longest")]
    max_states: usize,
    /// Learn from a part of the paths and write the others here (.jsonl); no route is in both
    #[arg(long, value_name = "FILE")]
    held_out: Option<PathBuf>,
    /// The share of paths that are held out
    #[arg(long, value_name = "P", default_value_t = 0.3, requires = "held_out")]
    share: f64,
    /// Where to write the paths that were learned from (.jsonl)
    #[arg(long, value_name = "FILE")]
    train: Option<PathBuf>,
    /// The same seed holds out the same paths
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Which expectations are matched with the paths: recursive-logit is the choice of a route between the ends of each
    /// trip; exact is the paper's model of whole trips
    #[arg(long, value_parser = inference(), default_value = "recursive-logit")]
    inference: Method,
    /// The paths of the model
    #[command(flatten)]
    fitted: FittedPaths,
    /// The search for theta
    #[command(flatten)]
    search: SearchArgs,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Learns and writes the model, and the paths that are held out.
pub fn run(args: &RoadsLearnArgs, output: Output) -> Result<(), Failure> {
    check_outputs(args)?;
    let options = args.fitted.options(args.inference, &args.work);
    let problem = Problem::load(&args.roads)?;
    let train = training_paths(args)?;
    let demos = Demonstrations::new(&problem.mdp, &train).map_err(|error| Failure::in_demos(error, &args.paths))?;
    let settings = args.search.settings(args.inference, options, problem.features.n_features())?;
    let summary = args.search.summary()?;
    let wanted = Wanted { output: &args.output, resume: args.search.resume, summary, engine: None, report: None };
    let files = WorldFiles { problem: args.roads.clone(), demos: args.paths.clone() };
    search(settings, &[World { problem, demos, files, history: None }], &wanted, output)
}

fn check_outputs(args: &RoadsLearnArgs) -> Result<(), Failure> {
    let inputs: [&Path; 2] = [&args.roads, &args.paths];
    check_output(&args.output, &inputs, "the model")?;
    for file in args.held_out.iter().chain(&args.train) {
        check_output(file, &inputs, "the paths")?;
    }
    check_apart(&[Some(&args.output), args.held_out.as_deref(), args.train.as_deref()])
}

/// The paths that are learned from; the others are written if a file is given.
fn training_paths(args: &RoadsLearnArgs) -> Result<Vec<Trajectory>, Failure> {
    let mut paths = demonstrations::load(&args.paths)?;
    let n_paths = paths.len();
    paths.retain(|path| path.states.len() <= args.max_states);
    if paths.len() < n_paths {
        let (ignored, most) = (n_paths - paths.len(), args.max_states);
        note(format!("{ignored} of {n_paths} paths have more than {most} states and are ignored (--max-states)"));
    }
    let train = match &args.held_out {
        None => paths,
        Some(file) => {
            let (train, test) = split(&paths, 1.0 - args.share, args.seed)?.of(&paths);
            note(format!("{} paths are learned from, {} are held out, no route is in both", train.len(), test.len()));
            demonstrations::save(&test, file)?;
            train
        }
    };
    if let Some(file) = &args.train {
        demonstrations::save(&train, file)?;
    }
    Ok(train)
}
