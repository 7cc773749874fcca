//! `revealed lengths`: how long paths are.

use std::fmt::Write;
use std::ops::RangeInclusive;

use revealed::{Ends, PathModel};
use revealed_formats::Problem;
use serde_json::json;

use super::load_model;
use crate::args::Lengths;
use crate::failure::Failure;
use crate::output::Output;
use crate::question;

/// Rows of the chart, at most, and the longest bar.
const ROWS: usize = 20;
const BAR: usize = 40;

/// The distribution of the number of states.
pub fn run(args: &Lengths, output: Output) -> Result<(), Failure> {
    let problem = Problem::load(&args.problem)?;
    let model = load_model(&args.model, &problem)?;
    let paths = question::path_model(&problem, &model, args.horizon, args.ends)?;
    let lengths = ask(args, &problem, &paths)?;
    let rows: Vec<(usize, f64)> = lengths.iter().filter(|row| row.1 > 0.0).collect();
    let mut json = json!({
        "length": rows,
        "mean": lengths.mean(),
        "standard_deviation": lengths.standard_deviation(),
        "median": lengths.quantile(0.5),
        "horizon": paths.horizon(),
        "ends": paths.ends().name(),
    });
    if args.prefix.is_some() {
        json["prefix_length"] = json!(lengths.first);
        json["expected_remaining"] = json!(lengths.remaining());
    }
    output.print(&words(args, &lengths, &paths), &json)
}

fn ask(args: &Lengths, problem: &Problem, paths: &PathModel<'_>) -> Result<revealed::Lengths, Failure> {
    let options = args.work.options(paths.ends(), Some(paths.horizon()));
    args.to.map(|to| question::state(to, "--to", problem.mdp.n_states())).transpose()?;
    if args.to.is_none() && paths.ends() == Ends::Goal {
        return Err(Failure::new("the model is one of paths to a goal (ends = goal): say where paths end with --to"));
    }
    if let Some(text) = &args.prefix {
        let prefix = question::prefix(text)?;
        let lengths = revealed::lengths_after(paths, &prefix, args.to, &options)?;
        question::note_start(problem, prefix.states[0]);
        return Ok(lengths);
    }
    let Some(text) = &args.from else {
        return Ok(revealed::lengths(paths, problem.mdp.start(), args.to, &options)?);
    };
    let start = question::states(text, "--from", problem.mdp.n_states())?;
    let lengths = revealed::lengths(paths, &start, args.to, &options)?;
    if let [(state, _)] = start[..] {
        question::note_start(problem, state);
    }
    Ok(lengths)
}

fn words(args: &Lengths, lengths: &revealed::Lengths, paths: &PathModel<'_>) -> String {
    let from = match (&args.prefix, &args.from) {
        (Some(prefix), _) => format!(" that begin with {prefix}"),
        (None, Some(from)) => format!(" from {from}"),
        (None, None) => String::new(),
    };
    let to = args.to.map(|to| format!(" to {to}")).unwrap_or_default();
    let mut text = format!("paths{from}{to} (horizon {}, ends {})\n", paths.horizon(), paths.ends().name());
    let (mean, deviation) = (lengths.mean(), lengths.standard_deviation());
    let _ = writeln!(text, "mean {mean:.2} states, standard deviation {deviation:.2}");
    let (low, high) = (lengths.quantile(0.05), lengths.quantile(0.95));
    let _ = writeln!(text, "median {}, 90 % between {low} and {high}", lengths.quantile(0.5));
    if args.prefix.is_some() {
        let _ = writeln!(text, "{:.2} states still to come after {}", lengths.remaining(), lengths.first);
    }
    text + &chart(lengths)
}

/// A bar for each length, or for a few lengths together, between those that hardly any path has.
fn chart(lengths: &revealed::Lengths) -> String {
    let (low, high) = (lengths.quantile(0.001), lengths.quantile(0.999));
    let width = (high - low + 1).div_ceil(ROWS);
    let mass = |bin: &RangeInclusive<usize>| lengths.iter().filter(|row| bin.contains(&row.0)).map(|row| row.1).sum();
    let bins: Vec<(RangeInclusive<usize>, f64)> = (low..=high)
        .step_by(width)
        .map(|from| from..=high.min(from + width - 1))
        .map(|bin| (bin.clone(), mass(&bin)))
        .collect();
    let most = bins.iter().fold(0.0, |most: f64, bin| most.max(bin.1));
    let mut text = String::from("  states     probability\n");
    for (bin, p) in bins {
        let (from, to) = (bin.start(), bin.end());
        let label = if from == to { from.to_string() } else { format!("{from} to {to}") };
        let bar = "#".repeat((p / most * BAR as f64).round() as usize);
        let _ = writeln!(text, "{}", format!("  {label:<10} {p:.6}  {bar}").trim_end());
    }
    text
}
