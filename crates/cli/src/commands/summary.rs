//! `revealed summary`: the standard errors of a learned model.

use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{Demonstrations, MaxEnt};
use revealed_formats::{Model, Problem, SummaryRecord, demonstrations, summary_notes, summary_table};

use crate::args::errors::{ErrorArgs, Reported};
use crate::args::level::level;
use crate::args::problem::ProblemAndModel;
use crate::args::work::Work;
use crate::terminal::notes::note;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// Standard errors of a learned model, and what the data do not identify
#[derive(Args)]
#[command(after_help = "Example:\n  revealed summary lake.json model.json demos.jsonl")]
pub struct SummaryArgs {
    /// The problem and the model that was learned from the demonstrations
    #[command(flatten)]
    files: ProblemAndModel,
    /// The demonstrations that the model was learned from (.jsonl or .npz)
    demos: PathBuf,
    /// Confidence level of the intervals
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = level, allow_negative_numbers = true)]
    level: f64,
    /// Which standard errors it reports
    #[command(flatten)]
    errors: ErrorArgs,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Computes the summary of a model and prints both.
pub fn run(args: &SummaryArgs, output: Output) -> Result<(), Failure> {
    let (problem, mut model) = args.files.load()?;
    if model.model_free.is_some() {
        let message = "it was learned from samples: its standard errors are in `model_free`, and those of a summary need \
                       the problem's own dynamics; learn without --model-free to have them";
        return Err(Failure::in_file(&args.files.model, message));
    }
    let demos = demonstrations::load_for(&problem.mdp, &args.demos)?;
    let settings = MaxEnt {
        method: model.inference,
        options: args.work.options(model.ends, Some(model.horizon)),
        bounds: model.bounds_of_theta(),
        l2: model.l2.unwrap_or(0.0),
        ..MaxEnt::default()
    };
    if let Some(n) = model.n_demonstrations.filter(|&n| n != demos.len()) {
        note(format!(
            "the model was learned from {n} demonstrations, and {} has {}: errors hold for those it was learned from",
            args.demos.display(),
            demos.len()
        ));
    }
    model.summary = Some(of(&settings, &problem, &demos, &args.demos, &model, &args.errors.reported(args.level))?);
    output.print(&summary_table(&model), &serde_json::to_value(&model).map_err(Failure::new)?)
}

/// The standard errors of θ, with progress and Ctrl-C.
pub fn of(
    settings: &MaxEnt,
    problem: &Problem,
    demos: &Demonstrations,
    demos_file: &Path,
    model: &Model,
    reported: &Reported,
) -> Result<SummaryRecord, Failure> {
    let (mdp, features) = (&problem.mdp, &problem.features);
    let bar = Bar::named("standard errors");
    let found = watched(bar, |watch| {
        let sure = settings.uncertainty_clustered(mdp, features, demos, &model.theta, &reported.cluster, watch);
        sure.and_then(|sure| sure.with_errors(reported.errors))
    });
    let found = found.map_err(|error| Failure::in_demos(error, demos_file).if_interrupted("there are no standard errors"))?;
    Ok(SummaryRecord::new(&found, reported.level, summary_notes(&found, model, &problem.features))?)
}
