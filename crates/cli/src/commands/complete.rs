//! `revealed complete`: what is known of the unseen rest of demonstrations.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use revealed::{Completion, StepPosterior, Trajectory};
use revealed_formats::{Seen, atomic, demonstrations};
use serde_json::{Value, json};

use crate::args::path_set::PathSet;
use crate::args::problem::ProblemAndModel;
use crate::args::work::Work;
use crate::files::output_file::check_output;
use crate::terminal::{Failure, Output};

/// Fill in what was not seen of demonstrations: the likeliest paths, samples, or what is known of each step
#[derive(Args)]
#[command(after_help = "Example:\n  revealed complete lake.json model.json seen.jsonl -o whole.jsonl\n  \
    revealed complete lake.json model.json seen.jsonl --samples 20 --seed 1 -o drawn.jsonl\n  \
    revealed complete lake.json model.json seen.jsonl --posterior -o known.jsonl")]
pub struct CompleteArgs {
    /// The problem and the model
    #[command(flatten)]
    files: ProblemAndModel,
    /// Demonstrations that are seen in part (.jsonl)
    demos: PathBuf,
    /// Draw N paths for each demonstration instead of the likeliest one, each with 1/N of its weight
    #[arg(long, value_name = "N", conflicts_with = "posterior")]
    samples: Option<usize>,
    /// The same seed gives the same paths
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Write what is known of each step instead of paths (.jsonl): the probabilities of its states and actions
    #[arg(long)]
    posterior: bool,
    /// Where to write them (.jsonl, or .npz for paths)
    #[arg(short, long, value_name = "DEMOS")]
    output: PathBuf,
    /// Which path set
    #[command(flatten)]
    path_set: PathSet,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Completes each demonstration.
pub fn run(args: &CompleteArgs, output: Output) -> Result<(), Failure> {
    if args.samples == Some(0) {
        return Err(Failure::new("--samples is 0: ask for at least one path of each demonstration"));
    }
    let [problem, model] = args.files.inputs();
    check_output(&args.output, &[problem, model, &args.demos], "the paths")?;
    let (problem, model) = args.files.load()?;
    let demos = match demonstrations::load_seen(&problem.mdp, &args.demos)? {
        Seen::Partial(demos) => demos,
        Seen::Whole(_) => {
            let message = "every demonstration in it was seen whole: there is nothing to complete";
            return Err(Failure::in_file(&args.demos, message));
        }
    };
    let paths = args.path_set.path_model(&problem, &model)?;
    let work = args.work.of_engine();
    let (mut whole, mut known, mut log_probability): (Vec<Trajectory>, Vec<Value>, f64) = (Vec::new(), Vec::new(), 0.0);
    for index in 0..demos.len() {
        let failed = |error| Failure::in_demos(error, &args.demos);
        let completion = Completion::new(&paths, &demos, index, &work).map_err(failed)?;
        match args.samples {
            _ if args.posterior => known.push(posterior(&completion, index, demos.demo(index).id())),
            Some(n) => {
                let drawn = completion.sample(n, args.seed.wrapping_add(index as u64)).map_err(failed)?;
                whole.extend(drawn.into_iter().map(|path| Trajectory { weight: path.weight / n as f64, ..path }));
            }
            None => {
                let best = completion.likeliest().map_err(failed)?;
                log_probability += best.log_probability;
                whole.push(best.path);
            }
        }
    }
    if args.posterior {
        atomic::write(&args.output, |writer| known.iter().try_for_each(|line| writeln!(writer, "{line}")))?;
    } else {
        demonstrations::save(&whole, &args.output)?;
    }
    let file = args.output.display().to_string();
    let mut json = json!({ "n_demonstrations": demos.len(), "output": file });
    let mut words = format!("{} demonstrations\n", demos.len());
    if !args.posterior && args.samples.is_none() {
        let mean = log_probability / demos.len() as f64;
        json["mean_log_probability"] = json!(mean);
        let _ = writeln!(words, "log-probability {mean:.6} of the likeliest path, given what was seen (mean)");
    }
    let _ = writeln!(words, "written to {file}");
    output.print(&words, &json)
}

fn posterior(completion: &Completion<'_>, index: usize, id: Option<&str>) -> Value {
    let step = |step: &StepPosterior| {
        let mut line = json!({ "states": step.states, "actions": step.actions });
        if step.unseen_before > 0.0 {
            line["unseen_before"] = json!(step.unseen_before);
        }
        line
    };
    let mut line = json!({ "demonstration": index, "steps": completion.posterior().iter().map(step).collect::<Vec<_>>() });
    if let Some(id) = id {
        line["id"] = json!(id);
    }
    if completion.unseen_after() > 0.0 {
        line["unseen_after"] = json!(completion.unseen_after());
    }
    line
}
