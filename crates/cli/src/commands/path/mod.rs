//! `revealed path`: the likeliest paths.

mod pairs;

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use revealed::{BestPaths, Ends, PathQuery, Trajectory};
use revealed_formats::answers::{log_probability, log_total, paths_json};
use revealed_formats::{Layout, Problem};
use serde_json::json;

use super::score::probability;
use crate::args::asked_paths::no_goal;
use crate::args::horizon::in_json;
use crate::args::path_set::PathSet;
use crate::args::problem::ProblemAndModel;
use crate::args::states::{note_start, only_state, states};
use crate::args::work::Work;
use crate::terminal::notes::note;
use crate::terminal::{Failure, Output, grid};

/// The likeliest paths from one state to another
#[derive(Args)]
#[command(
    override_usage = "revealed path [OPTIONS] --from <S> [--to <S>] <PROBLEM> <MODEL>\n       \
        revealed path [OPTIONS] --pairs <FILE> [-o <FILE>] <PROBLEM> <MODEL>",
    after_help = "Example:\n  revealed path lake.json model.json --from 0 --to 15\n  \
        revealed path lake.json model.json --from 0 --to 15 --horizon 40 --k 3 --loopless --json\n  \
        revealed path lake.json model.json --pairs pairs.csv -o routes.jsonl"
)]
pub struct PathArgs {
    /// The problem and the model
    #[command(flatten)]
    files: ProblemAndModel,
    /// Where paths begin: a state, or a file with a JSON array of a weight for each
    #[arg(long, value_name = "S|FILE", required_unless_present = "pairs")]
    from: Option<String>,
    /// Where paths end: a state, or such a file [default: wherever paths of the model end]
    #[arg(long, value_name = "S|FILE", alias = "goal")]
    to: Option<String>,
    /// Which paths
    #[command(flatten)]
    path_set: PathSet,
    /// How many paths, the likeliest first [default: 1]
    #[arg(long, value_name = "K")]
    k: Option<usize>,
    /// Only paths that visit no state twice
    #[arg(long)]
    loopless: bool,
    /// Many queries: a file of first and last states
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to", "k", "loopless"])]
    pairs: Option<PathBuf>,
    /// Where to write the paths of --pairs, a JSON object a line (.jsonl)
    #[arg(short, long, value_name = "FILE", requires = "pairs", conflicts_with_all = ["from", "to", "k", "loopless"])]
    output: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Longer paths are shortened in the middle.
const SHOWN: usize = 40;

/// Searches and prints.
pub fn run(args: &PathArgs, output: Output) -> Result<(), Failure> {
    if let Some(file) = &args.pairs {
        return pairs::run(args, file, output);
    }
    let Some(from) = &args.from else {
        return Err(Failure::new("give --from and --to, or --pairs"));
    };
    let (problem, model) = args.files.load_any()?;
    let paths = args.path_set.asked(&problem, &model, &args.work)?;
    let n_states = problem.mdp.n_states();
    let from = states(from, "--from", n_states)?;
    let to = args.to.as_ref().map(|to| states(to, "--to", n_states)).transpose()?;
    if to.is_none() && paths.ends() == Ends::Goal {
        return Err(no_goal());
    }
    let query =
        PathQuery { k: args.k.unwrap_or(1), loopless: args.loopless, work: args.work.of_engine(), ..PathQuery::new(from, to) };

    let begun = Instant::now();
    let found = paths.best_paths(&query)?;
    let seconds = begun.elapsed().as_secs_f64();
    let log_total = log_total(&paths, &query, |error| note(format!("the paths have no probabilities: {error}")))?;

    let each = paths_json(&found, log_total);
    let mut json = each[0].clone();
    json["search"] = json!(found.search.name());
    json["horizon"] = in_json(paths.horizon());
    json["ends"] = json!(paths.ends().name());
    json["seconds"] = json!(seconds);
    if args.k.is_some() {
        json["paths"] = json!(each);
    }
    let mut words = text(&found, log_total);
    let _ = writeln!(words, "search          {}, {seconds:.3} s", found.search.name());
    words.push_str(&drawn(&problem, &found.paths[0].path));
    note_start(&problem, only_state(&query.from));
    output.print(&words, &json)
}

fn text(found: &BestPaths, log_total: Option<f64>) -> String {
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

/// When the path first comes to each cell, if there is a grid.
fn drawn(problem: &Problem, path: &Trajectory) -> String {
    let Some(Layout::Grid { rows, columns }) = problem.layout else { return String::new() };
    if !grid::fits(rows, columns) {
        return String::new();
    }
    let mut first_visit = vec![None; problem.mdp.n_states()];
    for (step, &state) in path.states.iter().enumerate() {
        first_visit[state].get_or_insert(step + 1);
    }
    let mut text = "time of the first visit to each cell (. if it is not visited)\n".to_string();
    for row in first_visit.chunks(columns.max(1)) {
        let cells = row.iter().map(|visit| visit.map_or(".".to_string(), |t: usize| t.to_string()));
        let _ = writeln!(text, "{}", cells.map(|cell| format!("{cell:>4}")).collect::<String>());
    }
    text
}
