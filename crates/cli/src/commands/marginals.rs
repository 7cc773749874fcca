//! `revealed marginals`: where paths are.

use std::fmt::Write;

use clap::Args;
use revealed_formats::Layout;
use serde_json::json;

use crate::args::asked_paths::AskedPaths;
use crate::args::horizon::in_json;
use crate::args::problem::ProblemAndModel;
use crate::terminal::listing::LISTED;
use crate::terminal::{Failure, Output, grid};

/// The probability of each state at time t, or its expected visits
#[derive(Args)]
#[command(after_help = "Example:\n  revealed marginals lake.json model.json --t 5\n  \
    revealed marginals lake.json model.json --from 4 --to 15")]
pub struct MarginalsArgs {
    /// The problem and the model
    #[command(flatten)]
    files: ProblemAndModel,
    /// The time, from 1; without it, the discounted sum over all times
    #[arg(long, value_name = "T")]
    t: Option<usize>,
    /// Which paths
    #[command(flatten)]
    asked: AskedPaths,
}

/// p_t(s), or the discounted sum over t.
pub fn run(args: &MarginalsArgs, output: Output) -> Result<(), Failure> {
    let (problem, model) = args.files.load()?;
    let mut paths = args.asked.distribution(&problem, &model)?;
    let state = match args.t {
        Some(t) => paths.marginals(t)?.state,
        None => paths.occupancy().state.clone(),
    };
    let (horizon, ends) = args.asked.path_set.of(&model);
    let json = json!({ "state": state, "t": args.t, "horizon": in_json(horizon), "ends": ends.name() });
    let title = match args.t {
        Some(t) => format!("probability of being there at t = {t}"),
        None => "expected visits, discounted".to_string(),
    };
    let words = match problem.layout {
        Some(Layout::Grid { columns, .. }) => {
            let values: Vec<Option<f64>> = state.iter().copied().map(Some).collect();
            grid::single(&title, columns, &values)
        }
        _ => table(&title, &state),
    };
    output.print(&words, &json)
}

fn table(title: &str, state: &[f64]) -> String {
    let mut order: Vec<usize> = (0..state.len()).collect();
    order.sort_by(|&a, &b| state[b].total_cmp(&state[a]));
    let mut text = format!("{title}; sum {:.10}\n", state.iter().sum::<f64>());
    for &place in order.iter().take(LISTED) {
        let _ = writeln!(text, "  state {place:<8} {:.8}", state[place]);
    }
    if state.len() > LISTED {
        let _ = writeln!(text, "  and {} more states: --json has them all", state.len() - LISTED);
    }
    text
}
