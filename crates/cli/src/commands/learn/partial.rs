//! Learning from demonstrations that are seen in part.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use revealed::{MaxEnt, PartialDemonstrations, Starts, Stopped};
use revealed_formats::{Model, Problem, SummaryRecord, summary_notes, summary_table};

use super::search::in_short;
use crate::args::errors::Reported;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// A problem, what was seen in it, and its file.
pub struct SeenInPart<'a> {
    pub problem: &'a Problem,
    pub demos: &'a PartialDemonstrations,
    pub file: &'a Path,
}

/// What is wanted besides the settings.
pub struct WantedInPart<'a> {
    pub output: &'a Path,
    pub starts: Starts,
    pub summary: Option<Reported>,
}

/// Learns and writes the model.
pub fn run(settings: &MaxEnt, seen: &SeenInPart<'_>, wanted: &WantedInPart<'_>, output: Output) -> Result<(), Failure> {
    let SeenInPart { problem, demos, file } = *seen;
    if wanted.summary.is_some() {
        settings.check_uncertainty(&problem.features)?;
    }
    let begun = Instant::now();
    let bar = Bar::named("learning");
    let found = watched(bar, |watch| settings.fit_partial(&problem.mdp, &problem.features, demos, &wanted.starts, watch));
    let found = found.map_err(|error| Failure::in_demos(error, file))?;
    let seconds = Some(begun.elapsed().as_secs_f64());
    let mut model = Model { seconds, ..Model::of_partial(&found, settings, problem, demos.len()) };
    model.save(wanted.output)?;
    if found.fit.stop == Stopped::Interrupted {
        let message = format!("the best theta so far is in {}", wanted.output.display());
        return Err(Failure::Interrupted(message));
    }
    let mut words = in_short(&model, &problem.features);
    if let Some(reported) = &wanted.summary {
        let alone = |failure: Failure| failure.with(&format!("{} has the model alone", wanted.output.display()));
        model.summary = Some(summary(settings, seen, &model, reported).map_err(alone)?);
        model.save(wanted.output)?;
        words = summary_table(&model);
    }
    let _ = writeln!(words, "written to {}", wanted.output.display());
    output.print(&words, &serde_json::to_value(&model).map_err(Failure::new)?)
}

/// The standard errors of θ, with progress and Ctrl-C.
pub fn summary(settings: &MaxEnt, seen: &SeenInPart<'_>, model: &Model, reported: &Reported) -> Result<SummaryRecord, Failure> {
    let SeenInPart { problem, demos, file } = *seen;
    let (mdp, features) = (&problem.mdp, &problem.features);
    let found = watched(Bar::named("standard errors"), |watch| {
        let sure = settings.uncertainty_partial(mdp, features, demos, &model.theta, &reported.cluster, watch);
        sure.and_then(|sure| sure.with_errors(reported.errors))
    });
    let found = found.map_err(|error| Failure::in_demos(error, file).if_interrupted("there are no standard errors"))?;
    Ok(SummaryRecord::new(&found, reported.level, summary_notes(&found, model, features))?)
}
