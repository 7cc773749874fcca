//! `revealed summary`: the standard errors of a learned model.

use std::cell::RefCell;
use std::path::PathBuf;

use clap::Args;
use revealed::{Evidence, MaxEnt};
use revealed_formats::{Model, Seen, SummaryRecord, WorldFiles, demonstrations, summary_notes, summary_table};

use crate::args::errors::{ErrorArgs, Reported};
use crate::args::level::level;
use crate::args::problem::ProblemAndModel;
use crate::args::work::Work;
use crate::commands::learn::engine::EngineProcess;
use crate::commands::learn::partial::{self, SeenInPart};
use crate::files::worlds::{World, failure};
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
    if let Some(worlds) = &model.worlds {
        let message = format!(
            "it was learned in {} worlds, and its standard errors need all of them: learn with --summary, and with --resume \
             to begin at its theta",
            worlds.len()
        );
        return Err(Failure::in_file(&args.files.model, message));
    }
    let seen = demonstrations::load_seen(&problem.mdp, &args.demos)?;
    let settings = MaxEnt {
        method: model.inference,
        options: args.work.options(model.ends, Some(model.horizon)),
        bounds: model.bounds_of_theta(),
        l2: model.l2.unwrap_or(0.0),
        ..MaxEnt::default()
    };
    if let Some(n) = model.n_demonstrations.filter(|&n| n != seen.len()) {
        note(format!(
            "the model was learned from {n} demonstrations, and {} has {}: errors hold for those it was learned from",
            args.demos.display(),
            seen.len()
        ));
    }
    let reported = args.errors.reported(args.level);
    let demos = match seen {
        Seen::Whole(demos) => demos,
        Seen::Partial(demos) => {
            let seen = SeenInPart { problem: &problem, demos: &demos, file: &args.demos };
            model.summary = Some(partial::summary(&settings, &seen, &model, &reported)?);
            return output.print(&summary_table(&model), &serde_json::to_value(&model).map_err(Failure::new)?);
        }
    };
    let files = WorldFiles { problem: args.files.problem.clone(), demos: args.demos.clone() };
    let worlds = [World { problem, demos, files, history: None }];
    model.summary = Some(of(&settings, &worlds, None, &model, &reported)?);
    output.print(&summary_table(&model), &serde_json::to_value(&model).map_err(Failure::new)?)
}

/// The standard errors of θ, with progress and Ctrl-C.
pub fn of(
    settings: &MaxEnt,
    worlds: &[World],
    engine: Option<&RefCell<EngineProcess>>,
    model: &Model,
    reported: &Reported,
) -> Result<SummaryRecord, Failure> {
    let Some(first) = worlds.first() else { return Err(Failure::new("there are no worlds")) };
    let evidence: Vec<Evidence<'_>> = worlds.iter().map(World::evidence).collect();
    let bar = Bar::named("standard errors");
    let found = watched(bar, |watch| {
        let sure = match engine {
            Some(engine) => settings.uncertainty_parts(&mut *engine.borrow_mut(), &model.theta, &reported.cluster, watch),
            None => settings.uncertainty_worlds(&evidence, &model.theta, &reported.cluster, watch),
        };
        sure.and_then(|sure| sure.with_errors(reported.errors))
    });
    let found = found.map_err(|error| failure(error, worlds).if_interrupted("there are no standard errors"))?;
    Ok(SummaryRecord::new(&found, reported.level, summary_notes(&found, model, &first.problem.features))?)
}
