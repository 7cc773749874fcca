//! `revealed learn`: from a problem and demonstrations to a model file.
//!
//! The way from file to θ: this file, then `Problem` (crate formats), `MaxEnt::fit` and `Likelihood::evaluate`
//! (crate revealed).

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use revealed::{Demonstrations, Ends, Features, MaxEnt, Method, Progress, RouteChoice, Step, Stopped, Watch};
use revealed_formats::{Model, Problem, atomic, demonstrations, summary_table};

use super::{model_free, summary};
use crate::args::Learn;
use crate::bounds;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::progress::LearningProgress;

/// A killed run loses at most what came after its last checkpoint.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(2);

/// Learns and writes the model.
pub fn run(args: &Learn, output: Output) -> Result<(), Failure> {
    let inputs = [Some(&args.first), args.second.as_ref(), args.model_free.as_ref()];
    check_output(&args.output, &inputs.into_iter().flatten().map(PathBuf::as_path).collect::<Vec<_>>(), "the model")?;
    if let Some(samples) = &args.model_free {
        return model_free::run(args, samples, output);
    }
    let (Some(problem_file), demos_file) = args.inputs() else {
        return Err(Failure::new("give a problem and demonstrations"));
    };
    let problem = Problem::load(problem_file)?;
    let demos = demonstrations::load_for(&problem.mdp, demos_file)?;
    let method = Method::from(args.inference);
    let ends = args.ends.map_or(method.usual_ends(), Ends::from);
    let settings = MaxEnt {
        method,
        options: args.work.options(ends, args.horizon),
        bounds: bounds::parse(args.search.bounds.as_deref(), problem.features.n_features())?,
        l2: args.search.l2,
        max_iterations: args.search.max_iterations,
        ..MaxEnt::default()
    };
    let asked = Asked {
        demos: demos_file,
        output: &args.output,
        resume: args.search.resume,
        level: args.search.summary.then_some(args.search.level),
    };
    search(settings, &problem, &demos, &asked, output)
}

/// What a search is asked for besides its settings.
pub struct Asked<'a> {
    /// The file that the demonstrations are from.
    pub demos: &'a Path,
    /// Where the model is written.
    pub output: &'a Path,
    /// Whether an earlier search is gone on with.
    pub resume: bool,
    /// The level of the intervals, where a summary is wanted.
    pub level: Option<f64>,
}

/// Searches, writes the model, and prints.
pub fn search(
    mut settings: MaxEnt,
    problem: &Problem,
    demos: &Demonstrations,
    asked: &Asked<'_>,
    output: Output,
) -> Result<(), Failure> {
    if asked.level.is_some() {
        settings.check_uncertainty(&problem.features)?;
    }
    let file = asked.output;
    let mut checkpoint = Checkpoint::new(file, problem, &settings, demos.longest());
    if asked.resume {
        settings.start = checkpoint.load()?;
    }
    let (mut model, stop) = learn(&settings, problem, demos, &mut checkpoint, asked.demos)?;
    model.save(file).map_err(|error| checkpoint.still_there(error))?;
    // The model has what the checkpoint has, or more.
    checkpoint.remove();
    if stop == Stopped::Interrupted {
        let message = format!("the best theta so far is in {}; --resume goes on from there", file.display());
        return Err(Failure::Interrupted(message));
    }
    if settings.method == Method::RecursiveLogit {
        warn_of_circles(&settings, problem, demos, &model)?;
    }
    let mut words = in_short(&model, &problem.features);
    if let Some(level) = asked.level {
        let summary = summary::of(&settings, problem, demos, asked.demos, &model, level);
        model.summary = Some(summary.map_err(|failure| failure.with(&format!("{} has the model alone", file.display())))?);
        model.save(file)?;
        words = summary_table(&model);
    }
    let _ = writeln!(words, "written to {}", file.display());
    output.print(&words, &serde_json::to_value(&model).map_err(Failure::new)?)
}

/// Says so if the learned paths go round in loops that hardly cost anything.
fn warn_of_circles(settings: &MaxEnt, problem: &Problem, demos: &Demonstrations, model: &Model) -> Result<(), Failure> {
    let mut choice = RouteChoice::new(&problem.mdp, &problem.features, demos, settings.options.threads)?;
    let lengths = choice.lengths(&model.theta)?;
    if lengths.goes_in_circles() {
        let remedy = "add a feature that counts segments or turns (`roads import --features paper,link,turns`)";
        eprintln!("warning: {lengths}; {remedy}");
    }
    Ok(())
}

/// Refuses an output that cannot be written, or that is one of the inputs, before the work is done.
pub fn check_output(output: &Path, inputs: &[&Path], what: &str) -> Result<(), Failure> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let target = real(output);
    if target.is_some() && inputs.iter().any(|input| real(input) == target) {
        let message = format!("it is an input, too, and would be overwritten: write {what} elsewhere");
        return Err(Failure::new(format!("{}: {message}", output.display())));
    }
    Ok(atomic::check(output)?)
}

