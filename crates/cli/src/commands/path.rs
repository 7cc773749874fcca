//! `revealed path`: the likeliest paths.

use std::fmt::Write;
use std::time::Instant;

use revealed::{BestPaths, Ends, PathModel, PathQuery, Scaled, Spread, Trajectory, best_paths};
use revealed_formats::{Layout, Problem};
use serde_json::{Value, json};

use super::score::probability;
use super::{load_model, pairs};
use crate::args::{BestPath, Length, Work};
use crate::failure::Failure;
use crate::output::Output;
use crate::question;

/// Longer paths are shortened in the middle.
const SHOWN: usize = 40;
/// Larger grids do not fit on a screen.
const WIDEST: usize = 20;
const TALLEST: usize = 100;

/// Searches and prints.
pub fn run(args: &BestPath, output: Output) -> Result<(), Failure> {
    if let Some(file) = &args.pairs {
        return pairs::run(args, file, output);
    }
    let Some(from) = &args.from else {
        return Err(Failure::new("give --from and --to, or --pairs"));
    };
    let problem = Problem::load(&args.problem)?;
    let model = load_model(&args.model, &problem)?;
    let horizon = match args.horizon {
        Some(Length::Most(horizon)) => Some(horizon),
        Some(Length::Any) | None => None,
    };
    let paths = question::path_model(&problem, &model, horizon, args.ends)?;
    let n_states = problem.mdp.n_states();
    let from = question::states(from, "--from", n_states)?;
    let to = args.to.as_ref().map(|to| question::states(to, "--to", n_states)).transpose()?;
    if to.is_none() && paths.ends() == Ends::Goal {
        return Err(Failure::new("the model is one of paths to a goal (ends = goal): say where paths end with --to"));
    }
    let query = PathQuery {
        k: args.k.unwrap_or(1),
        bounded: !matches!(args.horizon, Some(Length::Any)),
        loopless: args.loopless,
        memory: args.work.options(paths.ends(), None).memory,
        threads: args.work.threads,
        ..PathQuery::new(from, to)
    };

    let begun = Instant::now();
    let found = best_paths(&paths, &query)?;
    let seconds = begun.elapsed().as_secs_f64();
    let log_total = if query.bounded { Some(log_total(&paths, &query, &args.work)?) } else { None };

    let each = described(&found, log_total);
    let mut json = each[0].clone();
    json["search"] = json!(found.search.name());
    json["horizon"] = json!(query.bounded.then(|| paths.horizon()));
    json["ends"] = json!(paths.ends().name());
    json["seconds"] = json!(seconds);
    if args.k.is_some() {
        json["paths"] = json!(each);
    }
    let mut words = in_words(&found, log_total);
    let _ = writeln!(words, "search          {}, {seconds:.3} s", found.search.name());
    words.push_str(&drawn(&problem, &found.paths[0].path));
    if let [(state, _)] = query.from[..] {
        question::note_start(&problem, state);
    }
    output.print(&words, &json)
}

/// log Σ f(s_1) q(τ) e^{R(τ)} g(s_l) over all paths of the model.
fn log_total(paths: &PathModel<'_>, query: &PathQuery, work: &Work) -> Result<f64, Failure> {
    let options = work.options(paths.ends(), Some(paths.horizon()));
    let endings = Spread::new(paths, &options)?.endings(&query.from, 1)?;
    let total: Scaled = match &query.to {
        None => endings.into_iter().sum(),
        Some(to) => to.iter().map(|&(state, weight)| Scaled::from(weight) * endings[state]).sum(),
    };
    Ok(total.ln())
}

/// log p(τ) given where paths begin and end. Rounding takes no probability above 1.
fn log_probability(log_score: f64, log_total: f64) -> f64 {
    (log_score - log_total).min(0.0)
}

/// An object for each path.
fn described(found: &BestPaths, log_total: Option<f64>) -> Vec<Value> {
    let of_path = |best: &revealed::BestPath| {
        let log_probability = log_total.map(|log_total| log_probability(best.log_score, log_total));
        json!({
            "states": best.path.states,
            "actions": best.path.actions,
            "n_states": best.path.states.len(),
            "log_weight": best.log_weight,
            "log_probability": log_probability,
            "probability": log_probability.map(f64::exp),
        })
    };
    found.paths.iter().map(of_path).collect()
}

fn in_words(found: &BestPaths, log_total: Option<f64>) -> String {
    let mut text = String::new();
    for (number, best) in found.paths.iter().enumerate() {
        let name = if number == 0 { "likeliest path".to_string() } else { format!("{}. path", number + 1) };
        let probability = log_total.map_or(String::new(), |log_total| {
            let log_probability = log_probability(best.log_score, log_total);
            format!(", probability {}", probability(log_probability))
        });
        let states = best.path.states.len();
        let _ = writeln!(text, "{name:<16}{states} states, log-weight {:.6}{probability}", best.log_weight);
        let _ = writeln!(text, "                {}", arrows(&best.path));
    }
    text
}

/// `0 -(2)-> 1 -(0)-> 5`, without its middle if it is long.
fn arrows(path: &Trajectory) -> String {
    let n = path.states.len();
    let left_out = if n > SHOWN { SHOWN / 2..n - SHOWN / 2 } else { n..n };
    let mut text = path.states[0].to_string();
    for place in 1..n {
        if place == left_out.start {
            let _ = write!(text, " … {} more states …", left_out.len());
        }
        if !left_out.contains(&place) {
            let _ = write!(text, " -({})-> {}", path.actions[place - 1], path.states[place]);
        }
    }
    text
}

/// When the path first comes to each cell, where there is a grid.
fn drawn(problem: &Problem, path: &Trajectory) -> String {
    let Some(Layout::Grid { rows, columns }) = problem.layout else { return String::new() };
    if columns > WIDEST || rows > TALLEST {
        return String::new();
    }
    let mut first_visit = vec![None; problem.mdp.n_states()];
    for (step, &state) in path.states.iter().enumerate() {
        first_visit[state].get_or_insert(step + 1);
    }
    let mut text = "when it first comes to each cell (. where it never does)\n".to_string();
    for row in first_visit.chunks(columns.max(1)) {
        let cells = row.iter().map(|visit| visit.map_or(".".to_string(), |t: usize| t.to_string()));
        let _ = writeln!(text, "{}", cells.map(|cell| format!("{cell:>4}")).collect::<String>());
    }
    text
}
