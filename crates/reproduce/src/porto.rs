//! `porto`: forecasts of what taxi drivers do, from raw GPS trips and a raw map (the paper, "Example application").
//!
//! The stages and what they keep are in `porto/stages.rs`, the models and their judgement here, tables and maps in
//! `porto/section.rs`.

mod pictures;
mod section;
mod stages;

use std::path::PathBuf;

use revealed::{Bounds, Demonstrations, Ends, MaxEnt, Method, PathModel, Reward, RouteSums, Trajectory};
use revealed_formats::{Model, Problem};
use revealed_roads::prediction::{DestinationOptions, destination_prior, evaluate_destinations, posterior, prefix_length};
use revealed_roads::{Metrics, Predictions, Roads, Score, Summary, baselines, predict, split};

use self::pictures::{Forecasts, Pictures};
pub(crate) use self::section::section;
use self::stages::{Stages, learn_watched};
use crate::Settings;
use crate::error::Error;
use crate::plan::{Plan, Row, Unit};
use crate::run::Context;

/// The share of paths that are learned from.
const TRAIN: f64 = 0.7;
/// The most states of a path; the paper leaves out longer ones, too.
const LONGEST: usize = 400;
/// The fewest; the paper's shortest path has as many.
const SHORTEST: usize = 5;
/// Where training trips ended is spread by so many metres to be a prior of destinations.
const SPREAD: f64 = 100.0;
/// Trips that destinations are forecast for in a first look.
const QUICK_TRIPS: usize = 100;

/// The raw files.
#[derive(Debug, Clone, PartialEq)]
pub struct PortoFiles {
    /// Trips, as the UCI's taxi data has them.
    pub trips: PathBuf,
    /// OpenStreetMap.
    pub map: PathBuf,
    /// Tracks that others recorded, each with its map and the track: matched and drawn where they are there.
    pub tracks: Vec<[PathBuf; 2]>,
}

impl Default for PortoFiles {
    fn default() -> Self {
        let data = |file: &str| PathBuf::from("../shared/data").join(file);
        let track = |map: &str, track: &str| [map, track].map(|file| data("osm_fixtures").join(file));
        PortoFiles {
            trips: data("porto_trips/porto_trips_17084.csv.gz"),
            map: data("porto_osm/porto_2022-11.osm.gz"),
            tracks: vec![track("andorra.osm.pbf", "andorra_for_map_matching.gpx"), track("map-issue13.osm.gz", "issue-13.gpx")],
        }
    }
}

impl PortoFiles {
    /// What is not there, and what to do about it.
    pub(crate) fn missing(&self) -> Option<String> {
        let missing = [("--trips", &self.trips), ("--map", &self.map)].into_iter().find(|(_, path)| !path.is_file());
        missing.map(|(option, path)| {
            format!(
                "porto needs {}, which is not there: give GPS trips with --trips and OpenStreetMap with --map; `revealed roads city` makes \
                 both up ({option} is missing)",
                path.display()
            )
        })
    }
}

pub(crate) fn plan(settings: &Settings) -> Plan {
    Plan {
        version: 2,
        cases: vec![stages::inputs(settings)],
        repeats: settings.repeats(3, 1),
        seeded: true,
        alone: true,
        columns: &["seed", "table", "row", "quantity", "n", "value", "low", "high"],
        timings: &["seconds"],
    }
}

/// One division of the paths: learns each model, forecasts the rest, and judges.
pub(crate) fn work(unit: &Unit, context: &Context<'_>) -> Result<Vec<Row>, Error> {
    let stages = Stages::new(context)?;
    let seed = context.settings.seed + unit.repeat as u64;
    let mut table = Rows { seed, rows: Vec::new() };
    let (roads, import) = stages.network()?;
    let (paths, tally, matching) = stages.paths(&roads)?;
    table.stage("import", import);
    table.stage("matching", matching);
    for (reason, count) in &tally {
        table.add("trips", reason, "count", *count, [*count as f64, f64::NAN, f64::NAN], None);
    }
    let sizes = SHORTEST..=LONGEST;
    let paths: Vec<Trajectory> = paths.into_iter().filter(|path| sizes.contains(&path.states.len())).collect();
    let (train, test) = split(&paths, TRAIN, seed)?.of(&paths);
    for (name, paths) in [("learned from", &train), ("judged by", &test)] {
        table.add("paths", name, "count", paths.len(), [paths.len() as f64, f64::NAN, f64::NAN], None);
    }
    let problem = starting_as(&roads, &train)?;
    let horizon = train.iter().chain(&test).map(|path| path.states.len()).max().unwrap_or(1);
    let case = Case {
        stages: &stages,
        roads: &roads,
        problem: &problem,
        train: &train,
        test: &test,
        horizon,
        seed,
        is_first: unit.repeat == 0,
    };
    let begun = std::time::Instant::now();
    case.judge(&mut table)?;
    table.stage("evaluation and learning", Some(begun.elapsed().as_secs_f64()));
    Ok(table.rows)
}

