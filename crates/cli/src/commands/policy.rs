//! `revealed policy`: what a model does at each time, and what a stationary policy would lose.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use revealed::{
    AtTerminal, Chance, Executed, Execution, Mdp, Paid, PathDistribution, Planning, PolicyAt, PolicyGap, RolloutMean,
    StationaryPolicy, Trajectory,
};
use revealed_formats::answers::{path_set_json, policy_json};
use revealed_formats::{Model, Problem};
use serde_json::{Map, Value, json};

use super::plan::probabilities;
use crate::args::asked_paths::AskedPaths;
use crate::args::problem::ProblemAndModel;
use crate::args::reward::planning;
use crate::args::states::note_given;
use crate::files::output_file::{check_optional, write_json};
use crate::terminal::listing::LISTED;
use crate::terminal::{Failure, Output};

/// The policy of a model at each time, and the loss of a stationary policy
#[derive(Args)]
#[command(after_help = "Example:\n  revealed policy lake.json model.json --discount 0.99 --rollouts 1000 -o policy.json\n  \
        revealed policy lake.json model.json --t 3")]
pub struct PolicyArgs {
    /// The problem and the model
    #[command(flatten)]
    files: ProblemAndModel,
    /// Print only the policy at this time, counted from 1
    #[arg(long, value_name = "T", conflicts_with_all = ["discount", "rollouts", "output"])]
    t: Option<usize>,
    /// Print only the policy after this path, states and actions in turn, as in 0,2,1
    #[arg(long, value_name = "S,A,S", conflicts_with_all = ["t", "from", "discount", "rollouts", "output"])]
    prefix: Option<String>,
    /// Discount of the values and of planning [default: the problem's]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    discount: Option<f64>,
    /// Also execute the policies, in this number of episodes
    #[arg(long, value_name = "N")]
    rollouts: Option<usize>,
    /// The same seed gives the same episodes
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Where to write the stationary projection, as `plan -o` writes policies (.json)
    #[arg(short, long, value_name = "POLICY")]
    output: Option<PathBuf>,
    /// Which paths
    #[command(flatten)]
    asked: AskedPaths,
}

/// How many of the states where time matters most are named.
const NAMED: usize = 5;
/// Below this many nats per path, what is left of the divergence is rounding.
const NOTHING: f64 = 1e-9;

/// The gap, or the policy of one time.
pub fn run(args: &PolicyArgs, output: Output) -> Result<(), Failure> {
    let planning = planning(args.discount, args.asked.work.of_engine())?;
    if let Some(n) = args.rollouts.filter(|&n| n < 2) {
        return Err(Failure::new(format!("--rollouts {n}: a standard error needs at least 2")));
    }
    check_optional(args.output.as_deref(), &args.files.inputs(), "the policy", "json")?;
    if args.t.is_some() || args.prefix.is_some() {
        let (problem, model) = args.files.load_any()?;
        return one_time(args, &problem, &model, output);
    }
    let (problem, model) = args.files.load()?;
    let mut paths = args.asked.distribution(&problem, &model)?;
    gap(args, &problem, &model, &mut paths, &planning, output)
}

/// Executes the policy, its stationary projection and the optimal one, and compares.
fn gap(
    args: &PolicyArgs,
    problem: &Problem,
    model: &Model,
    paths: &mut PathDistribution<'_>,
    planning: &Planning,
    output: Output,
) -> Result<(), Failure> {
    let begun = Instant::now();
    let mdp = &problem.mdp;
    let learned = problem.features.reward(mdp, &model.theta)?;
    let truth = problem.true_theta.as_ref().map(|theta| problem.features.reward(mdp, theta)).transpose()?;
    let rewards = [Some(&learned), truth.as_ref()].into_iter().flatten().collect();
    let discount = planning.discount(mdp);
    let execution = Execution { start: paths.start().to_vec(), discount, rewards };
    let gap = PolicyGap::new(paths, &execution, planning)?;

    let (horizon, ends) = args.asked.path_set.of(model);
    let mut json = path_set_json(horizon, ends);
    json["discount"] = json!(discount);
    let ends = ends.name();
    let mut words = format!(
        "paths of {}, ends {ends}, discount {discount}; executed with the problem's own probabilities\n",
        horizon.at_most().map_or("any length".to_string(), |states| format!("at most {states} states"))
    );
    tell_values(&gap, model.chance, &mut words, &mut json);
    tell_gap(&gap, &mut words, &mut json);
    if let Some(n) = args.rollouts {
        json["rollouts"] = roll_out(&execution, paths, &gap, n, args.seed, &mut words)?;
    }
    json["seconds"] = json!(begun.elapsed().as_secs_f64());
    if let Some(file) = &args.output {
        let values = execution.values(mdp, horizon, &gap.projection)?;
        save(mdp, &gap.projection, &values, &json, file)?;
        let _ = writeln!(words, "the stationary projection is written to {}", file.display());
    }
    output.print(&words, &json)
}

