//! `revealed lengths`: how long paths are.

use std::fmt::Write;
use std::ops::RangeInclusive;

use clap::Args;
use revealed::Lengths;
use revealed_formats::answers::{lengths_json, path_set_json};
use revealed_formats::{AskedModel, Problem};
use serde_json::json;

use crate::args::asked_paths::AskedPaths;
use crate::args::problem::ProblemAndModel;
use crate::args::states::note_given;
use crate::terminal::{Failure, Output};

/// The distribution of path lengths: from a start, to a destination, after a prefix
#[derive(Args)]
#[command(after_help = "Example:\n  revealed lengths lake.json model.json --from 0 --to 15")]
pub struct LengthsArgs {
    /// The problem and the model
    #[command(flatten)]
    files: ProblemAndModel,
    /// The path so far: states and actions in turn, as in 0,2,1
    #[arg(long, value_name = "S,A,S", conflicts_with = "from")]
    prefix: Option<String>,
    /// Which paths
    #[command(flatten)]
    asked: AskedPaths,
}

/// Rows of the chart, at most, and the longest bar.
const ROWS: usize = 20;
const BAR: usize = 40;

/// The distribution of the number of states.
pub fn run(args: &LengthsArgs, output: Output) -> Result<(), Failure> {
    let (problem, model) = args.files.load_any()?;
    let paths = args.asked.path_set.asked(&problem, &model, &args.asked.work)?;
    let lengths = ask(args, &problem, &paths)?;
    let mut json = lengths_json(&lengths, path_set_json(paths.horizon(), paths.ends()));
    if args.prefix.is_some() {
        json["prefix_length"] = json!(lengths.first);
        json["expected_remaining"] = json!(lengths.remaining());
    }
    output.print(&words(args, &lengths, &paths), &json)
}

fn ask(args: &LengthsArgs, problem: &Problem, paths: &AskedModel<'_>) -> Result<Lengths, Failure> {
    let given = args.asked.given(paths, args.prefix.as_deref())?;
    let lengths = paths.lengths(&given, &args.asked.work.of_engine())?;
    note_given(problem, &given);
    Ok(lengths)
}

fn words(args: &LengthsArgs, lengths: &Lengths, paths: &AskedModel<'_>) -> String {
    let from = match (&args.prefix, &args.asked.from) {
        (Some(prefix), _) => format!(" that begin with {prefix}"),
        (None, Some(from)) => format!(" from {from}"),
        (None, None) => String::new(),
    };
    let to = args.asked.to.map(|to| format!(" to {to}")).unwrap_or_default();
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
fn chart(lengths: &Lengths) -> String {
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
