//! `revealed sample`: exact samples of a model.

use revealed_formats::{Problem, demonstrations};
use serde_json::json;

use super::learn::check_output;
use super::load_model;
use crate::args::Sample;
use crate::failure::Failure;
use crate::output::Output;
use crate::paths;

/// Draws paths and writes them.
pub fn run(args: &Sample, output: Output) -> Result<(), Failure> {
    if args.n == 0 {
        return Err(Failure::new("-n is 0: ask for at least one path"));
    }
    check_output(&args.output, &[&args.problem, &args.model], "the paths")?;
    let problem = Problem::load(&args.problem)?;
    let model = load_model(&args.model, &problem)?;
    let sampled = paths::sample(&problem, &model, &args.asked, args.prefix.as_deref(), args.n, args.seed)?;
    demonstrations::save(&sampled, &args.output)?;
    let mean = sampled.iter().map(|path| path.states.len() as f64).sum::<f64>() / args.n as f64;
    let file = args.output.display().to_string();
    let json = json!({ "n": args.n, "mean_length": mean, "seed": args.seed, "demonstrations": file });
    let words = format!("{} paths of {mean:.2} states on average; written to {file}\n", args.n);
    output.print(&words, &json)
}