/// The network's problem with paths that start where those do that are learned from: the paper's stochastic start. As much as one path
/// starts anywhere, so that no start is impossible.
fn starting_as(roads: &Roads, train: &[Trajectory]) -> Result<Problem, Error> {
    let mut columns = roads.problem()?.columns();
    let (n, all) = (roads.n_states() as f64, train.len() as f64 + 1.0);
    let mut starts = vec![1.0 / n / all; roads.n_states()];
    train.iter().for_each(|path| starts[path.states[0]] += 1.0 / all);
    columns.start = Default::default();
    starts.iter().enumerate().for_each(|(state, &p)| columns.start.push([state], p));
    columns.build().map_err(|fault| revealed_roads::Error::Network(fault.to_string()).into())
}

/// The rows of the results.
struct Rows {
    seed: u64,
    rows: Vec<Row>,
}

impl Rows {
    fn add(&mut self, table: &str, row: &str, quantity: &str, n: usize, values: [f64; 3], seconds: Option<f64>) {
        let shown = |value: f64| if value.is_nan() { String::new() } else { format!("{value}") };
        let mut cells = vec![self.seed.to_string(), table.to_string(), row.to_string(), quantity.to_string(), n.to_string()];
        cells.extend(values.map(shown));
        self.rows.push(Row { cells, seconds: vec![seconds] });
    }

    fn stage(&mut self, name: &str, seconds: Option<f64>) {
        self.add("stages", name, "", 0, [f64::NAN; 3], seconds);
    }

    fn summary(&mut self, table: &str, row: &str, quantity: &str, summary: &Summary) {
        let (low, high) = summary.interval.unwrap_or((f64::NAN, f64::NAN));
        self.add(table, row, quantity, summary.n, [summary.median, low, high], None);
        self.add(table, row, &format!("mean {quantity}"), summary.n, [summary.mean, f64::NAN, f64::NAN], None);
    }
}

/// The routes of a predictor, or why there is none.
type Forecast = Vec<Result<Vec<usize>, String>>;

/// One division of the paths.
struct Case<'a> {
    stages: &'a Stages<'a>,
    roads: &'a Roads,
    problem: &'a Problem,
    train: &'a [Trajectory],
    test: &'a [Trajectory],
    horizon: usize,
    seed: u64,
    /// Whether it is the one that is drawn.
    is_first: bool,
}

