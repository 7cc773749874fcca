//! `revealed marginals`: where paths are.

use std::fmt::Write;

use revealed_formats::{Layout, Problem};
use serde_json::json;

use super::load_model;
use crate::args::Marginals;
use crate::failure::Failure;
use crate::grid::{Grid, side_by_side};
use crate::output::{Output, colours};
use crate::paths::{Paths, path_set};

/// How many states are listed where there is no grid to draw.
const LISTED: usize = 20;

/// p_t(s), or the discounted sum over t.
pub fn run(args: &Marginals, output: Output) -> Result<(), Failure> {
    let problem = Problem::load(&args.problem)?;
    let model = load_model(&args.model, &problem)?;
    let mut paths = Paths::of(&problem, &model, &args.asked)?;
    let state = match args.t {
        Some(t) => paths.marginals(t)?.state,
        None => paths.occupancy().state.clone(),
    };
    let (horizon, ends) = path_set(&model, &args.asked);
    let json = json!({ "state": state, "t": args.t, "horizon": horizon, "ends": ends.name() });
    let title = match args.t {
        Some(t) => format!("probability of being there at t = {t}"),
        None => "expected visits, discounted".to_string(),
    };
    let words = match problem.layout {
        Some(Layout::Grid { columns, .. }) => {
            let values: Vec<Option<f64>> = state.iter().copied().map(Some).collect();
            side_by_side(&[Grid { title: &title, columns, values: &values, marks: &[] }], colours())
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
