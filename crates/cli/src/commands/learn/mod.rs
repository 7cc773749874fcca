//! `revealed learn`: from a problem and demonstrations to a model file.
//!
//! To follow the code from the file to θ, read this file, then `search`, then `Problem` (crate formats), then
//! `MaxEnt::fit` and `Likelihood::evaluate` (crate revealed).

pub mod engine;
mod model_free;
pub mod partial;
pub mod search;

use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{Baseline, Method, Options, Starts};
use revealed_formats::{Problem, Seen, WorldFiles, demonstrations};

use self::engine::EngineArgs;
use self::partial::{SeenInPart, WantedInPart};
use self::search::{Wanted, search};
use crate::args::errors::Reported;
use crate::args::fitted_paths::FittedPaths;
use crate::args::history::HistoryArgs;
use crate::args::inference::inference;
use crate::args::search::SearchArgs;
use crate::args::work::Work;
use crate::commands::report::check_page;
use crate::files::output_file::{check_apart, check_output};
use crate::files::worlds::{self, World};
use crate::terminal::{Failure, Output};

/// Learn the reward that explains demonstrations
#[derive(Args)]
#[command(
    override_usage = "revealed learn [OPTIONS] --output <MODEL> (<PROBLEM> <DEMOS>)...\n       \
        revealed learn [OPTIONS] --output <MODEL> --manifest <WORLDS>\n       \
        revealed learn [OPTIONS] --output <MODEL> --model-free <SAMPLES> [PROBLEM] <DEMOS>",
    after_help = "Example:\n  revealed learn lake.json demos.jsonl -o model.json --bounds -10,10 --summary\n  \
        revealed learn north.json north.jsonl south.json south.jsonl -o both.json\n  \
        revealed learn lake.json demos.jsonl --model-free samples.npz -o model-free.json --bounds -10,10"
)]
pub struct LearnArgs {
    /// Problem file (.json or .npz) and its demonstrations (.jsonl or .npz). Several pairs with the same features have
    /// one theta. With --model-free, the problem is optional
    #[arg(value_name = "PROBLEM DEMOS")]
    files: Vec<PathBuf>,
    /// List of worlds (.jsonl) instead: lines {"problem": FILE, "demos": FILE}, relative to the folder of the list
    #[arg(long, value_name = "WORLDS", conflicts_with = "model_free")]
    manifest: Option<PathBuf>,
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
    /// Features of the last states of a path
    #[command(flatten)]
    history: HistoryArgs,
    /// Also write a page of the model, as `revealed report` does (.html)
    #[arg(long, value_name = "PAGE", conflicts_with = "model_free")]
    report: Option<PathBuf>,
    /// How many searches to begin, for demonstrations that are seen in part: their likelihood may have several optima
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "model_free")]
    starts: usize,
    /// The same seed gives the same starts
    #[arg(long, value_name = "SEED", default_value_t = 0, conflicts_with = "model_free")]
    seed: u64,
    /// The search for theta
    #[command(flatten)]
    search: SearchArgs,
    /// How the work is done
    #[command(flatten)]
    work: Work,
    /// Where it is done
    #[command(flatten)]
    engine: EngineArgs,
}

impl LearnArgs {
    /// The problem, if there is one, and the demonstrations, of a model that is learned from samples.
    fn inputs(&self) -> Result<(Option<&Path>, &Path), Failure> {
        match self.files.as_slice() {
            [demos] => Ok((None, demos)),
            [problem, demos] => Ok((Some(problem), demos)),
            files => {
                let message = format!(
                    "--model-free takes one problem and its demonstrations, or demonstrations alone, not {} files",
                    files.len()
                );
                Err(Failure::Usage(message))
            }
        }
    }
}

/// Whole demonstrations have one optimum.
const STARTS: &str = "--starts is for demonstrations that are seen in part: with whole ones, one search finds the optimum";

