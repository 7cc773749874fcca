//! `revealed samples`: rollouts as model-free learning sees them.

use std::path::PathBuf;

use clap::Args;
use revealed::{Ends, Policy, rollouts, samples_from_rollouts};
use revealed_formats::{Problem, samples};
use serde_json::json;

use crate::args::policy::{Actor, actor, reference};
use crate::files::output_file::check_output;
use crate::terminal::{Failure, Output};

/// Roll out a policy and write features and probabilities, for learn --model-free
#[derive(Args)]
#[command(after_help = "Example:\n  revealed samples lake.json -n 10000 --seed 1 --prefixes --longest 20 -o samples.npz")]
pub struct SamplesArgs {
    /// Problem file (.json or .npz)
    problem: PathBuf,
    /// How many rollouts
    #[arg(short, value_name = "N", default_value_t = 10_000)]
    n: usize,
    /// The same seed gives the same rollouts
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Where to write the samples (.jsonl or .npz)
    #[arg(short, long, value_name = "SAMPLES")]
    output: PathBuf,
    /// Write each prefix of a rollout as a sample, for --ends anywhere; by default each whole rollout is a sample, for
    /// --ends horizon
    #[arg(long)]
    prefixes: bool,
    /// Maximum number of states in a rollout: the horizon of the model
    #[arg(long, value_name = "L", default_value_t = 20)]
    longest: usize,
    /// Which policy acts
    #[arg(long, value_parser = actor(&[Actor::Uniform, Actor::Reference]), default_value = "uniform")]
    policy: Actor,
}

/// Rolls out and writes.
pub fn run(args: &SamplesArgs, output: Output) -> Result<(), Failure> {
    if args.n < 2 {
        return Err(Failure::new(format!("-n is {}: ask for at least two rollouts", args.n)));
    }
    if args.longest < 1 {
        return Err(Failure::new("--longest is 0: a rollout has at least one state"));
    }
    check_output(&args.output, &[&args.problem], "the samples")?;
    let problem = Problem::load(&args.problem)?;
    let mdp = &problem.mdp;
    let policy = match args.policy {
        Actor::Reference => reference(&problem, &args.problem)?,
        _ => Policy::uniform(mdp),
    };
    let ends = if args.prefixes { Ends::Anywhere } else { Ends::Horizon };
    let rollouts = rollouts(mdp, &policy, args.n, args.longest, args.seed)?;
    let columns = samples_from_rollouts(mdp, &problem.features, &rollouts, &policy, ends)?;
    samples::save(&columns, &args.output)?;

    let mean = rollouts.iter().map(|path| path.states.len() as f64).sum::<f64>() / args.n as f64;
    let file = args.output.display().to_string();
    let json = json!({
        "rollouts": args.n, "samples": columns.len(), "mean_length": mean, "longest": args.longest,
        "ends": ends.name(), "seed": args.seed, "file": file,
    });
    let words = format!(
        "{} samples of {} rollouts, {mean:.2} states on average, for ends {}; written to {file}\n",
        columns.len(),
        args.n,
        ends.name()
    );
    output.print(&words, &json)
}
