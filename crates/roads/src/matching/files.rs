//! From a file of trips to a file of paths.

use std::io::{self, Write};
use std::path::Path;

use revealed::{Watch, Work, shown};
use revealed_formats::{atomic, csv_cell};
use serde_json::{Map, Value, json};

use super::match_all::match_all;
use super::matcher::{Dropped, Matched, Matcher};
use super::passage::Passage;
use super::tally::{Reason, Tally};
use crate::error::Error;
use crate::trips::{Trip, Trips};
use crate::world::{Roads, line_feature};

/// The files that matching writes.
#[derive(Debug, Clone, Copy)]
pub struct MatchOutputs<'a> {
    /// The paths as demonstrations (`.jsonl`): a line for each part of a trip, with the id of the trip and a `confidence`.
    pub paths: &'a Path,
    /// Whether lines also have what else is known: the part, times, offsets, and columns of the trip.
    pub details: bool,
    /// The lines of the routes (`.geojson`).
    pub lines: Option<&'a Path>,
    /// A table of the dropped trips with their reasons (`.csv`: trip, reason), whose ids are written as [`csv_cell`]
    /// does.
    pub dropped: Option<&'a Path>,
}

/// Matches the trips of a file and writes their paths. If `watch` stops it, all files are written with the trips so far,
/// and the tally is marked as interrupted.
///
/// # Errors
/// As [`match_all`], or if a file cannot be written.
pub fn match_files(
    roads: &Roads,
    matcher: &Matcher<'_>,
    trips: &Path,
    outputs: &MatchOutputs<'_>,
    work: &Work,
    watch: &Watch<'_>,
) -> Result<Tally, Error> {
    let mut source = Trips::open(trips)?;
    let mut failed = None;
    let mut reasons = Vec::new();
    let mut tally = Tally::default();
    let written = with_lines(outputs.lines, |mut lines| {
        Ok(atomic::write(outputs.paths, |writer| {
            let mut keep = |trip: &Trip, found: &Result<Vec<Matched>, Dropped>| match found {
                Ok(parts) => parts.iter().try_for_each(|part| write_part(roads, trip, part, outputs, writer, &mut lines)),
                Err(one) => {
                    reasons.push((one.id.clone(), one.reason));
                    Ok(())
                }
            };
            match match_all(&mut source, matcher, work, &mut keep, watch) {
                Ok(found) => {
                    tally = found;
                    Ok(())
                }
                Err(error) => {
                    failed = Some(error);
                    Err(io::Error::other("matching failed"))
                }
            }
        })?)
    });
    if let Some(error) = failed {
        return Err(error);
    }
    written?;
    if let Some(file) = outputs.dropped {
        write_dropped(file, &reasons)?;
    }
    Ok(tally)
}

/// The lines that are being written, and how many there are.
type Lines<'a> = Option<(&'a mut dyn Write, usize)>;

/// Calls `fill` with a GeoJSON file of lines, if one is wanted.
fn with_lines(path: Option<&Path>, fill: impl FnOnce(Lines<'_>) -> Result<(), Error>) -> Result<(), Error> {
    let Some(path) = path else { return fill(None) };
    let mut failed = None;
    let written = atomic::write(path, |writer| {
        writer.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[")?;
        if let Err(error) = fill(Some((writer, 0))) {
            failed = Some(error);
            return Err(io::Error::other("matching failed"));
        }
        writer.write_all(b"\n]}\n")
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(written?),
    }
}

fn write_part(
    roads: &Roads,
    trip: &Trip,
    part: &Matched,
    outputs: &MatchOutputs<'_>,
    writer: &mut dyn Write,
    lines: &mut Lines<'_>,
) -> Result<(), Error> {
    let passage = Passage::new(roads, trip, part);
    let details = details(trip, part, passage.as_ref());
    let line = line_of(roads, part, outputs.details.then(|| details.clone()))?;
    writeln!(writer, "{line}").map_err(failed(outputs.paths))?;
    if let (Some((lines, count)), Some(passage), Some(file)) = (lines, passage, outputs.lines) {
        let mut properties = json!({ "id": part.id, "confidence": part.confidence });
        if let Value::Object(properties) = &mut properties {
            let times = passage.times.as_ref().and_then(|times| times.first()).map(|&first| json!(first));
            properties.extend(times.map(|time| ("begin_time".to_string(), time)));
            properties.extend(details.into_iter().filter(|(name, _)| name != "times"));
        }
        let comma = if *count == 0 { "" } else { "," };
        let feature = line_feature(&passage.line, &properties);
        writeln!(lines).and_then(|()| write!(lines, "{comma}{feature}")).map_err(failed(file))?;
        *count += 1;
    }
    Ok(())
}

/// The line of a part in a file of paths.
fn line_of(roads: &Roads, part: &Matched, details: Option<Map<String, Value>>) -> Result<Value, Error> {
    let path = roads
        .path(&part.segments)
        .map_err(|at| Error::Trips(format!("trip {}: no turn leads on from its segment {at}", shown(&part.id))))?;
    let mut line = json!({ "id": part.id, "states": path.states, "actions": path.actions, "confidence": part.confidence });
    if let Value::Object(line) = &mut line {
        line.extend(details.into_iter().flatten());
    }
    Ok(line)
}

/// A file that could not be written.
fn failed(file: &Path) -> impl Fn(io::Error) -> Error {
    move |cause| revealed_formats::Error::new(file, revealed_formats::Fault::Write(cause)).into()
}

/// What is known about a part besides its path.
fn details(trip: &Trip, part: &Matched, passage: Option<&Passage>) -> Map<String, Value> {
    let mut known = Map::new();
    let mut set = |name: &str, value: Value| {
        known.insert(name.to_string(), value);
    };
    set("part", json!(part.part));
    if let Some(why) = part.why {
        set("break", json!(why.name()));
    }
    if let Some(passage) = passage {
        set("offsets", json!(passage.offsets));
        if let (Some(times), Some(end)) = (&passage.times, passage.end_time) {
            set("times", json!(times));
            set("end_time", json!(end));
        }
    }
    if let (Some(first), Some(last)) = (part.seen.first(), part.seen.last()) {
        set("fixes", json!([first.fix, last.fix]));
    }
    if !trip.columns.is_empty() {
        // A text that is a number is written as one, so that it can be used as one.
        let value = |text: &str| match text.parse::<f64>().ok().filter(|number| number.is_finite()) {
            Some(number) if text.parse::<i64>().is_err() => json!(number),
            Some(_) => json!(text.parse::<i64>().unwrap_or_default()),
            None => json!(text),
        };
        let columns: Map<String, Value> = trip.columns.iter().map(|(name, text)| (name.clone(), value(text))).collect();
        set("trip", Value::Object(columns));
    }
    known
}

fn write_dropped(file: &Path, reasons: &[(String, Reason)]) -> Result<(), Error> {
    Ok(atomic::write(file, |writer| {
        let mut table = csv::Writer::from_writer(writer);
        table.write_record(["trip", "reason"])?;
        reasons.iter().try_for_each(|(id, reason)| table.write_record([csv_cell(id).as_ref(), reason.name()]))?;
        table.flush()
    })?)
}
