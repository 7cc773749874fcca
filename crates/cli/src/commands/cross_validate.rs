//! `revealed cross-validate`: what learning is worth on demonstrations that it has not seen.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use revealed::{CrossValidation, Fold, MaxEnt, Penalty, Step, Validation, ValidationProgress, Watch};
use revealed_formats::{Problem, demonstrations};
use serde_json::{Value, json};

use crate::args::CrossValidate;
use crate::bounds;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;

/// Seconds between two lines where nobody watches.
const QUIET: Duration = Duration::from_secs(5);

/// Fits every fold with every penalty and prints the table.
pub fn run(args: &CrossValidate, output: Output) -> Result<(), Failure> {
    let problem = Problem::load(&args.problem)?;
    let demos = demonstrations::load_for(&problem.mdp, &args.demos)?;
    let settings = MaxEnt {
        options: args.work.options(args.ends.into(), args.horizon),
        bounds: bounds::parse(args.bounds.as_deref(), problem.features.n_features())?,
        max_iterations: args.max_iterations,
        ..MaxEnt::default()
    };
    let plan = CrossValidation {
        settings,
        l2: args.l2.clone(),
        folds: args.folds,
        seed: args.seed,
        group_identical: args.group_identical,
    };
    interrupt::listen();
    let mut shown = Shown::new();
    let mut hear = |step: &Step<'_>| {
        if let Step::Validation(progress) = step {
            shown.show(progress);
        }
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = plan.run_watched(&problem.mdp, &problem.features, &demos, &Watch::new(&mut hear));
    shown.clear();
    let found = found.map_err(|error| match error {
        revealed::Error::Stopped => Failure::Interrupted("nothing was kept: run it again for an answer".to_string()),
        error => Failure::in_demos(error, &args.demos),
    })?;
    let notes = notes(&found);
    let json = json!({
        "n_demonstrations": demos.len(),
        "folds": args.folds,
        "seed": args.seed,
        "group_identical": args.group_identical,
        "horizon": found.horizon,
        "ends": found.ends.name(),
        "fold_of": found.fold_of,
        "penalties": found.penalties.iter().map(of_penalty).collect::<Vec<_>>(),
        "best_l2": found.penalties[found.best].l2,
        "simplest_l2": found.penalties[found.simplest].l2,
        "notes": notes,
    });
    output.print(&words(args, &found, demos.len(), &notes), &json)
}

fn of_penalty(penalty: &Penalty) -> Value {
    let of_fold = |fold: &Fold| {
        json!({
            "held_out": fold.held_out,
            "in_sample": fold.fit.log_likelihood,
            "n_held_out": fold.members.len(),
            "converged": fold.fit.converged,
            "stopped_because": fold.fit.stopped_because,
            "iterations": fold.fit.iterations,
            "theta": fold.fit.theta,
        })
    };
    json!({
        "l2": penalty.l2,
        "held_out": penalty.held_out,
        "standard_error": penalty.standard_error,
        "shortfall": penalty.shortfall,
        "shortfall_error": penalty.shortfall_error,
        "in_sample": penalty.in_sample,
        "demonstrations": penalty.each,
        "folds": penalty.folds.iter().map(of_fold).collect::<Vec<_>>(),
    })
}

/// Fits without an optimum: their numbers depend on where the search gave up.
fn notes(found: &Validation) -> Vec<String> {
    let mut notes = Vec::new();
    for penalty in &found.penalties {
        let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (place, fold) in penalty.folds.iter().enumerate().filter(|(_, fold)| !fold.fit.converged) {
            by_reason.entry(&fold.fit.stopped_because).or_default().push(place.to_string());
        }
        for (because, folds) in by_reason {
            let folds = format!("fold{} {}", if folds.len() == 1 { "" } else { "s" }, folds.join(", "));
            notes.push(format!("l2 {}, {folds} held out: the fit to the others {}", penalty.l2, in_a_sentence(because)));
        }
    }
    notes
}

/// Why a search ended, after its subject.
fn in_a_sentence(because: &str) -> String {
    if because.starts_with("did not converge") { because.to_string() } else { format!("did not converge ({because})") }
}

fn words(args: &CrossValidate, found: &Validation, n: usize, notes: &[String]) -> String {
    let mut text = String::new();
    let alike = if args.group_identical { ", identical ones in one fold" } else { "" };
    let _ = writeln!(text, "{n} demonstrations in {} folds (seed {}){alike}", args.folds, args.seed);
    let _ = writeln!(text, "horizon {}, ends {}; log-likelihood per demonstration", found.horizon, found.ends.name());
    let _ =
        writeln!(text, "  {:>10} {:>14} {:>14} {:>16} {:>12}", "l2", "in sample", "held out", "less than best", "(std. error)");
    for (place, penalty) in found.penalties.iter().enumerate() {
        let Penalty { l2, held_out, shortfall, shortfall_error, in_sample, .. } = penalty;
        let mark = match place {
            place if place == found.best => "  best",
            place if place == found.simplest => "  simplest within one standard error",
            _ => "",
        };
        let error = format!("({shortfall_error:.6})");
        let _ = writeln!(text, "  {l2:>10} {in_sample:>14.6} {held_out:>14.6} {shortfall:>16.6} {error:>12}{mark}");
    }
    let error = found.penalties[found.best].standard_error;
    let _ = writeln!(text, "  the standard error of the best mean is {error:.6}");
    if let [only] = &found.penalties[..] {
        for (place, fold) in only.folds.iter().enumerate() {
            let (n, held_out, in_sample) = (fold.members.len(), fold.held_out, fold.fit.log_likelihood);
            let _ = writeln!(text, "  fold {place}: {held_out:.6} held out ({n} demonstrations), {in_sample:.6} in sample");
        }
    }
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

/// How far it is, on stderr: a bar on a terminal, a line every few seconds otherwise.
struct Shown {
    bar: Option<ProgressBar>,
    said: Instant,
}

impl Shown {
    fn new() -> Shown {
        Shown { bar: None, said: Instant::now() }
    }

    fn show(&mut self, progress: &ValidationProgress) {
        let ValidationProgress { finished, fits, fold, l2, iterations } = *progress;
        if self.bar.is_none() && io::stderr().is_terminal() {
            let template = "{bar:24} {pos} of {len} fits, about {eta} to go | {wide_msg}";
            let style = ProgressStyle::with_template(template).expect("the template is sound");
            self.bar = Some(ProgressBar::new(fits as u64).with_style(style));
        }
        match &self.bar {
            Some(bar) => {
                bar.set_position(finished as u64);
                bar.set_message(format!("l2 {l2}, fold {fold}, iteration {iterations}"));
            }
            None if self.said.elapsed() >= QUIET => {
                eprintln!("{finished} of {fits} fits; l2 {l2}, fold {fold}, iteration {iterations}");
                self.said = Instant::now();
            }
            None => {}
        }
    }

    fn clear(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
