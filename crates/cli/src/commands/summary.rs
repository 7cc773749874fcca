//! `revealed summary`: how sure a learned model is.

use std::ops::ControlFlow;
use std::path::Path;

use revealed::{Demonstrations, MaxEnt, Step, Watch};
use revealed_formats::{Model, Problem, SummaryRecord, demonstrations, summary_notes, summary_table};

use super::load_model;
use crate::args::Summary;
use crate::counter::Counter;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;

/// Computes the summary of a model and prints both.
pub fn run(args: &Summary, output: Output) -> Result<(), Failure> {
    let problem = Problem::load(&args.problem)?;
    let mut model = load_model(&args.model, &problem)?;
    if model.model_free.is_some() {
        let message = "it was learned from samples: its standard errors are in `model_free`, and those of a summary need the \
                       problem's own dynamics; learn without --model-free to have them";
        return Err(Failure::new(format!("{}: {message}", args.model.display())));
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
        eprintln!(
            "note: the model was learned from {n} demonstrations, and {} has {}: errors hold for those it was learned from",
            args.demos.display(),
            demos.len()
        );
    }
    model.summary = Some(of(&settings, &problem, &demos, &args.demos, &model, args.level)?);
    output.print(&summary_table(&model), &serde_json::to_value(&model).map_err(Failure::new)?)
}

/// How sure θ is, with progress and Ctrl-C.
pub fn of(
    settings: &MaxEnt,
    problem: &Problem,
    demos: &Demonstrations,
    demos_file: &Path,
    model: &Model,
    level: f64,
) -> Result<SummaryRecord, Failure> {
    interrupt::listen();
    let mut counter = Counter::new("standard errors");
    let (mdp, features) = (&problem.mdp, &problem.features);
    let mut hear = |step: &Step<'_>| {
        step.parts().into_iter().for_each(|(done, all)| counter.show(done, all));
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let sure = settings.uncertainty_watched(mdp, features, demos, &model.theta, &Watch::new(&mut hear));
    counter.finish();
    let sure = sure.map_err(|error| match error {
        revealed::Error::Stopped => Failure::Interrupted("there are no standard errors".to_string()),
        error => Failure::in_demos(error, demos_file),
    })?;
    Ok(SummaryRecord::new(&sure, level, summary_notes(&sure, model, &problem.features))?)
}
