//! `revealed marginals`: where paths are, what they do there, and where that leads.

use std::fmt::Write;

use clap::Args;
use clap::builder::TypedValueParser;
use revealed::{MarginalKind, Mdp};
use revealed_formats::Layout;
use revealed_formats::answers::visits_json;
use serde_json::json;

use crate::args::asked_paths::AskedPaths;
use crate::args::choice::choice;
use crate::args::horizon::in_json;
use crate::args::problem::ProblemAndModel;
use crate::args::states::note_given;
use crate::terminal::listing::LISTED;
use crate::terminal::{Failure, Output, grid};

/// The probability of each state or action at time t, or its expected visits
#[derive(Args)]
#[command(after_help = "Example:\n  revealed marginals lake.json model.json --t 5\n  \
    revealed marginals lake.json model.json --t 5 --of state-action\n  \
    revealed marginals lake.json model.json --from 4 --to 15")]
pub struct MarginalsArgs {
    /// The problem and the model
    #[command(flatten)]
    files: ProblemAndModel,
    /// The time, from 1; without it, the discounted sum over all times
    #[arg(long, value_name = "T")]
    t: Option<usize>,
    /// What to count
    #[arg(long, value_name = "KIND", default_value = MarginalKind::State.name(), value_parser = kind())]
    of: MarginalKind,
    /// Which paths
    #[command(flatten)]
    asked: AskedPaths,
}

fn kind() -> impl TypedValueParser<Value = MarginalKind> {
    choice(&MarginalKind::ALL, MarginalKind::name, |kind| match kind {
        MarginalKind::State => "p_t(s): where paths are",
        MarginalKind::StateAction => "p_t(s, a): what they do there, if they do not end",
        MarginalKind::Transition => "p_t(s, a, s'): and where that leads",
    })
}

/// p_t, or the discounted sum over t.
pub fn run(args: &MarginalsArgs, output: Output) -> Result<(), Failure> {
    let (problem, model) = args.files.load_any()?;
    let paths = args.asked.path_set.asked(&problem, &model, &args.asked.work)?;
    let given = args.asked.given(&paths, None)?;
    let visits = paths.visits(&given, args.of, args.t, &args.asked.work.of_engine())?;
    note_given(&problem, &given);
    let (horizon, ends) = args.asked.path_set.of(&model);
    let mut json = json!({ "t": args.t, "horizon": in_json(horizon), "ends": ends.name() });
    // The list has the name of the kind, as JSON writes names.
    json[args.of.name().replace('-', "_")] = visits_json(&problem.mdp, args.of, &visits);
    let title = title(args.of, args.t);
    let words = match (problem.layout, args.of) {
        (Some(Layout::Grid { columns, .. }), MarginalKind::State) => {
            let values: Vec<Option<f64>> = visits.iter().copied().map(Some).collect();
            grid::single(&title, columns, &values)
        }
        _ => table(&title, &problem.mdp, args.of, &visits),
    };
    output.print(&words, &json)
}

fn title(kind: MarginalKind, t: Option<usize>) -> String {
    match (kind, t) {
        (MarginalKind::State, Some(t)) => format!("probability of being there at t = {t}"),
        (MarginalKind::StateAction, Some(t)) => format!("probability of being there and of this action at t = {t}"),
        (MarginalKind::Transition, Some(t)) => format!("probability of this transition at t = {t}"),
        (MarginalKind::State, None) => "expected visits, discounted".to_string(),
        (MarginalKind::StateAction, None) => "expected visits of each action, discounted".to_string(),
        (MarginalKind::Transition, None) => "expected visits of each transition, discounted".to_string(),
    }
}

/// The largest ones.
fn table(title: &str, mdp: &Mdp, kind: MarginalKind, visits: &[f64]) -> String {
    let mut order: Vec<usize> = (0..visits.len()).collect();
    order.sort_by(|&a, &b| visits[b].total_cmp(&visits[a]));
    let mut text = format!("{title}; sum {:.10}\n", visits.iter().sum::<f64>());
    let action = |number: usize| format!("state {:<8} action {:<4}", mdp.state_of(number), mdp.action_of(number));
    for &place in order.iter().take(LISTED) {
        let name = match kind {
            MarginalKind::State => format!("state {place:<8}"),
            MarginalKind::StateAction => action(place),
            MarginalKind::Transition => {
                format!("{} to {:<8}", action(mdp.choice_of()[place] as usize), mdp.to()[place])
            }
        };
        let _ = writeln!(text, "  {name} {:.8}", visits[place]);
    }
    if visits.len() > LISTED {
        let all = match kind {
            MarginalKind::State => "states",
            MarginalKind::StateAction => "actions",
            MarginalKind::Transition => "transitions",
        };
        let _ = writeln!(text, "  and {} more {all}: --json has them all", visits.len() - LISTED);
    }
    text
}
