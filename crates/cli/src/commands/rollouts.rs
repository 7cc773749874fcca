//! `revealed rollouts`: episodes of a policy, as demonstrations.

use revealed::rollouts;
use revealed_formats::{Problem, demonstrations};
use serde_json::json;

use super::learn::check_output;
use super::plan::{check_temperature, inputs, planning, reward};
use crate::args::{Policy, Rollouts};
use crate::failure::Failure;
use crate::output::Output;

/// Plans, follows the policy, and writes what came of it.
pub fn run(args: &Rollouts, output: Output) -> Result<(), Failure> {
    check(args)?;
    let problem = Problem::load(&args.problem)?;
    let mdp = &problem.mdp;
    let policy = policy(args, &problem)?;
    let episodes = rollouts(mdp, &policy, args.n, args.longest, args.seed)?;
    demonstrations::save(&episodes, &args.output)?;
    let ended = episodes.iter().filter(|path| path.states.last().is_some_and(|&state| mdp.is_terminal(state))).count();
    let mean = episodes.iter().map(|path| path.states.len() as f64).sum::<f64>() / args.n as f64;
    let file = args.output.display().to_string();
    let json = json!({
        "n": args.n, "n_ended": ended, "mean_length": mean, "longest": args.longest, "seed": args.seed,
        "policy": name(args.policy), "demonstrations": file,
    });
    let words = format!(
        "{} episodes of {mean:.2} states on average, {ended} of which end in a terminal state; written to {file}\n",
        args.n
    );
    output.print(&words, &json)
}

/// Refuses what cannot be meant, before the work is done.
fn check(args: &Rollouts) -> Result<(), Failure> {
    if args.n == 0 {
        return Err(Failure::new("-n is 0: ask for at least one episode"));
    }
    if args.longest == 0 {
        return Err(Failure::new("--longest is 0: an episode has at least one state"));
    }
    check_temperature(args.temperature)?;
    match (args.policy, args.temperature) {
        (Policy::Boltzmann, None) => return Err(Failure::new("--policy boltzmann needs a --temperature above 0")),
        (Policy::Boltzmann, Some(_)) | (_, None) => {}
        (policy, Some(_)) => {
            let message = format!("--temperature is for --policy boltzmann, and this one is {}: leave it out", name(policy));
            return Err(Failure::new(message));
        }
    }
    if args.threads == Some(0) {
        return Err(Failure::new("--threads is 0: ask for at least 1"));
    }
    let given = [("--model", args.model.is_some()), ("--discount", args.discount.is_some())];
    if let Some((option, _)) = given.into_iter().find(|&(_, given)| given && args.policy == Policy::Uniform) {
        return Err(Failure::new(format!("{option} changes nothing with --policy uniform: leave it out")));
    }
    check_output(&args.output, &inputs(&args.problem, args.model.as_ref()), "the episodes")
}

fn policy(args: &Rollouts, problem: &Problem) -> Result<revealed::Policy, Failure> {
    let mdp = &problem.mdp;
    if args.policy == Policy::Uniform {
        return Ok(revealed::Policy::uniform(mdp));
    }
    let planning = planning(args.discount, args.threads)?;
    let reward = reward(problem, &args.problem, args.model.as_deref())?;
    let plan = planning.solve(mdp, &reward)?;
    match args.temperature {
        Some(temperature) => {
            let action_values = planning.action_values(mdp, &reward, &plan.values)?;
            Ok(revealed::Policy::boltzmann(mdp, &action_values, temperature)?)
        }
        None => Ok(plan.policy),
    }
}

fn name(policy: Policy) -> &'static str {
    match policy {
        Policy::Optimal => "optimal",
        Policy::Uniform => "uniform",
        Policy::Boltzmann => "boltzmann",
    }
}
