//! `revealed trips`: features that depend on the trip, as a problem and demonstrations.

use std::path::PathBuf;

use clap::Args;
use revealed::{Features, TripTerms, TripWorld};
use revealed_formats::{Problem, demonstrations};
use serde_json::json;

use crate::args::feature::feature_named;
use crate::args::problem::ProblemAndDemos;
use crate::args::work::Work;
use crate::files::model::load_model;
use crate::files::output_file::check_output;
use crate::terminal::{Failure, Output};

/// Add features of trips: products with columns of the demonstrations, and the link size
///
/// Each kind of trip gets a copy of the problem, and the demonstrations move to their copies. Learn from the two files
/// with --inference recursive-logit, --ends goal or a causal model.
#[derive(Args)]
#[command(
    after_help = "Example:\n  revealed trips lake.json nights.jsonl --product 15:night -o by-trip.npz --paths by-trip.jsonl"
)]
pub struct TripsArgs {
    /// The problem and the demonstrations
    #[command(flatten)]
    files: ProblemAndDemos,
    /// Add the product of a feature (its name or number) and a column of `trip`, such as length:night; may be repeated
    #[arg(long, value_name = "FEATURE:COLUMN")]
    product: Vec<String>,
    /// Add the link size: the expected visits of each trip to each state in this first model (.json), learned with
    /// --inference recursive-logit
    #[arg(long, value_name = "MODEL")]
    link_size: Option<PathBuf>,
    /// Where to write the problem with the added features (.json or .npz)
    #[arg(short, long, value_name = "PROBLEM")]
    output: PathBuf,
    /// Where to write the demonstrations in it (.jsonl or .npz)
    #[arg(long, value_name = "FILE")]
    paths: PathBuf,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Makes the copies and writes both files.
pub fn run(args: &TripsArgs, output: Output) -> Result<(), Failure> {
    let mut inputs = vec![args.files.problem.as_path(), args.files.demos.as_path()];
    inputs.extend(args.link_size.as_deref());
    check_output(&args.output, &inputs, "the problem")?;
    check_output(&args.paths, &inputs, "the demonstrations")?;
    if args.output == args.paths {
        return Err(Failure::in_file(&args.paths, "two outputs have this name: give the problem and --paths different files"));
    }
    if args.product.is_empty() && args.link_size.is_none() {
        return Err(Failure::Usage("there is nothing to add: give --product or --link-size".to_string()));
    }
    let (problem, demos) = args.files.load()?;
    let products = args.product.iter().map(|product| parsed(product, &problem.features)).collect::<Result<Vec<_>, _>>()?;
    let link_size = match &args.link_size {
        Some(file) => Some(load_model(file, &problem)?.theta),
        None => None,
    };
    let terms = TripTerms { products, link_size };
    let world = TripWorld::new(&problem.mdp, &problem.features, &demos, &terms, &args.work.of_engine())
        .map_err(|error| Failure::in_demos(error, &args.files.demos))?;
    let TripWorld { mdp, features, paths, copies, .. } = world;
    let names: Vec<String> = features.names()[problem.features.n_features()..].to_vec();
    let n_states = mdp.n_states();
    Problem { mdp, features, layout: None, true_theta: None }.save(&args.output)?;
    demonstrations::save(&paths, &args.paths)?;
    let (file, demos_file) = (args.output.display().to_string(), args.paths.display().to_string());
    let words = format!(
        "{} added; {copies} kinds of trips, {n_states} states\nwritten to {file} and {demos_file}\n",
        names.iter().map(|name| revealed::shown(name)).collect::<Vec<_>>().join(", ")
    );
    let json = json!({"added": names, "copies": copies, "n_states": n_states, "problem": file, "demonstrations": demos_file});
    output.print(&words, &json)
}

/// A feature by its name or number, and a column.
fn parsed(product: &str, features: &Features) -> Result<(usize, String), Failure> {
    let Some((feature, column)) =
        product.rsplit_once(':').filter(|(feature, column)| !feature.is_empty() && !column.is_empty())
    else {
        return Err(Failure::new(format!("--product {product}: give a feature and a column of trips, such as length:night")));
    };
    Ok((feature_named(feature, features, &format!("--product {product}"))?, column.to_string()))
}
