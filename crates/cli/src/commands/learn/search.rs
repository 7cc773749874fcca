//! The search for θ with progress, checkpoints and Ctrl-C, for every command that learns.

use std::cell::RefCell;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use revealed::{Chance, Demonstrations, Ends, Error, Features, Horizon, MaxEnt, Method, RouteChoice, Step, Stopped};
use revealed_formats::{Model, Problem, summary_table};

use super::engine::{EngineArgs, EngineProcess};
use crate::args::errors::Reported;
use crate::commands::report::{self, Parts};
use crate::commands::summary;
use crate::files::checkpoint::Checkpoint;
use crate::files::worlds::{World, failure};
use crate::terminal::listing::{LISTED, largest};
use crate::terminal::notes::warning;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched_by;
use crate::terminal::{Failure, Output};

/// The outputs of a search, and options that are not settings of the method.
pub struct Wanted<'a> {
    /// Where the model is written.
    pub output: &'a Path,
    /// Whether to continue an earlier search.
    pub resume: bool,
    /// What the summary reports, if one is wanted.
    pub summary: Option<Reported>,
    /// Where the worlds are placed.
    pub engine: Option<&'a EngineArgs>,
    /// Where a page of the model is written, if one is wanted.
    pub report: Option<&'a Path>,
}

/// Searches, writes the model, and prints.
pub fn search(mut settings: MaxEnt, worlds: &[World], wanted: &Wanted<'_>, output: Output) -> Result<(), Failure> {
    let Some(first) = worlds.first() else { return Err(Failure::new("there are no worlds")) };
    if let Some(reported) = &wanted.summary {
        settings.check_uncertainty(&first.problem.features)?;
        let demos: Vec<&Demonstrations> = worlds.iter().map(|world| &world.demos).collect();
        reported.cluster.check_worlds(&demos).map_err(|error| failure(error, worlds))?;
    }
    let file = wanted.output;
    let mut checkpoint = Checkpoint::new(file, worlds, &settings)?;
    if wanted.resume {
        settings.start = checkpoint.load()?;
    }
    let engine = match wanted.engine.and_then(|args| Some((args, args.engine?))) {
        Some((args, name)) => Some(RefCell::new(EngineProcess::start(args, name, &settings, worlds)?)),
        None => None,
    };
    let (mut model, stop) = fit(&settings, worlds, engine.as_ref(), &mut checkpoint)?;
    model.save(file).map_err(|error| checkpoint.still_there(error))?;
    // The model has what the checkpoint has, or more.
    checkpoint.remove();
    if stop == Stopped::Interrupted {
        let message = format!("the best theta so far is in {}; --resume continues from it", file.display());
        return Err(Failure::Interrupted(message));
    }
    if (model.horizon, model.ends, model.chance) == (Horizon::Any, Ends::Goal, Chance::Tilted) {
        warn_of_circles(&settings, worlds, engine.as_ref(), &model)?;
    }
    let mut words = in_short(&model, &first.problem.features);
    if let Some(reported) = &wanted.summary {
        let summary = summary::of(&settings, worlds, engine.as_ref(), &model, reported);
        let alone = |failure: Failure| failure.with(&format!("{} has the model alone", file.display()));
        model.summary = Some(summary.map_err(alone)?);
        model.save(file).map_err(|error| alone(error.into()))?;
        words = summary_table(&model);
    }
    let _ = writeln!(words, "written to {}", file.display());
    if let Some(page) = wanted.report {
        let parts = Parts {
            problem: (&first.problem, &first.files.problem),
            model: (&model, file),
            demos: Some((&first.demos, &first.files.demos)),
            work: settings.options.work,
        };
        report::write(&parts, page).map_err(|failure| failure.with(&format!("{} has the model alone", file.display())))?;
        let _ = writeln!(words, "a page of it is in {}", page.display());
    }
    output.print(&words, &serde_json::to_value(&model).map_err(Failure::new)?)
}

/// Runs the search with progress, checkpoints and Ctrl-C, and says how it ended.
pub fn fit(
    settings: &MaxEnt,
    worlds: &[World],
    engine: Option<&RefCell<EngineProcess>>,
    checkpoint: &mut Checkpoint,
) -> Result<(Model, Stopped), Failure> {
    let mut saved = Ok(());
    let begun = Instant::now();
    let save = |step: &Step<'_>| {
        saved = step.iteration().map_or(Ok(()), |step| checkpoint.save_now_and_then(step));
        if saved.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let fit = watched_by(Bar::of_search(settings.tolerance), save, |watch| match engine {
        Some(engine) => settings.fit_parts(&mut *engine.borrow_mut(), watch),
        None => settings.fit_worlds(&worlds.iter().map(World::evidence).collect::<Vec<_>>(), watch),
    });
    saved?;
    let fit = match fit {
        Err(error @ Error::NoAnswer { .. }) => return Err(checkpoint.after(Failure::new(error))),
        fit => fit.map_err(|error| failure(error, worlds))?,
    };
    let seconds = Some(begun.elapsed().as_secs_f64());
    let pairs: Vec<(&Problem, &Demonstrations)> = worlds.iter().map(|world| (&world.problem, &world.demos)).collect();
    let model = Model { seconds, ..Model::of_worlds(&fit, settings, &pairs) };
    let history = worlds.first().and_then(|world| world.history.as_ref());
    Ok((history.map_or_else(|| model.clone(), |history| history.model(model.clone())), fit.stop))
}

/// Says so if the learned paths repeat loops that hardly cost anything.
fn warn_of_circles(
    settings: &MaxEnt,
    worlds: &[World],
    engine: Option<&RefCell<EngineProcess>>,
    model: &Model,
) -> Result<(), Failure> {
    let of_world = |world: &World| {
        let (mdp, features) = (&world.problem.mdp, &world.problem.features);
        RouteChoice::new(mdp, features, &world.demos, &settings.options.work)?.lengths(&model.theta)
    };
    let lengths = match engine {
        Some(engine) => settings.route_lengths(&mut *engine.borrow_mut(), &model.theta)?,
        None => worlds.iter().map(of_world).collect::<Result<Vec<_>, Error>>()?,
    };
    let Some(world) = (0..lengths.len()).find(|&world| lengths[world].goes_in_circles()) else { return Ok(()) };
    let remedy = "add a feature that counts segments or turns (`roads import --features paper,link,turns`)";
    match worlds.get(world).filter(|_| worlds.len() > 1 && lengths.len() == worlds.len()) {
        Some(of) => warning(format!("{}: {}; {remedy}", of.files.problem.display(), lengths[world])),
        None => warning(format!("{}; {remedy}", lengths[world])),
    }
    Ok(())
}

/// A model in a few lines.
pub fn in_short(model: &Model, features: &Features) -> String {
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
