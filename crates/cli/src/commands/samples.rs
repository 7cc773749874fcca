//! `revealed samples`: rollouts as model-free learning sees them.

use revealed::{Ends, Policy, rollouts, samples_from_rollouts};
use revealed_formats::{Problem, samples};
use serde_json::json;

use super::learn::check_output;
use crate::args::{RolloutPolicy, Samples};
use crate::failure::Failure;
use crate::output::Output;

/// Rolls out and writes.
pub fn run(args: &Samples, output: Output) -> Result<(), Failure> {
    if args.n < 2 {
        return Err(Failure::new(format!("-n is {}: ask for at least two rollouts", args.n)));
    }
    if args.longest < 1 {
        return Err(Failure::new("--longest is 0: a rollout has at least one state"));
    }
    check_output(&args.output, &[&args.problem], "the samples")?;
    let problem = Problem::load(&args.problem)?;
    let mdp = &problem.mdp;
    let policy = match (args.policy, mdp.reference()) {
        (RolloutPolicy::Uniform, _) => Policy::uniform(mdp),
        (RolloutPolicy::Reference, Some(reference)) => Policy::new(mdp, reference.to_vec())?,
        (RolloutPolicy::Reference, None) => {
            let message = "it has no reference policy: give it one, or leave out --policy reference";
            return Err(Failure::new(format!("{}: {message}", args.problem.display())));
        }
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
