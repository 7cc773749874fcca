//! `revealed counterfactual`: what would change in another world.

use std::path::PathBuf;

use clap::Args;
use revealed::{Ends, Error};
use revealed_formats::{
    CounterfactualRequest, Fault, Model, Problem, ScenarioRecord, TripRecord, counterfactual, counterfactual_table, load_pairs,
};

use crate::args::level::level;
use crate::args::problem::ProblemAndModel;
use crate::args::states::{one_state, state, states};
use crate::args::work::Work;
use crate::terminal::notes::note;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// What would change: a toll, a closed road, other dynamics; with intervals, elasticities and ratios of weights
#[derive(Args)]
#[command(after_help = "Example:\n  revealed counterfactual lake.json model.json --close 6\n  \
    revealed counterfactual lake.json model.json --scenario toll.json --outcome end:15\n  \
    revealed counterfactual lake.json model.json --ratio 15/14")]
pub struct CounterfactualArgs {
    /// The problem and the model, which needs standard errors (learn --summary)
    #[command(flatten)]
    files: ProblemAndModel,
    /// Changes of the world: closures, tolls, feature values (.json)
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Another problem to compare with, with the same states and features (.json or .npz)
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// States that no path visits, in addition to those of the scenario
    #[arg(long, value_name = "S,S", value_delimiter = ',', value_parser = one_state)]
    close: Vec<usize>,
    /// What to measure: length, length-variance, reward, logsum, visits:S, end:S, transition:S,A,S, feature:NAME,
    /// surplus:NAME (the logsum in units of a cost); may be repeated [default: length, reward, logsum and features]
    #[arg(long, value_name = "NAME")]
    outcome: Vec<String>,
    /// How many states to add to the outcomes: those whose visits change most
    #[arg(long, value_name = "K", default_value_t = 5)]
    flows: usize,
    /// Elasticities of the outcomes by this feature; may be repeated
    #[arg(long, value_name = "NAME")]
    elasticity: Vec<String>,
    /// A ratio of two weights, such as the value of time: time/price; may be repeated
    #[arg(long, value_name = "A/B")]
    ratio: Vec<String>,
    /// The trips over which outcomes are averaged: a file of first and last states, and weights
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to"])]
    pairs: Option<PathBuf>,
    /// Where paths begin: a state, or a file with a JSON array of a weight for each [default: the problem's start]
    #[arg(long, value_name = "S|FILE")]
    from: Option<String>,
    /// The state where paths end; a model with ends goal needs it, or --pairs
    #[arg(long, value_name = "S", alias = "goal", value_parser = one_state)]
    to: Option<usize>,
    /// Multiply visits, transitions and ends by this number [default: 1; with --pairs, the sum of their weights]
    #[arg(long, value_name = "N")]
    travellers: Option<f64>,
    /// Confidence level of the intervals
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = level, allow_negative_numbers = true)]
    level: f64,
    /// Use the robust (sandwich) covariance, which is valid even if the model is wrong
    #[arg(long)]
    robust: bool,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Asks and prints.
pub fn run(args: &CounterfactualArgs, output: Output) -> Result<(), Failure> {
    let (problem, model) = args.files.load()?;
    let world = args.world.as_ref().map(Problem::load).transpose()?;
    let request = request(args, &problem, &model)?;
    if let Some(world) = &world
        && world.features.names() != problem.features.names()
    {
        note("the features of the other world have other names: they are compared by their numbers");
    }
    let options = args.work.options(model.ends, Some(model.horizon));
    let found = watched(Bar::named("counterfactual"), |watch| {
        counterfactual(&problem, &model, world.as_ref(), &request, &options, watch)
    });
    let found = found.map_err(|fault| match fault {
        Fault::Content(Error::Stopped) => Failure::from(Error::Stopped).if_interrupted("there is no answer"),
        Fault::Content(error) => error.into(),
        fault @ Fault::Request(_) if model.summary.is_none() => Failure::in_file(&args.files.model, fault),
        fault => Failure::new(fault),
    })?;
    output.print(&counterfactual_table(&found), &serde_json::to_value(&found).map_err(Failure::new)?)
}

fn request(args: &CounterfactualArgs, problem: &Problem, model: &Model) -> Result<CounterfactualRequest, Failure> {
    let n_states = problem.mdp.n_states();
    let mut scenario = args.scenario.as_ref().map(ScenarioRecord::load).transpose()?;
    if !args.close.is_empty() {
        let close = args.close.iter().map(|&one| state(one, "--close", n_states)).collect::<Result<Vec<_>, _>>()?;
        scenario.get_or_insert_default().close.extend(close);
    }
    let pairs = args.pairs.as_ref().map(|file| load_pairs(file, n_states)).transpose()?.unwrap_or_default();
    let trips: Vec<TripRecord> =
        pairs.iter().map(|pair| TripRecord { from: pair.from, to: Some(pair.to), weight: pair.weight }).collect();
    let start = args.from.as_ref().map(|from| states(from, "--from", n_states)).transpose()?;
    let to = args.to.map(|to| state(to, "--to", n_states)).transpose()?;
    if model.ends == Ends::Goal && trips.is_empty() && to.is_none() {
        let message = "the model is one of paths to a goal (ends goal): say which trips there are with --pairs, or with \
                       --from and --to";
        return Err(Failure::new(message));
    }
    let total = if trips.is_empty() { 1.0 } else { trips.iter().map(|trip| trip.weight).sum() };
    Ok(CounterfactualRequest {
        scenario,
        outcomes: args.outcome.clone(),
        flows: args.flows,
        elasticities: args.elasticity.clone(),
        ratios: args.ratio.clone(),
        trips,
        start,
        to,
        travellers: args.travellers.unwrap_or(total),
        level: args.level,
        robust: args.robust,
    })
}
