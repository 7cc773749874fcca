//! `revealed rollouts`: episodes of a policy, as demonstrations.

use std::path::PathBuf;

use clap::Args;
use revealed::{Policy, rollouts};
use revealed_formats::{Problem, demonstrations};
use serde_json::json;

use crate::args::policy::{Actor, actor, reference};
use crate::args::reward::{KnownReward, check_temperature, planning};
use crate::args::work::Threads;
use crate::files::output_file::check_output;
use crate::terminal::{Failure, Output};

/// Episodes of an optimal, uniform, Boltzmann or reference policy, as demonstrations
#[derive(Args)]
#[command(after_help = "Example:\n  revealed rollouts lake.json -n 50 --seed 1 --discount 0.99 -o episodes.jsonl")]
pub struct RolloutsArgs {
    /// The problem and the reward
    #[command(flatten)]
    known: KnownReward,
    /// How many episodes
    #[arg(short, value_name = "N", default_value_t = 100)]
    n: usize,
    /// The same seed gives the same episodes
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Where to write them (.jsonl or .npz)
    #[arg(short, long, value_name = "DEMOS")]
    output: PathBuf,
    /// Which policy acts
    #[arg(long, value_parser = actor(&ACTORS), default_value = "optimal")]
    policy: Actor,
    /// Temperature of the Boltzmann policy e^(Q/T): low is nearly optimal, high is nearly uniform
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// Maximum number of states in an episode
    #[arg(long, value_name = "L", default_value_t = 100)]
    longest: usize,
    /// Discount of planning [default: the problem's]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    discount: Option<f64>,
    /// How the work is done
    #[command(flatten)]
    work: Threads,
}

const ACTORS: [Actor; 4] = [Actor::Optimal, Actor::Uniform, Actor::Boltzmann, Actor::Reference];

/// Plans, follows the policy, and writes the episodes.
pub fn run(args: &RolloutsArgs, output: Output) -> Result<(), Failure> {
    check(args)?;
    let problem = Problem::load(&args.known.problem)?;
    let mdp = &problem.mdp;
    let policy = policy(args, &problem)?;
    let episodes = rollouts(mdp, &policy, args.n, args.longest, args.seed)?;
    demonstrations::save(&episodes, &args.output)?;
    let ended = episodes.iter().filter(|path| path.states.last().is_some_and(|&state| mdp.is_terminal(state))).count();
    let mean = episodes.iter().map(|path| path.states.len() as f64).sum::<f64>() / args.n as f64;
    let file = args.output.display().to_string();
    let json = json!({
        "n": args.n, "n_ended": ended, "mean_length": mean, "longest": args.longest, "seed": args.seed,
        "policy": args.policy.name(), "demonstrations": file,
    });
    let words = format!(
        "{} episodes of {mean:.2} states on average, {ended} of which end in a terminal state; written to {file}\n",
        args.n
    );
    output.print(&words, &json)
}

/// Rejects options that do not fit together, before the work is done.
fn check(args: &RolloutsArgs) -> Result<(), Failure> {
    if args.n == 0 {
        return Err(Failure::new("-n is 0: ask for at least one episode"));
    }
    if args.longest == 0 {
        return Err(Failure::new("--longest is 0: an episode has at least one state"));
    }
    check_temperature(args.temperature)?;
    let name = args.policy.name();
    match (args.policy, args.temperature) {
        (Actor::Boltzmann, None) => return Err(Failure::new("--policy boltzmann needs a --temperature above 0")),
        (Actor::Boltzmann, Some(_)) | (_, None) => {}
        (_, Some(_)) => {
            let message = format!("--temperature is for --policy boltzmann, and this one is {name}: omit it");
            return Err(Failure::new(message));
        }
    }
    if args.work.threads == Some(0) {
        return Err(Failure::new("--threads is 0: ask for at least 1"));
    }
    let plans = matches!(args.policy, Actor::Optimal | Actor::Boltzmann);
    let given = [("--model", args.known.model.is_some()), ("--discount", args.discount.is_some())];
    if let Some((option, _)) = given.into_iter().find(|&(_, given)| given && !plans) {
        return Err(Failure::new(format!("{option} changes nothing with --policy {name}: omit it")));
    }
    check_output(&args.output, &args.known.inputs(), "the episodes")
}

fn policy(args: &RolloutsArgs, problem: &Problem) -> Result<Policy, Failure> {
    let mdp = &problem.mdp;
    match args.policy {
        Actor::Uniform => return Ok(Policy::uniform(mdp)),
        Actor::Reference => return reference(problem, &args.known.problem),
        Actor::Optimal | Actor::Boltzmann => {}
    }
    let planning = planning(args.discount, args.work.of_engine())?;
    let reward = args.known.reward(problem)?;
    let plan = planning.solve(mdp, &reward)?;
    match args.temperature {
        Some(temperature) => {
            let action_values = planning.action_values(mdp, &reward, &plan.values)?;
            Ok(Policy::boltzmann(mdp, &action_values, temperature)?)
        }
        None => Ok(plan.policy),
    }
}
