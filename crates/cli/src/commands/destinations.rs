//! `revealed destinations`: where a path that was begun will end.

use std::fmt::Write;
use std::path::Path;

use revealed::{Ends, Options, PathModel, Prior, Trajectory};
use revealed_formats::{Layout, Problem, load_over_states};
use serde_json::{Value, json};

use super::follow::follow;
use super::load_model;
use crate::args::Destinations;
use crate::failure::Failure;
use crate::grid::{Grid, side_by_side};
use crate::output::{Output, colours};
use crate::question;

/// How many destinations are listed.
const LISTED: usize = 20;

/// The posterior of one prefix, or of each as the path grows.
pub fn run(args: &Destinations, output: Output) -> Result<(), Failure> {
    if args.top == Some(0) {
        return Err(Failure::new("--top is 0: ask for at least one destination"));
    }
    let problem = Problem::load(&args.problem)?;
    let model = load_model(&args.model, &problem)?;
    let paths = question::path_model(&problem, &model, args.horizon, args.ends)?;
    let prefix = args.prefix.as_deref().map(question::prefix).transpose()?;
    let prior = prior(args.prior.as_deref(), &paths)?;
    let options = Options { threads: args.threads, ..Options::default() };
    let destinations = revealed::Destinations::new(&paths, prior, &options)?;
    let mut ranking = Ranking { destinations, prior: prior_name(args, &paths), top: args.top };
    match prefix {
        Some(prefix) if !args.follow => {
            let ranked = ranking.of(&prefix)?;
            question::note_start(&problem, prefix.states[0]);
            output.print(&ranked.words(&problem), &ranked.json())
        }
        prefix => follow(&mut ranking, &problem, prefix, output),
    }
}

fn prior(text: Option<&str>, paths: &PathModel<'_>) -> Result<Prior, Failure> {
    match text {
        None if paths.ends() == Ends::Goal => {
            eprintln!(
                "note: the model is one of paths to a goal and says nothing of which goals are likely: the prior is uniform"
            );
            Ok(Prior::Uniform)
        }
        None | Some("model") => Ok(Prior::Model),
        Some("uniform") => Ok(Prior::Uniform),
        Some(file) if Path::new(file).exists() => {
            Ok(Prior::Given(load_over_states(file, "the prior", paths.mdp().n_states())?))
        }
        Some(other) => Err(Failure::new(format!(
            "--prior {other}: this is neither model nor uniform nor a file with a JSON array of {} weights",
            paths.mdp().n_states()
        ))),
    }
}

fn prior_name(args: &Destinations, paths: &PathModel<'_>) -> String {
    let own = if paths.ends() == Ends::Goal { "uniform" } else { "model" };
    args.prior.clone().unwrap_or_else(|| own.to_string())
}

/// What ranks destinations.
pub struct Ranking<'a> {
    destinations: revealed::Destinations<'a>,
    prior: String,
    top: Option<usize>,
}

impl Ranking<'_> {
    /// The model that is asked.
    pub fn paths(&self) -> &PathModel<'_> {
        self.destinations.model()
    }

    /// The ranking after a prefix.
    pub fn of(&mut self, prefix: &Trajectory) -> Result<Ranked<'_>, revealed::Error> {
        let posterior = self.destinations.posterior(prefix)?;
        let lengths = self.destinations.lengths(prefix)?;
        let mut order: Vec<usize> = (0..posterior.len()).filter(|&state| posterior[state] > 0.0).collect();
        // Stable, so ties go by the number of the state.
        order.sort_by(|&a, &b| posterior[b].total_cmp(&posterior[a]));
        let (length, last) = (prefix.states.len(), prefix.states[prefix.states.len() - 1]);
        let (mean, remaining) = (lengths.mean(), lengths.remaining());
        let model = self.destinations.model();
        let (horizon, ends) = (model.horizon(), model.ends());
        Ok(Ranked { posterior, order, length, last, mean, remaining, horizon, ends, prior: &self.prior, top: self.top })
    }
}

/// The destinations of one prefix, the likeliest first.
pub struct Ranked<'a> {
    posterior: Vec<f64>,
    order: Vec<usize>,
    length: usize,
    last: usize,
    mean: f64,
    remaining: f64,
    horizon: usize,
    ends: Ends,
    prior: &'a str,
    top: Option<usize>,
}

impl Ranked<'_> {
    fn rows(&self, listed: usize) -> impl Iterator<Item = (usize, f64)> {
        self.order.iter().take(listed).map(|&state| (state, self.posterior[state]))
    }

    /// As the contract has it, and what else is known.
    pub fn json(&self) -> Value {
        let posterior: Vec<(usize, f64)> = self.rows(self.top.unwrap_or(usize::MAX)).collect();
        json!({
            "posterior": posterior,
            "prefix_length": self.length,
            "horizon": self.horizon,
            "ends": self.ends.name(),
            "prior": self.prior,
            "expected_length": self.mean,
            "expected_remaining": self.remaining,
        })
    }

    /// A table, and a map where there is one.
    fn words(&self, problem: &Problem) -> String {
        let (state, steps) = (self.last, self.length);
        let mut text = format!(
            "where a path ends that is in state {state} after {steps} states (horizon {}, ends {}, prior {})\n",
            self.horizon,
            self.ends.name(),
            self.prior
        );
        if let Some(Layout::Grid { columns, .. }) = problem.layout {
            let values: Vec<Option<f64>> = self.posterior.iter().copied().map(Some).collect();
            let title = "probability of ending there";
            text += &side_by_side(&[Grid { title, columns, values: &values, marks: &[] }], colours());
        }
        text += "  rank  state     probability  cumulative\n";
        let mut cumulative = 0.0;
        let listed = self.top.unwrap_or(LISTED);
        for (place, (state, p)) in self.rows(listed).enumerate() {
            cumulative += p;
            let _ = writeln!(text, "  {:>4}  {state:<8}  {p:>11.8}  {cumulative:>10.8}", place + 1);
        }
        if self.order.len() > listed {
            let _ = writeln!(text, "  and {} more states: --top N lists N, --json has them all", self.order.len() - listed);
        }
        let _ = writeln!(text, "expected length {:.2} states, of which {:.2} are still to come", self.mean, self.remaining);
        text
    }

    /// One line, for a path that grows.
    pub fn line(&self) -> String {
        let shown: Vec<String> = self.rows(self.top.unwrap_or(5)).map(|(state, p)| format!("{state} ({p:.4})")).collect();
        format!("t = {}, state {}: {}; {:.1} states to come\n", self.length, self.last, shown.join(", "), self.remaining)
    }
}
