//! `revealed plan`: the values of states under a known reward, and the optimal policy.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use clap::builder::TypedValueParser;
use revealed::{AtTerminal, Mdp, Paid, Plan, Planning, Policy};
use revealed_formats::{Layout, Problem};
use serde_json::{Value, json};

use crate::args::choice::choice;
use crate::args::reward::{KnownReward, check_temperature, planning};
use crate::args::work::Threads;
use crate::files::output_file::{check_optional, write_json};
use crate::terminal::listing::LISTED;
use crate::terminal::{Failure, Output, grid};

/// Values of states under a known reward, and the optimal policy
#[derive(Args)]
#[command(after_help = "Example:\n  revealed plan lake.json --discount 0.99 -o policy.json")]
pub struct PlanArgs {
    /// The problem and the reward
    #[command(flatten)]
    known: KnownReward,
    /// Discount of planning [default: the problem's]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    discount: Option<f64>,
    /// The Boltzmann policy e^(Q/T) of this temperature instead of the optimal one
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// The value of a terminal state
    #[arg(long, value_parser = at_terminal(), default_value = "ends")]
    at_terminal: AtTerminal,
    /// When the reward of a state is paid
    #[arg(long, value_parser = paid(), default_value = "in-state")]
    paid: Paid,
    /// Where to write what --json prints (.json)
    #[arg(short, long, value_name = "POLICY")]
    output: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    work: Threads,
}

fn at_terminal() -> impl TypedValueParser<Value = AtTerminal> {
    choice(&AtTerminal::ALL, AtTerminal::name, |at_terminal| match at_terminal {
        AtTerminal::Ends => "Its reward, paid once",
        AtTerminal::KeepsPaying => "Its reward, paid at every later time",
    })
}

fn paid() -> impl TypedValueParser<Value = Paid> {
    choice(&[Paid::InState, Paid::OnArrival], Paid::name, |paid| match paid {
        Paid::InState => "In each state of the path, from the first one on (the paper)",
        Paid::OnArrival => "With the step that leads to the state, as in Gymnasium",
    })
}

/// Plans and prints.
pub fn run(args: &PlanArgs, output: Output) -> Result<(), Failure> {
    let settings = planning(args.discount, args.work.of_engine())?;
    check_temperature(args.temperature)?;
    check_optional(args.output.as_deref(), &args.known.inputs(), "the policy", "json")?;
    let problem = Problem::load(&args.known.problem)?;
    let mdp = &problem.mdp;
    let reward = args.known.reward(&problem)?;
    let planning = Planning { at_terminal: args.at_terminal, paid: args.paid, ..settings };

    let begun = Instant::now();
    let plan = planning.solve(mdp, &reward)?;
    let policy = match args.temperature {
        Some(temperature) => Policy::boltzmann(mdp, &planning.action_values(mdp, &reward, &plan.values)?, temperature)?,
        None => plan.policy.clone(),
    };
    let seconds = begun.elapsed().as_secs_f64();

    let mut json = json(args, mdp, &planning, &plan, &policy);
    json["seconds"] = json!(seconds);
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
        write_json(file, &json)?;
        let _ = writeln!(words, "written to {}", file.display());
    }
    output.print(&words, &json)
}

fn json(args: &PlanArgs, mdp: &Mdp, planning: &Planning, plan: &Plan, policy: &Policy) -> Value {
    let of_state = |state: usize| match args.temperature {
        Some(_) => probabilities(mdp, policy, state),
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
    });
    if let Some(temperature) = args.temperature {
        json["temperature"] = json!(temperature);
    }
    json
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

/// Values and actions, drawn if there is a grid.
fn shown(problem: &Problem, values: &[f64], policy: &Policy, temperature: Option<f64>) -> String {
    let mdp = &problem.mdp;
    let action = |state: usize| policy.action(mdp, state).map_or("-".to_string(), |action| action.to_string());
    let heading = if temperature.is_some() { "most likely action" } else { "action" };
    if let Some(Layout::Grid { columns, rows }) = problem.layout
        && grid::fits(rows, columns)
    {
        let cells: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        let mut text = grid::single("values", columns, &cells);
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