/// Refuses an output with another extension than that of what is written to it.
pub fn check_extension(output: &Path, extension: &'static str) -> Result<(), Failure> {
    let found = output.extension().map(|found| found.to_string_lossy().to_lowercase());
    if found.as_deref() == Some(extension) {
        return Ok(());
    }
    Err(Failure::new(format!("{}: what is written is .{extension}: give it that extension", output.display())))
}

/// Runs the search with progress, checkpoints and Ctrl-C, and says how it ended.
pub fn learn(
    settings: &MaxEnt,
    problem: &Problem,
    demos: &Demonstrations,
    checkpoint: &mut Checkpoint,
    demos_file: &Path,
) -> Result<(Model, Stopped), Failure> {
    interrupt::listen();
    let mut progress = LearningProgress::new(settings.tolerance);
    let mut saved = Ok(());
    let begun = Instant::now();
    let mut hear = |step: &Step<'_>| {
        if let Some(step) = step.iteration() {
            progress.show(step);
            saved = checkpoint.save_now_and_then(step);
        }
        if interrupt::asked() || saved.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let fit = settings.fit_watched(&problem.mdp, &problem.features, demos, &Watch::new(&mut hear));
    progress.finish();
    saved?;
    let fit = fit.map_err(|error| Failure::in_demos(error, demos_file))?;
    let seconds = Some(begun.elapsed().as_secs_f64());
    Ok((Model { seconds, ..Model::of_fit(&fit, settings, problem, demos) }, fit.stop))
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
    for (name, value) in largest(&model.theta, features, 20) {
        let _ = writeln!(text, "  {name:<24} {value:>16.8}");
    }
    for note in &model.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

/// The entries of largest size, with their names.
pub fn largest(values: &[f64], features: &Features, most: usize) -> Vec<(String, f64)> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
    order.into_iter().take(most).map(|k| (features.name(k), values[k])).collect()
}

/// A model file beside the output that holds θ while the search runs; none beside a pipe or a device.
pub struct Checkpoint {
    path: Option<PathBuf>,
    output: PathBuf,
    template: Model,
    saved: Option<Instant>,
}

impl Checkpoint {
    /// `MODEL.partial` beside the output.
    pub fn new(output: &Path, problem: &Problem, settings: &MaxEnt, longest: usize) -> Self {
        let mut path = output.as_os_str().to_os_string();
        path.push(".partial");
        let horizon = settings.options.horizon.unwrap_or(longest);
        let template = Model {
            names: problem.features.names().to_vec(),
            problem_digest: Some(problem.digest()),
            converged: Some(false),
            inference: settings.method,
            stopped_because: Some("a checkpoint of a search that is not finished".to_string()),
            ..Model::new(vec![0.0; problem.features.n_features()], horizon, settings.options.ends)
        };
        let path = (output.is_file() || !output.exists()).then(|| path.into());
        Checkpoint { path, output: output.to_path_buf(), template, saved: None }
    }

    /// θ of the checkpoint, or of a model that was written when the search was interrupted.
    fn load(&self) -> Result<Option<Vec<f64>>, Failure> {
        let Some(path) = self.path.iter().chain([&self.output]).find(|path| path.is_file()) else {
            eprintln!("note: nothing to resume beside {}: starting from zero", self.output.display());
            return Ok(None);
        };
        let model = Model::load(path)?;
        if model.problem_digest != self.template.problem_digest || model.theta.len() != self.template.theta.len() {
            let message = "it belongs to another problem: remove it, or leave --resume out";
            return Err(Failure::new(format!("{}: {message}", path.display())));
        }
        if model.inference != self.template.inference {
            let (found, asked) = (model.inference.name(), self.template.inference.name());
            let message = format!("it was learned with --inference {found}, not {asked}: say so, or leave --resume out");
            return Err(Failure::new(format!("{}: {message}", path.display())));
        }
        eprintln!("resuming from {}", path.display());
        Ok(Some(model.theta))
    }

    /// Fails if not even the first one can be written: then the model could not be, either.
    fn save_now_and_then(&mut self, step: &Progress<'_>) -> Result<(), Failure> {
        let Some(path) = &self.path else { return Ok(()) };
        if self.saved.is_some_and(|saved| saved.elapsed() < BETWEEN_CHECKPOINTS) {
            return Ok(());
        }
        let model = Model {
            theta: step.theta.to_vec(),
            log_likelihood: Some(step.objective),
            iterations: Some(step.iteration),
            evaluations: Some(step.evaluations),
            gradient_norm: Some(step.gradient_norm),
            ..self.template.clone()
        };
        if let Err(error) = model.save(path) {
            if self.saved.is_none() {
                return Err(error.into());
            }
            // Learning goes on: a full disk may have room again when the model is written.
            eprintln!("warning: no checkpoint was written: {error}");
        }
        self.saved = Some(Instant::now());
        Ok(())
    }

    /// The model could not be written: says what is left of the search.
    fn still_there(&self, error: revealed_formats::Error) -> Failure {
        match self.path.as_ref().filter(|path| path.is_file()) {
            Some(path) => Failure::new(format!("{error}; {} is kept: --resume goes on from there", path.display())),
            None => error.into(),
        }
    }

    pub fn remove(&self) {
        // It may never have been written.
        let _ = self.path.as_ref().map(std::fs::remove_file);
    }
}
