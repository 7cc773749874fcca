//! `revealed summary`: how sure a learned model is.

use std::ops::ControlFlow;
use std::path::Path;

use revealed::{Demonstrations, Ends, MaxEnt, Standing, Uncertainty};
use revealed_formats::{Model, Problem, SummaryRecord, demonstrations};

use super::{load_model, summary_table};
use crate::args::Summary;
use crate::bounds;
use crate::counter::Counter;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;

/// So many directions or parameters are named in a note.
const NAMED: usize = 5;

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
        bounds: bounds::of_model(&model),
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
    output.print(&summary_table::of(&model), &serde_json::to_value(&model).map_err(Failure::new)?)
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
    let sure = settings.uncertainty_watched(mdp, features, demos, &model.theta, |done, all| {
        counter.show(done, all);
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    counter.finish();
    let sure = sure.map_err(|error| Failure::in_demos(error, demos_file))?;
    let Some(sure) = sure else { return Err(Failure::Interrupted("there are no standard errors".to_string())) };
    Ok(SummaryRecord::new(&sure, level, notes(&sure, model, problem))?)
}

/// What a reader of the table has to know.
fn notes(sure: &Uncertainty, model: &Model, problem: &Problem) -> Vec<String> {
    let mut notes = Vec::new();
    let with = |standing: Standing| -> Vec<String> {
        let which = (0..sure.theta.len()).filter(|&k| sure.standing[k] == standing);
        which.map(|k| problem.features.name(k)).collect()
    };
    if model.converged == Some(false) {
        notes.push("the search did not converge: errors hold at an optimum alone".to_string());
    }
    let no_optimum = with(Standing::NoOptimum);
    if !no_optimum.is_empty() {
        notes.push(format!(
            "no finite optimum, or the search was ended early: the demonstrations still get more likely along {}; they have no \
             error, and the others are given where they stand; learn with --bounds or --l2",
            some(&no_optimum)
        ));
    }
    let at_bound = with(Standing::AtBound);
    if !at_bound.is_empty() {
        notes.push(format!("at a bound, and the others are given that: {}", some(&at_bound)));
    }
    if !sure.unidentified.is_empty() {
        let directions: Vec<String> = sure.unidentified.iter().map(ToString::to_string).collect();
        let s = if directions.len() == 1 { "" } else { "s" };
        let remedy = match sure.unidentified.iter().any(|one| one.direction.terms.len() > 1) {
            true => "; hold a parameter of each by --bounds FILE to have errors of the others",
            false => "",
        };
        notes.push(format!("the data cannot tell {} direction{s} of theta: {}{remedy}", directions.len(), some(&directions)));
    }
    for weak in sure.weak.iter().take(NAMED) {
        notes.push(format!(
            "the data hardly tell {} ({:.0e} of the information along the best known direction): errors along it are large, and \
             only roughly known",
            weak.direction, weak.share
        ));
    }
    if sure.l2 > 0.0 {
        notes.push(format!(
            "the estimate is shrunk towards 0 by l2 = {}: errors are those of the shrunk estimate, and intervals do not allow for \
             what it was shrunk by",
            sure.l2
        ));
    }
    if model.ends == Ends::Goal {
        notes.push("no robust errors with ends goal: each pair of ends would take a gradient of its own".to_string());
    }
    notes
}

/// The first few, and how many more there are.
fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names[..names.len().min(NAMED)].join(", ") + &more
}
