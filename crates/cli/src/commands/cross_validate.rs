//! `revealed cross-validate`: the log-likelihood of demonstrations that a fit has not seen.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::Args;
use revealed::{CrossValidation, Fold, Method, Penalty, Validation};
use serde_json::{Value, json};

use crate::args::fitted_paths::FittedPaths;
use crate::args::horizon::in_json;
use crate::args::inference::inference;
use crate::args::problem::ProblemAndDemos;
use crate::args::search::SearchLimits;
use crate::args::work::Work;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// Log-likelihood of demonstrations that the fit has not seen, to compare penalties
#[derive(Args)]
#[command(after_help = "Example:\n  revealed cross-validate lake.json demos.jsonl --folds 5 --l2 0.001,0.01,0.1")]
pub struct CrossValidateArgs {
    /// The problem and the demonstrations
    #[command(flatten)]
    files: ProblemAndDemos,
    /// Number of folds; the number of demonstrations gives leave-one-out
    #[arg(long, value_name = "K", default_value_t = 5)]
    folds: usize,
    /// The same seed gives the same folds
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Keep demonstrations that are the same path in one fold; otherwise a path may be in the training set and held out
    #[arg(long)]
    group_identical: bool,
    /// Penalties to compare: X/2 times the squared length of theta is subtracted from the mean log-likelihood
    #[arg(long, value_name = "X,X,...", value_delimiter = ',', default_value = "0", allow_hyphen_values = true)]
    l2: Vec<f64>,
    /// Which expectations are matched with the demonstrations
    #[arg(long, value_parser = inference(), default_value = "exact")]
    inference: Method,
    /// The paths of the model
    #[command(flatten)]
    paths: FittedPaths,
    /// The search for theta
    #[command(flatten)]
    limits: SearchLimits,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Fits every fold with every penalty and prints the table.
pub fn run(args: &CrossValidateArgs, output: Output) -> Result<(), Failure> {
    let options = args.paths.options(args.inference, &args.work);
    let (problem, demos) = args.files.load()?;
    let plan = CrossValidation {
        settings: args.limits.settings(args.inference, options, problem.features.n_features())?,
        l2: args.l2.clone(),
        folds: args.folds,
        seed: args.seed,
        group_identical: args.group_identical,
    };
    let found = watched(Bar::new(), |watch| plan.run_watched(&problem.mdp, &problem.features, &demos, watch));
    let found = found.map_err(|error| {
        Failure::in_demos(error, &args.files.demos).if_interrupted("nothing was kept: run it again for an answer")
    })?;
    let notes = notes(&found);
    let json = json(args, &found, demos.len(), &notes);
    output.print(&words(args, &found, demos.len(), &notes), &json)
}

fn json(args: &CrossValidateArgs, found: &Validation, n: usize, notes: &[String]) -> Value {
    let mut json = json!({
        "n_demonstrations": n,
        "folds": args.folds,
        "seed": args.seed,
        "group_identical": args.group_identical,
        "horizon": in_json(found.horizon),
        "ends": found.ends.name(),
        "fold_of": found.fold_of,
        "penalties": found.penalties.iter().map(of_penalty).collect::<Vec<_>>(),
        "best_l2": found.penalties[found.best].l2,
        "simplest_l2": found.penalties[found.simplest].l2,
        "notes": notes,
    });
    if args.inference != Method::Exact {
        json["inference"] = json!(args.inference.name());
    }
    json
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

fn words(args: &CrossValidateArgs, found: &Validation, n: usize, notes: &[String]) -> String {
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
    if args.inference != Method::Exact {
        let _ = writeln!(text, "  inference {}", args.inference.name());
    }
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}