impl LearnArgs {
    /// Learns from demonstrations that are seen in part.
    fn in_part(
        &self,
        seen: &SeenInPart<'_>,
        options: Options,
        summary: Option<Reported>,
        output: Output,
    ) -> Result<(), Failure> {
        if self.search.resume {
            let message = "--resume continues a search with whole demonstrations; here they are seen in part, and no \
                           checkpoints are written";
            return Err(Failure::Usage(message.to_string()));
        }
        if self.history.is_given() {
            let message = "a history needs demonstrations that are seen whole, and here they are seen in part: leave --history \
                           out, or complete them first (`revealed complete`)";
            return Err(Failure::Usage(message.to_string()));
        }
        if self.report.is_some() {
            let message = "--report needs demonstrations that are seen whole, and here they are seen in part: learn without it, \
                           then `revealed report MODEL PROBLEM`";
            return Err(Failure::Usage(message.to_string()));
        }
        let settings = self.search.settings(self.inference, options, seen.problem.features.n_features())?;
        let starts = Starts { number: self.starts, seed: self.seed };
        partial::run(&settings, seen, &WantedInPart { output: &self.output, starts, summary }, output)
    }
}

/// Learns and writes the model.
pub fn run(args: &LearnArgs, output: Output) -> Result<(), Failure> {
    let inputs = args.files.iter().chain(&args.model_free).chain(&args.manifest);
    check_output(&args.output, &inputs.map(PathBuf::as_path).collect::<Vec<_>>(), "the model")?;
    let summary = args.search.summary()?;
    if args.history.is_given() && (args.model_free.is_some() || args.engine.engine.is_some()) {
        let what = if args.model_free.is_some() {
            "--model-free learns from features alone"
        } else {
            "--engine places worlds of files"
        };
        return Err(Failure::Usage(format!("{what}: it takes no history")));
    }
    if args.history.is_given() && summary.is_some() {
        return Err(Failure::Usage("a model with a history has no standard errors: omit --summary".to_string()));
    }
    if let Some(samples) = &args.model_free {
        if args.engine.engine.is_some() {
            return Err(Failure::Usage("--engine places worlds, and --model-free has none".to_string()));
        }
        return model_free::run(args, samples, output);
    }
    let files = worlds::files(&args.files, args.manifest.as_deref())?;
    let all = files.iter().flat_map(|world| [world.problem.as_path(), world.demos.as_path()]);
    check_output(&args.output, &all.collect::<Vec<_>>(), "the model")?;
    if let Some(page) = &args.report {
        if files.len() > 1 {
            let message = "--report shows one world: learn without it, then `revealed report` with each problem".to_string();
            return Err(Failure::Usage(message));
        }
        let inputs: Vec<&Path> = files.iter().flat_map(|world| [world.problem.as_path(), world.demos.as_path()]).collect();
        check_page(page, &inputs)?;
        check_apart(&[Some(&args.output), Some(page)])?;
    }
    let options = args.paths.options(args.inference, &args.work);
    let mut worlds = match (files.as_slice(), args.engine.engine.is_none() && args.manifest.is_none()) {
        ([one], true) => {
            let WorldFiles { problem: problem_file, demos: file } = one.clone();
            let problem = Problem::load(&problem_file)?;
            match demonstrations::load_seen(&problem.mdp, &file)? {
                Seen::Whole(demos) => vec![World { problem, demos, files: one.clone(), history: None }],
                Seen::Partial(demos) => {
                    let seen = SeenInPart { problem: &problem, demos: &demos, file: &file };
                    return args.in_part(&seen, options, summary, output);
                }
            }
        }
        _ => files.into_iter().map(World::load).collect::<Result<Vec<World>, Failure>>()?,
    };
    if args.starts != 1 {
        return Err(Failure::Usage(STARTS.to_string()));
    }
    if args.history.is_given() {
        let (Some(world), true) = (worlds.pop(), worlds.is_empty()) else {
            return Err(Failure::new("a history needs one world: give one PROBLEM and its DEMOS"));
        };
        let product = args.history.product(&world.problem, &world.demos, options.ends, &args.work)?;
        worlds.push(world.with_history(product));
    }
    let n_features = worlds.first().map_or(0, |world| world.problem.features.n_features());
    let mut settings = args.search.settings(args.inference, options, n_features)?;
    if let Some(history) = worlds.first().and_then(|world| world.history.as_ref()) {
        settings = history.settings(settings);
    }
    let engine = Some(&args.engine);
    let wanted = Wanted { output: &args.output, resume: args.search.resume, summary, engine, report: args.report.as_deref() };
    search(settings, &worlds, &wanted, output)
}