/// The rewards that values are by: the model's, and the problem's own if it has one.
const REWARDS: [&str; 2] = ["learned", "true"];

fn by_reward<T>(values: &[T], shown: impl Fn(&T) -> Value) -> Map<String, Value> {
    REWARDS.iter().zip(values).map(|(name, value)| (name.to_string(), shown(value))).collect()
}

fn tell_values(gap: &PolicyGap, chance: Chance, words: &mut String, json: &mut Value) {
    let heading: String =
        REWARDS.iter().take(gap.paths.values.len()).map(|name| format!("{:>16}", format!("{name} reward"))).collect();
    let _ = writeln!(words, "{:<42}{heading}{:>14}", "value", "mean length");
    let own = match chance {
        Chance::Tilted => "the model's paths (optimistic dynamics)",
        Chance::Fixed => "the model's paths",
    };
    let rows = [
        ("paths", own, Ok(&gap.paths)),
        ("policy", "its policy at each time, executed", Ok(&gap.policy)),
        ("stationary", "its stationary projection, executed", Ok(&gap.projected)),
        ("optimal", "the optimal stationary policy, executed", gap.optimal.as_ref()),
    ];
    for (name, title, executed) in rows {
        match executed {
            Ok(Executed { values, mean_length }) => {
                let columns: String = values.iter().map(|value| format!("{value:>16.8}")).collect();
                let _ = writeln!(words, "  {title:<40}{columns}{mean_length:>14.4}");
                let mut row = by_reward(values, |value| json!(value));
                row.insert("mean_length".to_string(), json!(mean_length));
                json[name] = Value::Object(row);
            }
            Err(error) => {
                let _ = writeln!(words, "  {title:<40}  none: {error}");
                json[name] = Value::Null;
                json["no_optimal_because"] = json!(error.to_string());
            }
        }
    }
}

/// What a stationary policy loses.
fn tell_gap(gap: &PolicyGap, words: &mut String, json: &mut Value) {
    let losses: Vec<f64> = gap.policy.values.iter().zip(&gap.projected.values).map(|(policy, other)| policy - other).collect();
    json["gap"] = Value::Object(by_reward(&losses, |loss| json!(loss)));
    json["divergence"] = json!(gap.divergence);
    if gap.divergence < NOTHING {
        words.push_str("the policy does not depend on the time: a stationary policy loses nothing\n");
        json["most_time_dependent"] = json!([]);
        return;
    }
    // A policy of lucky paths need not be the best one without luck: a stationary one may have the larger value.
    let verb = |loss: &f64| if *loss < 0.0 { "gains" } else { "loses" };
    let tell = |(name, loss): (&&str, &f64)| format!("{} {:.8} of the {name} reward", verb(loss), loss.abs());
    let each: Vec<String> = REWARDS.iter().zip(&losses).map(tell).collect();
    let _ = writeln!(words, "a stationary policy {}", each.join(" and "));
    let _ = writeln!(words, "its divergence from the model is {:.8} nats per path", gap.divergence);
    let mut order: Vec<usize> = (0..gap.divergence_of_state.len()).collect();
    order.sort_by(|&a, &b| gap.divergence_of_state[b].total_cmp(&gap.divergence_of_state[a]));
    let most: Vec<(usize, f64)> = order.iter().take(NAMED).map(|&state| (state, gap.divergence_of_state[state])).collect();
    let most: Vec<(usize, f64)> = most.into_iter().filter(|row| row.1 > NOTHING).collect();
    json["most_time_dependent"] = json!(most);
    let named: Vec<String> = most.iter().map(|(state, nats)| format!("{state} ({nats:.4})")).collect();
    let _ = writeln!(words, "the policy depends on the time most in state {}", named.join(", "));
}

