//! Stretches of matched paths, with the time that they took.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use revealed::Cancel;
use revealed_formats::atomic;
use serde_json::{Map, Value};

use super::slowness::Slowness;
use crate::error::{Error, Fault};
use crate::world::Roads;

/// Stretches are at least so long, in seconds. Times between fixes are interpolated, so where a stretch is cut between two
/// fixes, some of its time counts for the wrong roads.
const LEAST_SECONDS: f64 = 300.0;
/// A stretch that took less than this share of the usual time, or more than its inverse, is a stop or an error.
const LEAST_SLOWNESS: f64 = 0.1;
/// Times above this are seconds since 1970.
const SINCE_1970: f64 = 1e8;
/// The column of the taxi trips of Porto with the time at which a trip begins, in seconds since 1970.
const TIMESTAMP: &str = "TIMESTAMP";

/// How the hour of a trip is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClockOptions {
    /// The column of trips with the time at which they begin, in seconds since 1970. Without it: the times of the path if
    /// they are seconds since 1970, or the column `TIMESTAMP`.
    pub column: Option<String>,
    /// Hours to add to the time in Greenwich.
    pub offset: f64,
}

/// A stretch of a drive.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    /// The hour from 0 to 23 in which it begins, if it is known.
    pub hour: Option<usize>,
    /// The seconds that it took.
    pub seconds: f64,
    /// The seconds at the usual speed on each kind of road, by its number.
    pub usual: Vec<(usize, f64)>,
}

/// Drives with times, in stretches.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TimedDrives {
    /// The values of the tag `highway` of the roads that were driven along, sorted.
    pub(super) kinds: Vec<String>,
    pub(super) stretches: Vec<Stretch>,
    /// The number of paths with times.
    pub paths: usize,
    /// Paths without times.
    pub without_times: usize,
    /// Paths with times whose hour is not known.
    pub without_hour: usize,
    /// Stretches that are left out: they took less than a tenth of the usual time, or more than ten times as long.
    pub left_out: usize,
}

/// The fields of a matched path that matter here.
struct Line {
    states: Vec<usize>,
    times: Option<Vec<f64>>,
    end_time: Option<f64>,
    offsets: Option<[f64; 2]>,
    trip: Map<String, Value>,
}

impl Line {
    fn parsed(text: &str) -> Result<Line, String> {
        let line: Map<String, Value> = serde_json::from_str(text).map_err(|fault| fault.to_string())?;
        let numbers = |name: &str| match line.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let list = value.as_array().map(|list| list.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>());
                list.flatten().map(Some).ok_or_else(|| format!("the field {name:?} is not a list of numbers"))
            }
        };
        let states = numbers("states")?.unwrap_or_default();
        if let Some(state) = states.iter().find(|state| !(**state >= 0.0 && state.fract() == 0.0)) {
            return Err(format!("state {state} is not the number of a state"));
        }
        Ok(Line {
            states: states.into_iter().map(|state| state as usize).collect(),
            times: numbers("times")?,
            end_time: line.get("end_time").and_then(Value::as_f64),
            offsets: numbers("offsets")?.and_then(|offsets| offsets.try_into().ok()),
            trip: line.get("trip").and_then(Value::as_object).cloned().unwrap_or_default(),
        })
    }
}