impl Case<'_> {
    fn judge(&self, table: &mut Rows) -> Result<(), Error> {
        let (mdp, features) = (&self.problem.mdp, &self.problem.features);
        let demos = Demonstrations::new(mdp, self.train).map_err(engine)?;
        let any_length = [("shortest path", baselines::shortest(self.roads)), ("fastest path", baselines::fastest(self.roads))];
        let (mut routes, mut models) = (Vec::new(), Vec::new());
        for (name, reward) in any_length {
            routes.push(self.score(table, name, reward, Ends::Anywhere, false)?);
        }
        for (name, method, bounds) in [
            ("recursive logit", Method::RecursiveLogit, Bounds::None),
            ("paper's model", Method::Exact, Bounds::None),
            ("paper's model, costs only", Method::Exact, Bounds::Same(f64::NEG_INFINITY, 0.0)),
            ("Ziebart 2008", Method::Ziebart2008, Bounds::None),
        ] {
            let ends = method.usual_ends();
            let options = self.stages.options(ends, self.horizon);
            // Ziebart's directions are the gradient of nothing: most of what they do, they do at once.
            let max_iterations = if method == Method::Ziebart2008 { 150 } else { 1000 };
            let settings = MaxEnt { method, options, bounds, max_iterations, ..MaxEnt::default() };
            let model = learn_watched(self.stages, name, self.seed, &settings, self.problem, &demos)?;
            table.stage(&format!("learning, {name}"), model.seconds);
            table.add(
                "models",
                name,
                "log_likelihood",
                self.train.len(),
                [model.log_likelihood.unwrap_or(f64::NAN), f64::NAN, f64::NAN],
                None,
            );
            for (feature, theta) in model.theta.iter().enumerate() {
                table.add("theta", name, &features.name(feature), 0, [*theta, f64::NAN, f64::NAN], None);
            }
            let reward = features.reward(mdp, &model.theta).map_err(engine)?;
            routes.push(self.score(table, name, reward, ends, method != Method::RecursiveLogit)?);
            models.push(model);
        }
        let theta = baselines::random_weights(features.n_features(), self.seed);
        let reward = features.reward(mdp, &theta).map_err(engine)?;
        self.score(table, "random weights", reward, Ends::Anywhere, true)?;
        self.destinations(table, &models[0])?;
        if self.is_first {
            // In the order in which they were asked for: shortest, fastest, recursive logit, the paper's, and with costs only.
            let [learned, paper, shortest] = [2, 4, 0].map(|place: usize| std::mem::take(&mut routes[place]));
            Pictures::keep(self, self.stages.folder(), [&models[0], &models[2]], &Forecasts { learned, paper, shortest })?;
        }
        Ok(())
    }

    /// Forecasts every path that was held out, and judges the forecasts.
    fn score(
        &self,
        table: &mut Rows,
        name: &'static str,
        reward: Reward,
        ends: Ends,
        bounded: bool,
    ) -> Result<Forecast, Error> {
        let predictions = self.predict(name, reward, ends, bounded)?;
        let score = Score::new(name, &Metrics::new(self.roads), self.test, &predictions);
        table.summary("routes", name, "distance match", &score.distance_match);
        table.summary("routes", name, "feature distance", &score.feature_distance);
        table.summary("routes", name, "covered", &score.covered);
        table.summary("routes", name, "length", &score.predicted);
        let asked = score.asked;
        table.add("routes", name, "identical", asked, [100.0 * score.identical, f64::NAN, f64::NAN], None);
        table.add("routes", name, "in circles", asked, [f64::from(predictions.in_circles), f64::NAN, f64::NAN], None);
        table.stage(&format!("forecasts, {name}"), Some(score.seconds));
        Ok(predictions.routes)
    }

    fn predict(&self, name: &'static str, reward: Reward, ends: Ends, bounded: bool) -> Result<Predictions, Error> {
        let model = PathModel::new(&self.problem.mdp, reward, self.horizon, ends).map_err(engine)?;
        let threads = self.stages.threads();
        let mut watch = |done: usize| self.stages.tell(name, done, self.test.len());
        let found = predict(&model, self.test, bounded, threads, &mut watch, self.stages.stop());
        if self.stages.stop()() {
            return Err(Error::Stopped);
        }
        Ok(found?)
    }

    /// Where a trip may end after half of it, and how many states that is.
    fn destination_picture(&self, model: &Model, trip: usize) -> Result<(Vec<f64>, usize), Error> {
        let Some(trip) = self.test.get(trip) else { return Ok((Vec::new(), 0)) };
        let reward = self.problem.features.reward(&self.problem.mdp, &model.theta).map_err(engine)?;
        let prefix = prefix_length(self.roads, &trip.states, 0.5);
        let sums = RouteSums::new(&self.problem.mdp, &reward).map_err(engine)?;
        let prior = destination_prior(self.roads, self.train, SPREAD);
        Ok((posterior(&sums, &prior, trip.states[0], trip.states[prefix - 1])?, prefix))
    }

    fn destinations(&self, table: &mut Rows, model: &Model) -> Result<(), Error> {
        let reward = self.problem.features.reward(&self.problem.mdp, &model.theta).map_err(engine)?;
        let paths = PathModel::new(&self.problem.mdp, reward, self.horizon, Ends::Goal).map_err(engine)?;
        let prior = destination_prior(self.roads, self.train, SPREAD);
        let most = if self.stages.is_quick() { QUICK_TRIPS } else { usize::MAX };
        let options =
            DestinationOptions { most, seed: self.seed, threads: self.stages.threads(), ..DestinationOptions::default() };
        let watch = |done: usize| self.stages.tell("destinations", done, self.test.len().min(most));
        let found = evaluate_destinations(self.roads, &paths, &prior, self.test, &options, &watch, self.stages.stop());
        if self.stages.stop()() {
            return Err(Error::Stopped);
        }
        let found = found?;
        for score in &found.scores {
            let row = format!("{}, {:.0} % seen", score.forecaster.name(), 100.0 * score.seen);
            if let Some(rank) = &score.rank {
                table.summary("destinations", &row, "rank", rank);
            }
            table.summary("destinations", &row, "error", &score.error);
            table.summary("destinations", &row, "expected error", &score.expected);
        }
        table.stage("forecasts, destinations", Some(found.seconds));
        Ok(())
    }
}

fn engine(cause: revealed::Error) -> Error {
    Error::Engine { experiment: "porto", cause }
}
