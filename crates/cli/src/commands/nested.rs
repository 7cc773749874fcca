//! `revealed nested`: recursive logits whose errors have a scale for each link, or that discount what lies ahead.

use std::path::PathBuf;

use clap::Args;
use revealed::NestedLogit;
use revealed_formats::{NestedRecord, nested_table};

use crate::args::errors::ErrorArgs;
use crate::args::feature::feature_named;
use crate::args::problem::ProblemAndDemos;
use crate::args::work::Work;
use crate::files::output_file::check_output;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// Learn a nested or discounted recursive logit, and test it against the plain one
#[derive(Args)]
#[command(after_help = "Example:\n  revealed nested streets.json streets.jsonl --scale length -o nested.json")]
pub struct NestedArgs {
    /// The problem and the demonstrations
    #[command(flatten)]
    files: ProblemAndDemos,
    /// Let the scale of the errors depend on this feature of states (its name or number); may be repeated
    #[arg(long, value_name = "FEATURE")]
    scale: Vec<String>,
    /// Learn the discount of what lies ahead
    #[arg(long)]
    discounted: bool,
    /// Which errors are reported
    #[command(flatten)]
    errors: ErrorArgs,
    /// Where to write what was learned (.json)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Learns, writes and prints.
pub fn run(args: &NestedArgs, output: Output) -> Result<(), Failure> {
    check_output(&args.output, &[&args.files.problem, &args.files.demos], "what was learned")?;
    if args.scale.is_empty() && !args.discounted {
        return Err(Failure::Usage("there is nothing to learn besides theta: give --scale or --discounted".to_string()));
    }
    let (problem, demos) = args.files.load()?;
    let named = |name: &String| feature_named(name, &problem.features, "--scale");
    let model = NestedLogit { scale: args.scale.iter().map(named).collect::<Result<_, _>>()?, discounted: args.discounted };
    let bar = Bar::named("nested recursive logit");
    let (work, reported) = (args.work.of_engine(), args.errors.reported(0.95));
    let fit = watched(bar, |watch| {
        let fit = model.fit_clustered(&problem.mdp, &problem.features, &demos, &reported.cluster, &work, watch)?;
        fit.with_errors(reported.errors)
    });
    let fit = fit.map_err(|error| Failure::in_demos(error, &args.files.demos).if_interrupted("nothing is written"))?;
    let record = NestedRecord::new(&fit, &model);
    record.save(&args.output)?;
    let words = format!("{}written to {}\n", nested_table(&record), args.output.display());
    output.print(&words, &serde_json::to_value(&record).map_err(Failure::new)?)
}
