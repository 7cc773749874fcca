//! `porto`: forecasts of taxi drivers' routes, from raw GPS trips and a raw map (the paper, "Example application").
//!
//! The stages and what they keep are in `porto/stages.rs`, the models and their evaluation in `porto/case.rs`,
//! destinations in `porto/destinations.rs`, the study of what the paper leaves open in `porto/reading.rs` and
//! `porto/study.rs`, tables in `porto/section.rs`, `porto/study_tables.rs` and `porto/nearest.rs`, maps in
//! `porto/pictures.rs`.

mod case;
mod destinations;
mod division;
mod metric;
mod moved_paths;
mod nearest;
mod pictures;
mod reading;
mod section;
mod stages;
mod study;
mod study_tables;

use revealed_roads::{Group, Judge, Judged, Roads, Summary};

use self::case::Case;
use self::division::{Division, starting_as};
use self::reading::{Dataset, Reading};
pub(crate) use self::section::section;
use self::stages::Stages;
pub(crate) use self::stages::forget;
use self::study::Study;
use crate::error::Error;
use crate::work::{Context, Plan, Row, Settings, Unit};

/// The version of the results. It must be raised whenever the same files give other results, so that results of an
/// older version are not used.
const VERSION: u32 = 6;
/// The parts of a split, each of which is kept when it is done.
const PARTS: [&str; 3] = [READINGS, WITH_U_TURNS, WITHOUT_U_TURNS];
const READINGS: &str = "the study of readings";
const WITH_U_TURNS: &str = "routes with U-turns";
const WITHOUT_U_TURNS: &str = "routes without U-turns";
/// The share of training paths.
const TRAIN: f64 = 0.7;
/// The largest number of states of a path; the paper skips longer ones as well.
const LONGEST: usize = 400;
/// Half the width of a 90 % interval of a normal distribution, in standard deviations.
const NORMAL_90: f64 = 1.645;
/// The smallest number of states of a path, which is that of the paper's shortest.
const SHORTEST: usize = 5;

pub(crate) fn plan(settings: &Settings) -> Plan {
    let inputs = stages::inputs(settings);
    let first_look = if settings.quick { ", a first look" } else { "" };
    Plan {
        version: VERSION,
        cases: PARTS.iter().map(|part| format!("{part}: {inputs}{first_look}")).collect(),
        repeats: settings.repeats(3, 1),
        seeded: true,
        alone: true,
        columns: &["seed", "table", "row", "quantity", "n", "value", "low", "high"],
        timings: &["seconds"],
    }
}

/// One part for one split of the paths: learns models, predicts test paths, and scores the predictions.
pub(crate) fn work(unit: &Unit, context: &Context<'_, '_>) -> Result<Vec<Row>, Error> {
    let stages = Stages::new(context)?;
    let seed = context.settings.seed + unit.repeat as u64;
    let mut table = Rows { seed, rows: Vec::new() };
    let study = Study { stages: &stages, seed };
    let begun = std::time::Instant::now();
    let part = unit.case.split(':').next().unwrap_or_default();
    match (part, unit.repeat) {
        (READINGS, 0) => study.readings(&mut table)?,
        // The other splits have no study.
        (READINGS, _) => return Ok(table.rows),
        (WITH_U_TURNS, _) => study.paper_rows(&mut table)?,
        (_, repeat) => routes(&stages, seed, repeat == 0, &mut table)?,
    }
    table.stage(&format!("all of {part}"), Some(begun.elapsed().as_secs_f64()));
    Ok(table.rows)
}

/// Every model on the network without U-turns.
fn routes(stages: &Stages<'_, '_>, seed: u64, is_first: bool, table: &mut Rows) -> Result<(), Error> {
    let division = Division::new(stages, Dataset::PLAIN, seed)?;
    for (stage, seconds) in ["import", "matching"].into_iter().zip(division.seconds) {
        table.stage(stage, seconds);
    }
    for (reason, count) in &division.counts {
        table.value("trips", reason, "count", *count, *count as f64);
    }
    let Division { roads, train, test, .. } = &division;
    for (name, paths) in [("learned from", train), ("judged by", test)] {
        table.value("paths", name, "count", paths.len(), paths.len() as f64);
    }
    let problem = starting_as(roads, train)?;
    let wide = starting_as(&Roads::new(roads.network.clone(), &more_features()), train)?;
    let uniform = division.problem(&Reading::CENTRE)?;
    let case = Case {
        stages,
        judge: Judge::new(roads, &problem, test, stages.work()),
        wide: &wide,
        uniform: &uniform,
        train,
        horizon: LONGEST,
        seed,
        is_first,
    };
    case.score_all(table)
}

/// The paper's features, and all others that are not sums of them.
fn more_features() -> Vec<Group> {
    let others = [Group::Time, Group::Segments, Group::Turns, Group::Angle, Group::Signals, Group::Crossings];
    Group::PAPER.into_iter().chain(others).collect()
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

    /// The time of a step that the table of stages does not show.
    fn time(&mut self, name: &str, seconds: Option<f64>) {
        self.add(study::table::TIMES, name, "", 0, [f64::NAN; 3], seconds);
    }

    /// The median and the mean, each with its 90 % interval.
    fn summary(&mut self, table: &str, row: &str, quantity: &str, summary: &Summary) {
        let (low, high) = summary.interval.unwrap_or((f64::NAN, f64::NAN));
        self.add(table, row, quantity, summary.n, [summary.median, low, high], None);
        let (mean, half) = (summary.mean, NORMAL_90 * summary.standard_error);
        self.add(table, row, &format!("mean {quantity}"), summary.n, [mean, mean - half, mean + half], None);
    }

    /// The scores of a predictor on all test trips.
    fn score(&mut self, table: &str, name: &str, judged: &Judged) {
        let score = &judged.score;
        self.summary(table, name, "distance match", &score.distance_match);
        self.summary(table, name, "feature distance", &score.feature_distance);
        self.summary(table, name, "covered", &score.covered);
        self.summary(table, name, "length", &score.predicted);
        self.value(table, name, "identical", score.asked, 100.0 * score.identical);
        self.value(table, name, "in circles", score.asked, f64::from(judged.predictions.in_circles));
    }
}

fn engine(cause: revealed::Error) -> Error {
    Error::Engine { experiment: "porto", cause }
}