/// The same values by episodes.
fn roll_out(
    execution: &Execution<'_>,
    paths: &mut PathDistribution<'_>,
    gap: &PolicyGap,
    n: usize,
    seed: u64,
    words: &mut String,
) -> Result<Value, Failure> {
    let (mdp, horizon) = (paths.mdp(), paths.horizon());
    let mut json = json!({ "n": n, "seed": seed });
    let _ = writeln!(words, "by {n} episodes, with standard errors");
    let mut tell = |name: &str, title: &str, means: Vec<RolloutMean>| {
        let column = |mean: &RolloutMean| format!("{:>16.8} ± {:.8}", mean.mean, mean.standard_error);
        let _ = writeln!(words, "  {title:<40}{}", means.iter().map(column).collect::<String>());
        let shown = |mean: &RolloutMean| json!({ "mean": mean.mean, "standard_error": mean.standard_error });
        json[name] = Value::Object(by_reward(&means, shown));
    };
    tell("policy", "its policy at each time", execution.roll_out_paths(paths, n, seed)?);
    let stationary = execution.roll_out_policy(mdp, horizon, &gap.projection, n, seed)?;
    tell("stationary", "its stationary projection", stationary);
    if let Some(optimal) = &gap.optimal_policy {
        tell("optimal", "the optimal stationary policy", execution.roll_out_policy(mdp, horizon, optimal, n, seed)?);
    }
    Ok(json)
}

/// As `plan -o` writes a policy, and with the probabilities of stopping.
fn save(mdp: &Mdp, projection: &StationaryPolicy, values: &[f64], said: &Value, file: &Path) -> Result<(), Failure> {
    let policy: Vec<Value> = (0..mdp.n_states()).map(|state| probabilities(mdp, &projection.policy, state)).collect();
    let json = json!({
        "values": values,
        "policy": policy,
        "stop": projection.stop,
        "discount": said["discount"],
        "horizon": said["horizon"],
        "ends": said["ends"],
        "at_terminal": AtTerminal::Ends.name(),
        "paid": Paid::InState.name(),
    });
    write_json(file, &json)
}

/// π_t and σ_t: of all paths at that time, or of those that begin with a prefix.
fn one_time(args: &PolicyArgs, problem: &Problem, model: &Model, output: Output) -> Result<(), Failure> {
    let paths = args.asked.path_set.asked(problem, model, &args.asked.work)?;
    let given = args.asked.given(&paths, args.prefix.as_deref())?;
    let policy = paths.policy(&given, args.t.unwrap_or(1), &args.asked.work.of_engine())?;
    note_given(problem, &given);
    let said = path_set_json(paths.horizon(), paths.ends());
    let Some(prefix) = &given.prefix else {
        return at_time(&problem.mdp, &policy, args.t.unwrap_or(1), said, output);
    };
    after_prefix(&problem.mdp, &policy, prefix, said, output)
}

/// π and σ in the last state of a prefix.
fn after_prefix(mdp: &Mdp, policy: &PolicyAt, prefix: &Trajectory, mut json: Value, output: Output) -> Result<(), Failure> {
    let (t, state) = (prefix.states.len(), prefix.states[prefix.states.len() - 1]);
    let row = |choice: usize| json!([mdp.action_of(choice), policy.choice[choice]]);
    json["t"] = json!(t);
    json["state"] = json!(state);
    json["policy"] = mdp.choices(state).map(row).collect();
    json["stop"] = json!(policy.stop[state]);
    let action = |choice: usize| format!("  {}: {:.4}", mdp.action_of(choice), policy.choice[choice]);
    let actions: String = mdp.choices(state).map(action).collect();
    let words = format!(
        "the policy at t = {t} after this path: the probability of stopping, and of each action if the path goes on\n  \
         state {state:<8} stop {:.4}{actions}\n",
        policy.stop[state]
    );
    output.print(&words, &json)
}

/// π_t and σ_t of every state.
fn at_time(mdp: &Mdp, policy: &PolicyAt, t: usize, said: Value, output: Output) -> Result<(), Failure> {
    let json = policy_json(mdp, policy, t, said);
    let mut words = format!("the policy at t = {t}: the probability of stopping, and of each action if the path goes on\n");
    for state in (0..mdp.n_states()).take(LISTED) {
        let action = |choice: usize| format!("  {}: {:.4}", mdp.action_of(choice), policy.choice[choice]);
        let actions: String = mdp.choices(state).map(action).collect();
        let note = if policy.defined[state] { "" } else { "  (no path of the model is in this state at this time)" };
        let _ = writeln!(words, "  state {state:<8} stop {:.4}{actions}{note}", policy.stop[state]);
    }
    if mdp.n_states() > LISTED {
        let _ = writeln!(words, "  and {} more states: --json has them all", mdp.n_states() - LISTED);
    }
    output.print(&words, &json)
}
