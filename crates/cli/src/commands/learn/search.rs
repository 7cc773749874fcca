//! The search for θ with progress, checkpoints and Ctrl-C, for every command that learns.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use revealed::{Chance, Demonstrations, Ends, Features, Horizon, MaxEnt, Method, RouteChoice, Step, Stopped};
use revealed_formats::{Model, Problem, summary_table};

use crate::args::errors::Reported;
use crate::commands::summary;
use crate::files::checkpoint::Checkpoint;
use crate::terminal::listing::{LISTED, largest};
use crate::terminal::notes::warning;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched_by;
use crate::terminal::{Failure, Output};

/// The outputs of a search, and options that are not settings of the method.
pub struct Wanted<'a> {
    /// The file that the demonstrations are from.
    pub demos: &'a Path,
    /// Where the model is written.
    pub output: &'a Path,
    /// Whether to continue an earlier search.
    pub resume: bool,
    /// What the summary reports, if one is wanted.
    pub summary: Option<Reported>,
}

/// Searches, writes the model, and prints.
pub fn search(
    mut settings: MaxEnt,
    problem: &Problem,
    demos: &Demonstrations,
    wanted: &Wanted<'_>,
    output: Output,
) -> Result<(), Failure> {
    if let Some(reported) = &wanted.summary {
        settings.check_uncertainty(&problem.features)?;
        reported.cluster.check(demos).map_err(|error| Failure::in_demos(error, wanted.demos))?;
    }
    let file = wanted.output;
    let mut checkpoint = Checkpoint::new(file, problem, &settings, demos.longest())?;
    if wanted.resume {
        settings.start = checkpoint.load()?;
    }
    let (mut model, stop) = fit(&settings, problem, demos, &mut checkpoint, wanted.demos)?;
    model.save(file).map_err(|error| checkpoint.still_there(error))?;
    // The model has what the checkpoint has, or more.
    checkpoint.remove();
    if stop == Stopped::Interrupted {
        let message = format!("the best theta so far is in {}; --resume continues from it", file.display());
        return Err(Failure::Interrupted(message));
    }
    if (model.horizon, model.ends, model.chance) == (Horizon::Any, Ends::Goal, Chance::Tilted) {
        warn_of_circles(&settings, problem, demos, &model)?;
    }
    let mut words = in_short(&model, &problem.features);
    if let Some(reported) = &wanted.summary {
        let summary = summary::of(&settings, problem, demos, wanted.demos, &model, reported);
        let alone = |failure: Failure| failure.with(&format!("{} has the model alone", file.display()));
        model.summary = Some(summary.map_err(alone)?);
        model.save(file).map_err(|error| alone(error.into()))?;
        words = summary_table(&model);
    }
    let _ = writeln!(words, "written to {}", file.display());
    output.print(&words, &serde_json::to_value(&model).map_err(Failure::new)?)
}

/// Runs the search with progress, checkpoints and Ctrl-C, and says how it ended.
pub fn fit(
    settings: &MaxEnt,
    problem: &Problem,
    demos: &Demonstrations,
    checkpoint: &mut Checkpoint,
    demos_file: &Path,
) -> Result<(Model, Stopped), Failure> {
    let mut saved = Ok(());
    let begun = Instant::now();
    let save = |step: &Step<'_>| {
        saved = step.iteration().map_or(Ok(()), |step| checkpoint.save_now_and_then(step));
        if saved.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let fit = watched_by(Bar::of_search(settings.tolerance), save, |watch| {
        settings.fit_watched(&problem.mdp, &problem.features, demos, watch)
    });
    saved?;
    let fit = fit.map_err(|error| Failure::in_demos(error, demos_file))?;
    let seconds = Some(begun.elapsed().as_secs_f64());
    Ok((Model { seconds, ..Model::of_fit(&fit, settings, problem, demos) }, fit.stop))
}

/// Says so if the learned paths repeat loops that hardly cost anything.
fn warn_of_circles(settings: &MaxEnt, problem: &Problem, demos: &Demonstrations, model: &Model) -> Result<(), Failure> {
    let mut choice = RouteChoice::new(&problem.mdp, &problem.features, demos, &settings.options.work)?;
    let lengths = choice.lengths(&model.theta)?;
    if lengths.goes_in_circles() {
        let remedy = "add a feature that counts segments or turns (`roads import --features paper,link,turns`)";
        warning(format!("{lengths}; {remedy}"));
    }
    Ok(())
}

fn in_short(model: &Model, features: &Features) -> String {
    let mut text = String::new();
    let shown = |value: Option<f64>| value.map_or("?".to_string(), |value| format!("{value:.8}"));
    let _ = writeln!(
        text,
        "log-likelihood  {} (mean of {:?} demonstrations)",
        shown(model.log_likelihood),
        model.n_demonstrations.unwrap_or(0)
    );
    let _ = writeln!(
        text,
        "search          {} iterations, {} evaluations, {:.3} s, largest free gradient {:.1e}",
        model.iterations.unwrap_or(0),
        model.evaluations.unwrap_or(0),
        model.seconds.unwrap_or(0.0),
        model.gradient_norm.unwrap_or(f64::NAN)
    );
    let _ = writeln!(text, "ended           {}", model.stopped_because.as_deref().unwrap_or("?"));
    let _ = writeln!(text, "horizon         {}, ends {}", model.horizon, model.ends.name());
    if model.inference != Method::Exact {
        let _ = writeln!(text, "inference       {}", model.inference.name());
    }
    let _ = writeln!(text, "theta (the largest first)");
    for (name, value) in largest(&model.theta, features, LISTED) {
        let _ = writeln!(text, "  {name:<24} {value:>16.8}");
    }
    for note in &model.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}
