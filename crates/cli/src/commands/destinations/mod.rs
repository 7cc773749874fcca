//! `revealed destinations`: the posterior of the last state, given the path so far.

mod follow;

use std::fmt::Write;
use std::path::Path;

use clap::{ArgGroup, Args};
use revealed::{Ends, Horizon, Prior, Trajectory};
use revealed_formats::answers::RankedDestinations;
use revealed_formats::{AskedDestinations, AskedModel, Layout, Problem, load_over_states};
use serde_json::Value;

use self::follow::follow;
use crate::args::path_set::PathSet;
use crate::args::prefix::prefix;
use crate::args::problem::ProblemAndModel;
use crate::args::states::note_start;
use crate::args::work::Work;
use crate::terminal::listing::LISTED;
use crate::terminal::notes::note;
use crate::terminal::{Failure, Output, grid};

/// The posterior of all destinations, given the first steps of a path
#[derive(Args)]
#[command(
    group(ArgGroup::new("path").required(true).multiple(true).args(["prefix", "follow"])),
    after_help = "Example:\n  revealed destinations lake.json model.json --prefix 0,1,4,1,8\n  \
        revealed destinations lake.json model.json --prefix 0 --follow"
)]
pub struct DestinationsArgs {
    /// The problem and the model
    #[command(flatten)]
    files: ProblemAndModel,
    /// The path so far: states and actions in turn, as in 0,2,1
    #[arg(long, value_name = "S,A,S")]
    prefix: Option<String>,
    /// The prior of the destination: model, uniform, or a file with a JSON array of weights over states [default:
    /// model; for models with ends = goal, uniform]
    #[arg(long, value_name = "PRIOR")]
    prior: Option<String>,
    /// Only the N likeliest destinations [default: 20 as text, 5 with --follow, all with --json]
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Read the path from stdin as it grows and print the ranking after each line: a state first (unless --prefix
    /// begins the path), then `action state`. With --json, one object a line
    #[arg(long)]
    follow: bool,
    /// Which paths
    #[command(flatten)]
    path_set: PathSet,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// The posterior of one prefix, or of each as the path grows.
pub fn run(args: &DestinationsArgs, output: Output) -> Result<(), Failure> {
    if args.top == Some(0) {
        return Err(Failure::new("--top is 0: ask for at least one destination"));
    }
    let (problem, model) = args.files.load_any()?;
    let paths = args.path_set.asked(&problem, &model, &args.work)?;
    let prefix = args.prefix.as_deref().map(prefix).transpose()?;
    let prior = prior(args.prior.as_deref(), &paths)?;
    let destinations = paths.destinations(prior, &args.work.of_engine())?;
    let (horizon, ends) = (paths.horizon(), paths.ends());
    let mut ranking = Ranking { destinations, horizon, ends, prior: prior_name(args, &paths), top: args.top };
    match prefix {
        Some(prefix) if !args.follow => {
            let ranked = ranking.of(&prefix)?;
            note_start(&problem, Some(prefix.states[0]));
            output.print(&ranked.words(&problem), &ranked.json())
        }
        prefix => follow(&mut ranking, &problem, prefix, output),
    }
}

fn prior(text: Option<&str>, paths: &AskedModel<'_>) -> Result<Prior, Failure> {
    match text {
        None if paths.ends() == Ends::Goal => {
            note("a model of paths to a goal does not say which goals are likely: the prior is uniform");
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

fn prior_name(args: &DestinationsArgs, paths: &AskedModel<'_>) -> String {
    let own = if paths.ends() == Ends::Goal { "uniform" } else { "model" };
    args.prior.clone().unwrap_or_else(|| own.to_string())
}

/// What ranks destinations.
pub struct Ranking<'m, 'a> {
    destinations: AskedDestinations<'m, 'a>,
    horizon: Horizon,
    ends: Ends,
    prior: String,
    top: Option<usize>,
}

impl Ranking<'_, '_> {
    /// Checks that a path can begin like this.
    pub fn check(&self, prefix: &Trajectory) -> Result<(), revealed::Error> {
        self.destinations.check_prefix(prefix)
    }

    /// The ranking after a prefix.
    pub fn of(&mut self, prefix: &Trajectory) -> Result<Ranked<'_>, revealed::Error> {
        let found = RankedDestinations::new(&mut self.destinations, (self.horizon, self.ends), prefix)?;
        Ok(Ranked { found, prior: &self.prior, top: self.top })
    }
}

/// The destinations of one prefix, the likeliest first.
pub struct Ranked<'a> {
    found: RankedDestinations,
    prior: &'a str,
    top: Option<usize>,
}

impl Ranked<'_> {
    /// One JSON object.
    pub fn json(&self) -> Value {
        self.found.json(self.top, self.prior)
    }

    /// A table, and a map if there is one.
    fn words(&self, problem: &Problem) -> String {
        let (state, steps) = (self.found.last, self.found.length);
        let mut text = format!(
            "destinations of a path that is in state {state} after {steps} states (horizon {}, ends {}, prior {})\n",
            self.found.horizon,
            self.found.ends.name(),
            self.prior
        );
        if let Some(Layout::Grid { columns, .. }) = problem.layout {
            let values: Vec<Option<f64>> = self.found.posterior.iter().copied().map(Some).collect();
            let title = "probability of ending there";
            text += &grid::single(title, columns, &values);
        }
        text += "  rank  state     probability  cumulative\n";
        let mut cumulative = 0.0;
        let listed = self.top.unwrap_or(LISTED);
        for (place, (state, p)) in self.found.rows(listed).enumerate() {
            cumulative += p;
            let _ = writeln!(text, "  {:>4}  {state:<8}  {p:>11.8}  {cumulative:>10.8}", place + 1);
        }
        if self.found.order.len() > listed {
            let _ =
                writeln!(text, "  and {} more states: --top N lists N, --json has them all", self.found.order.len() - listed);
        }
        let _ = writeln!(
            text,
            "expected length {:.2} states, of which {:.2} are still to come",
            self.found.mean, self.found.remaining
        );
        text
    }

    /// One line, for a path that grows.
    pub fn line(&self) -> String {
        let shown: Vec<String> = self.found.rows(self.top.unwrap_or(5)).map(|(state, p)| format!("{state} ({p:.4})")).collect();
        format!(
            "t = {}, state {}: {}; {:.1} states to come\n",
            self.found.length,
            self.found.last,
            shown.join(", "),
            self.found.remaining
        )
    }
}
