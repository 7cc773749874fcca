//! `revealed counterfactual`: what would change in another world.

use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{Ends, Error};
use revealed_draw::{Axis, BLUE, Bars, Canvas, Flows, Interval, MapOptions, RoadMap, VERMILION, bars};
use revealed_formats::{
    CounterfactualRecord, CounterfactualRequest, Fault, MeasuredRecord, Model, OutcomeRecord, Problem, TripRecord,
    counterfactual, counterfactual_table, load_pairs,
};
use revealed_roads::{Roads, on_all_copies};

use crate::args::level::level;
use crate::args::problem::ProblemAndModel;
use crate::args::scenario::changes;
use crate::args::states::{one_state, state, states};
use crate::args::work::Work;
use crate::files::output_file::check_output;
use crate::files::picture::{check_picture, write_picture};
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
    /// Draw how visits change: a map of a road network, bars for other worlds (.svg or .png)
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// The most bars.
const BARS: usize = 8;

/// Asks and prints.
pub fn run(args: &CounterfactualArgs, output: Output) -> Result<(), Failure> {
    if let Some(file) = &args.map {
        let others = [&args.scenario, &args.world, &args.pairs].into_iter().flatten().map(PathBuf::as_path);
        let inputs: Vec<&Path> = args.files.inputs().into_iter().chain(others).collect();
        check_output(file, &inputs, "the map")?;
        check_picture(file)?;
    }
    let (problem, model) = args.files.load()?;
    let world = args.world.as_ref().map(Problem::load).transpose()?;
    let request = request(args, &problem, &model)?;
    if let Some(world) = &world
        && world.features.names() != problem.features.names()
    {
        note("the features of the other world have other names: they are compared by their numbers");
    }
    let work = args.work.of_engine();
    let found =
        watched(Bar::named("counterfactual"), |watch| counterfactual(&problem, &model, world.as_ref(), &request, &work, watch));
    let found = found.map_err(|fault| match fault {
        Fault::Content(Error::Stopped) => Failure::from(Error::Stopped).if_interrupted("there is no answer"),
        Fault::Content(error) => error.into(),
        fault @ Fault::Request(_) if model.summary.is_none() => Failure::in_file(&args.files.model, fault),
        fault => Failure::new(fault),
    })?;
    let mut words = counterfactual_table(&found);
    if let Some(file) = &args.map {
        write_picture(file, &picture(&args.files.problem, &found)?)?;
        words += &format!("drawn in {}\n", file.display());
    }
    output.print(&words, &serde_json::to_value(&found).map_err(Failure::new)?)
}

fn request(args: &CounterfactualArgs, problem: &Problem, model: &Model) -> Result<CounterfactualRequest, Failure> {
    let n_states = problem.mdp.n_states();
    let mut scenario = changes(args.scenario.as_deref(), &args.close, n_states)?;
    // What holds on a road holds however it is reached.
    if let (Some(scenario), Ok(roads)) = (&mut scenario, Roads::load(&args.files.problem)) {
        on_all_copies(&roads, scenario);
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

/// How visits change: on the map of a road network, or as bars of the states whose visits change most.
fn picture(problem: &Path, found: &CounterfactualRecord) -> Result<Canvas, Failure> {
    if found.outcomes.is_empty() {
        return Err(Failure::new("--map draws how visits change: give a scenario, --close or --world"));
    }
    let label = if found.travellers == 1.0 {
        "visits per path".to_string()
    } else {
        format!("visits of {} travellers", found.travellers)
    };
    // Other problems have no roads.
    if let Ok(roads) = Roads::load(problem) {
        let flows = Flows {
            title: "Visits of each road: the scenario compared with the base",
            label: &label,
            data: &found.base_visits,
            model: &found.scenario_visits,
            names: ["base", "scenario"],
            ..Flows::default()
        };
        return Ok(RoadMap::new(&roads, MapOptions::of(&roads))?.flow_difference(&flows)?);
    }
    let flows: Vec<&OutcomeRecord> =
        found.outcomes.iter().filter(|one| one.outcome.starts_with("visits:")).take(BARS).collect();
    if flows.is_empty() {
        return Err(Failure::new("--map draws how visits change: ask for --flows or --outcome visits:S"));
    }
    let groups: Vec<String> = flows.iter().map(|one| one.outcome.replace("visits:", "")).collect();
    let bar = |one: &MeasuredRecord| Interval {
        middle: one.value,
        half_width: one.interval.map_or(f64::NAN, |[low, high]| 0.5 * (high - low)),
    };
    let series = [
        Bars::new("base", BLUE, flows.iter().map(|one| bar(&one.base)).collect()),
        Bars::new("scenario", VERMILION, flows.iter().map(|one| bar(&one.scenario)).collect()),
    ];
    Ok(bars("state", &Axis::linear(label), &groups, &series))
}
