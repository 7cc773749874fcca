//! From a file of trips to a file of paths.

use std::io::{self, Write};
use std::path::Path;

use revealed::{Watch, Work, shown};
use revealed_formats::{atomic, csv_cell};
use serde_json::json;

use super::match_all::match_all;
use super::matcher::{Dropped, Matched, Matcher};
use super::tally::{Reason, Tally};
use crate::error::Error;
use crate::trips::Trips;
use crate::world::Roads;

/// Matches the trips of a file and writes their paths as demonstrations (`.jsonl`), each with the id of the trip and a
/// `confidence`. If `dropped` is given, writes a table of the dropped trips with their reasons (`.csv`: trip, reason),
/// whose ids are written as [`csv_cell`] does.
/// If `watch` stops it, both files are written with the trips so far, and the tally is marked as interrupted.
///
/// # Errors
/// As [`match_all`], or if a file cannot be written.
pub fn match_files(
    roads: &Roads,
    matcher: &Matcher<'_>,
    [trips, paths]: [&Path; 2],
    dropped: Option<&Path>,
    work: &Work,
    watch: &Watch<'_>,
) -> Result<Tally, Error> {
    let mut source = Trips::open(trips)?;
    let mut failed = None;
    let mut reasons = Vec::new();
    let mut tally = Tally::default();
    let written = atomic::write(paths, |writer| {
        let mut keep = |_: &_, found: &Result<Matched, Dropped>| match found {
            Ok(one) => write_path(roads, one, paths, writer),
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
    });
    if let Some(error) = failed {
        return Err(error);
    }
    written?;
    if let Some(file) = dropped {
        write_dropped(file, &reasons)?;
    }
    Ok(tally)
}

fn write_path(roads: &Roads, one: &Matched, file: &Path, writer: &mut dyn Write) -> Result<(), Error> {
    let path = roads
        .path(&one.segments)
        .map_err(|at| Error::Trips(format!("trip {}: no turn leads on from its segment {at}", shown(&one.id))))?;
    let line = json!({ "id": one.id, "states": path.states, "actions": path.actions, "confidence": one.confidence });
    let failed = |cause| revealed_formats::Error::new(file, revealed_formats::Fault::Write(cause));
    Ok(writeln!(writer, "{line}").map_err(failed)?)
}

fn write_dropped(file: &Path, reasons: &[(String, Reason)]) -> Result<(), Error> {
    Ok(atomic::write(file, |writer| {
        let mut table = csv::Writer::from_writer(writer);
        table.write_record(["trip", "reason"])?;
        reasons.iter().try_for_each(|(id, reason)| table.write_record([csv_cell(id).as_ref(), reason.name()]))?;
        table.flush()
    })?)
}
