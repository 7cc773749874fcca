//! `revealed plan`: what states are worth under a known reward, and what is best to do.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use revealed::{Mdp, Planning, Policy, Reward};
use revealed_formats::{Layout, Problem, atomic};
use serde_json::{Value, json};

use super::learn::{check_extension, check_output};
use super::load_model;
use crate::args::Plan;
use crate::failure::Failure;
use crate::grid::{Grid, side_by_side};
use crate::output::{Output, colours};

/// Larger grids do not fit on a screen.
const WIDEST: usize = 20;
const TALLEST: usize = 100;
/// How many states are listed where there is no grid to draw.
const LISTED: usize = 20;

/// Plans and prints.
pub fn run(args: &Plan, output: Output) -> Result<(), Failure> {
    let settings = planning(args.discount, args.threads)?;
    check_temperature(args.temperature)?;
    if let Some(file) = &args.output {
        check_output(file, &inputs(&args.problem, args.model.as_ref()), "the policy")?;
        check_extension(file, "json")?;
    }
    let problem = Problem::load(&args.problem)?;
    let mdp = &problem.mdp;
    let reward = reward(&problem, &args.problem, args.model.as_deref())?;
    let planning = Planning { at_terminal: args.at_terminal.into(), paid: args.paid.into(), ..settings };

    let begun = Instant::now();
    let plan = planning.solve(mdp, &reward)?;
    let policy = match args.temperature {
        Some(temperature) => Policy::boltzmann(mdp, &planning.action_values(mdp, &reward, &plan.values)?, temperature)?,
        None => plan.policy,
    };
    let seconds = begun.elapsed().as_secs_f64();

    let of_state = |state: usize| match args.temperature {
        Some(_) => probabilities(mdp, &policy, state),
        None => json!(policy.action(mdp, state)),
    };
    let mut json = json!({
        "values": plan.values,
        "policy": (0..mdp.n_states()).map(of_state).collect::<Vec<Value>>(),
        "error_bound": plan.error_bound,
        "policy_loss": plan.policy_loss,
        "iterations": plan.iterations,
        "converged": plan.converged,
        "discount": planning.discount(mdp),
        "at_terminal": planning.at_terminal.name(),
        "paid": planning.paid.name(),
        "seconds": seconds,
    });
    if let Some(temperature) = args.temperature {
        json["temperature"] = json!(temperature);
    }
    let bound = plan.error_bound.map_or("none with discount 1".to_string(), |bound| format!("{bound:.1e}"));
    let mut words = format!(
        "discount        {}, terminal states: {}, paid: {}\n\
         search          {} iterations, {seconds:.3} s, error bound {bound}\n",
        planning.discount(mdp),
        planning.at_terminal.name(),
        planning.paid.name(),
        plan.iterations,
    );
    if !plan.converged {
        words.push_str("note: the search ended before the tolerance was reached; the error bound holds\n");
    }
    words.push_str(&shown(&problem, &plan.values, &policy, args.temperature));
    if let Some(file) = &args.output {
        let text = format!("{json}\n");
        atomic::write(file, |out| out.write_all(text.as_bytes()))?;
        let _ = writeln!(words, "written to {}", file.display());
    }
    output.print(&words, &json)
}

/// The files that an output must not overwrite.
pub fn inputs<'a>(problem: &'a PathBuf, model: Option<&'a PathBuf>) -> Vec<&'a Path> {
    [Some(problem), model].into_iter().flatten().map(PathBuf::as_path).collect()
}

/// The reward of a model, or the problem's true one.
pub fn reward(problem: &Problem, problem_file: &Path, model: Option<&Path>) -> Result<Reward, Failure> {
    let theta = match (model, &problem.true_theta) {
        (Some(path), _) => load_model(path, problem)?.theta,
        (None, Some(theta)) => theta.clone(),
        (None, None) => {
            let message = "the problem has no true reward (`reward.true`): give it one, or name a model with --model";
            return Err(Failure::new(format!("{}: {message}", problem_file.display())));
        }
    };
    Ok(problem.features.reward(&problem.mdp, &theta)?)
}

/// Settings of planning, with a discount that is in its range.
pub fn planning(discount: Option<f64>, threads: Option<usize>) -> Result<Planning, Failure> {
    match discount.filter(|discount| !(0.0..=1.0).contains(discount)) {
        Some(discount) => Err(Failure::new(format!("--discount {discount}: it must lie between 0 and 1"))),
        None => Ok(Planning { discount, threads, ..Planning::default() }),
    }
}

/// Refuses a temperature that is none.
pub fn check_temperature(temperature: Option<f64>) -> Result<(), Failure> {
    match temperature.filter(|&temperature| !(temperature.is_finite() && temperature > 0.0)) {
        Some(temperature) => Err(Failure::new(format!("--temperature {temperature}: it must be a finite number above 0"))),
        None => Ok(()),
    }
}

/// π(a|s) of every action, 0 for those that the state does not offer; null in a terminal state.
pub fn probabilities(mdp: &Mdp, policy: &Policy, state: usize) -> Value {
    if mdp.is_terminal(state) {
        return Value::Null;
    }
    let mut each = vec![0.0; mdp.n_actions()];
    mdp.choices(state).for_each(|choice| each[mdp.action_of(choice)] = policy.probability(choice));
    json!(each)
}

/// Values and actions, drawn where there is a grid.
fn shown(problem: &Problem, values: &[f64], policy: &Policy, temperature: Option<f64>) -> String {
    let mdp = &problem.mdp;
    let action = |state: usize| policy.action(mdp, state).map_or("-".to_string(), |action| action.to_string());
    let heading = if temperature.is_some() { "most likely action" } else { "action" };
    if let Some(Layout::Grid { columns, rows }) = problem.layout
        && columns <= WIDEST
        && rows <= TALLEST
    {
        let cells: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        let mut text = side_by_side(&[Grid { title: "values", columns, values: &cells, marks: &[] }], colours());
        let _ = writeln!(text, "{heading} (- where episodes end)");
        let states: Vec<usize> = (0..mdp.n_states()).collect();
        for row in states.chunks(columns.max(1)) {
            let cells: Vec<String> = row.iter().map(|&state| format!("{:>3}", action(state))).collect();
            let _ = writeln!(text, "{}", cells.concat());
        }
        return text;
    }
    let mut text = format!("state       value             {heading}\n");
    for (state, value) in values.iter().enumerate().take(LISTED) {
        let _ = writeln!(text, "{state:<10}  {value:<16.8}  {}", action(state));
    }
    if values.len() > LISTED {
        let _ = writeln!(text, "and {} more states: --json has them all", values.len() - LISTED);
    }
    text
}
