//! `porto`: forecasts of taxi drivers' routes, from raw GPS trips and a raw map (the paper, "Example application").
//!
//! The stages and what they keep are in `porto/stages.rs`, the models and their evaluation in `porto/case.rs`,
//! destinations in `porto/destinations.rs`, tables in `porto/section.rs`, maps in `porto/pictures.rs`.

mod case;
mod destinations;
mod pictures;
mod section;
mod stages;

use revealed::Trajectory;
use revealed_formats::Problem;
use revealed_roads::{Group, Judge, Roads, Summary, split};

use self::case::Case;
pub(crate) use self::section::section;
use self::stages::Stages;
pub(crate) use self::stages::forget;
use crate::error::Error;
use crate::work::{Context, Plan, Row, Settings, Unit};

/// The version of the results. It must be raised whenever the same files give other results, so that results of an
/// older version are not used.
const VERSION: u32 = 5;
/// The share of training paths.
const TRAIN: f64 = 0.7;
/// The largest number of states of a path; the paper skips longer ones as well.
const LONGEST: usize = 400;
/// The smallest number of states of a path, which is that of the paper's shortest.
const SHORTEST: usize = 5;

pub(crate) fn plan(settings: &Settings) -> Plan {
    let first_look = if settings.quick { ", a first look" } else { "" };
    Plan {
        version: VERSION,
        cases: vec![stages::inputs(settings) + first_look],
        repeats: settings.repeats(3, 1),
        seeded: true,
        alone: true,
        columns: &["seed", "table", "row", "quantity", "n", "value", "low", "high"],
        timings: &["seconds"],
    }
}

/// One split of the paths: learns each model, predicts the test paths, and scores the predictions.
pub(crate) fn work(unit: &Unit, context: &Context<'_, '_>) -> Result<Vec<Row>, Error> {
    let stages = Stages::new(context)?;
    let seed = context.settings.seed + unit.repeat as u64;
    let mut table = Rows { seed, rows: Vec::new() };
    let (roads, import) = stages.network()?;
    let (paths, tally, matching) = stages.paths(&roads)?;
    table.stage("import", import);
    table.stage("matching", matching);
    for (reason, count) in &tally {
        table.value("trips", reason, "count", *count, *count as f64);
    }
    let sizes = SHORTEST..=LONGEST;
    let paths: Vec<Trajectory> = paths.into_iter().filter(|path| sizes.contains(&path.states.len())).collect();
    let (train, test) = split(&paths, TRAIN, seed)?.of(&paths);
    for (name, paths) in [("learned from", &train), ("judged by", &test)] {
        table.value("paths", name, "count", paths.len(), paths.len() as f64);
    }
    let problem = starting_as(&roads, &train)?;
    let wide = starting_as(&Roads::new(roads.network.clone(), &more_features()), &train)?;
    let case = Case {
        stages: &stages,
        judge: Judge::new(&roads, &problem, &test, stages.work()),
        wide: &wide,
        train: &train,
        horizon: LONGEST,
        seed,
        is_first: unit.repeat == 0,
    };
    let begun = std::time::Instant::now();
    case.score_all(&mut table)?;
    table.stage("evaluation and learning", Some(begun.elapsed().as_secs_f64()));
    Ok(table.rows)
}

/// The paper's features, and all others that are not sums of them.
fn more_features() -> Vec<Group> {
    let others = [Group::Time, Group::Link, Group::Turns, Group::Angle, Group::Signals, Group::Crossings];
    Group::PAPER.into_iter().chain(others).collect()
}

/// The problem of the network with the paper's stochastic start: that of the training paths. The weight of one more
/// path is uniform over states, so that no start is impossible.
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

    fn value(&mut self, table: &str, row: &str, quantity: &str, n: usize, value: f64) {
        self.add(table, row, quantity, n, [value, f64::NAN, f64::NAN], None);
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

fn engine(cause: revealed::Error) -> Error {
    Error::Engine { experiment: "porto", cause }
}