impl TimedDrives {
    /// Reads matched paths (`.jsonl`), as `roads match` writes them.
    ///
    /// # Errors
    /// If the file cannot be read, a line is not a path of the network, or the column of the clock is not a number. The
    /// message names the line.
    pub fn read(roads: &Roads, path: impl AsRef<Path>, clock: &ClockOptions) -> Result<TimedDrives, Error> {
        let path = path.as_ref();
        let file = BufReader::new(std::fs::File::open(path).map_err(|cause| Fault::Read(cause).of(path))?);
        let mut kinds: Vec<String> = roads.network.ways.iter().map(|way| way.highway.clone()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let number: BTreeMap<&str, usize> = kinds.iter().enumerate().map(|(place, kind)| (kind.as_str(), place)).collect();
        let mut drives = TimedDrives::default();
        for (line, text) in (1..).zip(file.lines()) {
            Cancel::check()?;
            let text = text.map_err(|cause| Fault::Read(cause).of(path))?;
            if text.trim().is_empty() {
                continue;
            }
            let wrong = |what: String| Fault::Row { line, what }.of(path);
            let row = Line::parsed(&text).map_err(wrong)?;
            if let Some(state) = row.states.iter().find(|&&state| state >= roads.n_states()) {
                return Err(wrong(format!("state {state} does not exist: the network has {} states", roads.n_states())));
            }
            drives.add(roads, &row, clock, &number).map_err(wrong)?;
        }
        drives.keep_kinds(&kinds);
        Ok(drives)
    }

    /// Numbers the kinds of roads that were driven along.
    fn keep_kinds(&mut self, kinds: &[String]) {
        let mut driven: Vec<usize> = self.stretches.iter().flat_map(|one| &one.usual).map(|entry| entry.0).collect();
        driven.sort_unstable();
        driven.dedup();
        let number = |kind: usize| driven.partition_point(|&other| other < kind);
        self.stretches.iter_mut().flat_map(|one| &mut one.usual).for_each(|entry| entry.0 = number(entry.0));
        self.kinds = driven.iter().map(|&kind| kinds[kind].clone()).collect();
    }

    fn add(&mut self, roads: &Roads, row: &Line, clock: &ClockOptions, number: &BTreeMap<&str, usize>) -> Result<(), String> {
        let (Some(times), Some(end), Some(offsets)) = (&row.times, row.end_time, row.offsets) else {
            self.without_times += 1;
            return Ok(());
        };
        if times.len() != row.states.len() || times.iter().chain([&end]).any(|time| !time.is_finite()) {
            return Err(format!("{} states have {} times: give a finite time for each state", row.states.len(), times.len()));
        }
        self.paths += 1;
        let begin = begin_of(row, clock)?;
        self.without_hour += usize::from(begin.is_none());
        let hour = |time: f64| Some(hour_of(begin? + time - times[0], clock));
        let n = row.states.len();
        let (mut from, mut usual) = (times[0], BTreeMap::<usize, f64>::new());
        for (place, &state) in row.states.iter().enumerate() {
            let length = roads.length(state);
            let begins = if place == 0 { offsets[0] } else { 0.0 };
            let ends = if place + 1 == n { offsets[1] } else { length };
            let share = if length > 0.0 { ((ends - begins) / length).clamp(0.0, 1.0) } else { 0.0 };
            for segment in roads.segments_of(state) {
                let kind = number[roads.network.way_of(segment).highway.as_str()];
                *usual.entry(kind).or_default() += share * roads.network.seconds(segment);
            }
            let until = times.get(place + 1).copied().unwrap_or(end);
            // The rest of the path is added to its last stretch if it is short.
            if until - from >= LEAST_SECONDS && end - until >= LEAST_SECONDS || place + 1 == n {
                let usual = std::mem::take(&mut usual);
                self.push(Stretch { hour: hour(from), seconds: until - from, usual: usual.into_iter().collect() });
                from = until;
            }
        }
        Ok(())
    }

    fn push(&mut self, stretch: Stretch) {
        let usual: f64 = stretch.usual.iter().map(|entry| entry.1).sum();
        let slowness = stretch.seconds / usual;
        match (LEAST_SLOWNESS..=1.0 / LEAST_SLOWNESS).contains(&slowness) {
            true => self.stretches.push(stretch),
            false => self.left_out += 1,
        }
    }
}

/// Copies matched paths (`.jsonl`), and adds to each the columns `hour` and `slowness` of its trip: the hour in which it
/// begins, and how much slower that hour is than the mean of all. Returns the number of paths.
///
/// # Errors
/// If a file cannot be read or written, or the hour of a path is not known. The message names the line.
pub fn add_slowness(from: &Path, to: &Path, slowness: &Slowness, clock: &ClockOptions) -> Result<usize, Error> {
    let text = std::fs::read_to_string(from).map_err(|cause| Fault::Read(cause).of(from))?;
    let mut lines = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|row| !row.1.trim().is_empty()) {
        let wrong = |what: String| Fault::Row { line, what }.of(from);
        let row = Line::parsed(text).map_err(wrong)?;
        let begin = begin_of(&row, clock).map_err(wrong)?;
        let unknown =
            || wrong("the hour is not known: name a column with the time in seconds since 1970 by --clock".to_string());
        let hour = hour_of(begin.ok_or_else(unknown)?, clock);
        let mut value: Value = serde_json::from_str(text).map_err(|fault| wrong(fault.to_string()))?;
        value["trip"]["hour"] = hour.into();
        value["trip"]["slowness"] = slowness.of_hour(hour).into();
        lines.push(value);
    }
    atomic::write(to, |writer| lines.iter().try_for_each(|line| writeln!(writer, "{line}")))?;
    Ok(lines.len())
}

/// The hour of a time in seconds since 1970.
fn hour_of(seconds: f64, clock: &ClockOptions) -> usize {
    ((seconds + 3600.0 * clock.offset).rem_euclid(86_400.0) / 3600.0) as usize % 24
}

/// The time at which a path begins, in seconds since 1970, if it is known.
fn begin_of(row: &Line, clock: &ClockOptions) -> Result<Option<f64>, String> {
    let first = row.times.as_ref().and_then(|times| times.first()).copied().unwrap_or_default();
    let column = match &clock.column {
        Some(name) => Some((name.as_str(), row.trip.get(name).ok_or_else(|| no_column(row, name))?)),
        None if first > SINCE_1970 => return Ok(Some(first)),
        None => row.trip.get(TIMESTAMP).map(|value| (TIMESTAMP, value)),
    };
    let Some((name, value)) = column else { return Ok(None) };
    let wrong = || format!("the column {name:?} of the trip is {value}: give seconds since 1970");
    let begins = value.as_f64().ok_or_else(wrong)?;
    // Times of the path count from the beginning of the trip, of which this may be a later part.
    Ok(Some(begins + if first > SINCE_1970 { 0.0 } else { first }))
}

fn no_column(row: &Line, name: &str) -> String {
    let known: Vec<&str> = row.trip.keys().map(String::as_str).collect();
    let known = if known.is_empty() { "it has none".to_string() } else { format!("it has {}", known.join(", ")) };
    format!("the trip has no column {name:?}: {known}")
}
