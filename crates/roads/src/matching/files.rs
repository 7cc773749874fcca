//! From a file of trips to a file of paths.

use std::io;
use std::path::Path;

use revealed_formats::atomic;
use serde_json::json;

use super::{Matcher, Tally, match_all};
use crate::error::{Error, Fault};
use crate::roads::Roads;
use crate::trips::Trips;

/// Matches the trips of a file and writes their paths as demonstrations (`.jsonl`), each with the trip's id and a `confidence`; and, if
/// asked for, a table of the dropped trips with their reasons (`.csv`: trip, reason). If `stop` says so, both have what was done so
/// far, and the tally says so.
///
/// # Errors
/// As [`match_all`], or if a file cannot be written.
pub fn match_files(
    roads: &Roads,
    matcher: &Matcher<'_>,
    [trips, paths]: [&Path; 2],
    dropped: Option<&Path>,
    threads: Option<usize>,
    progress: &dyn Fn(&Tally),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Tally, Error> {
    let mut source = Trips::open(trips)?;
    let mut failed = None;
    let mut left_out = Vec::new();
    let mut tally = Tally::default();
    let written = atomic::write(paths, |writer| {
        let mut keep = |_: &_, found: &Result<super::Matched, super::Dropped>| match found {
            Err(one) => {
                left_out.push((one.id.clone(), one.reason));
                Ok(())
            }
            Ok(one) => {
                let path = roads
                    .path(&one.segments)
                    .map_err(|at| Error::Trips(format!("trip {}: no turn leads on from its segment {at}", one.id)))?;
                let line =
                    json!({ "id": one.id, "states": path.states, "actions": path.actions, "confidence": one.confidence });
                writeln!(writer, "{line}").map_err(|cause| Fault::Read(cause).of(paths))
            }
        };
        match match_all(&mut source, matcher, threads, &mut keep, progress, stop) {
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
        atomic::write(file, |writer| {
            let mut table = csv::Writer::from_writer(writer);
            table.write_record(["trip", "reason"])?;
            left_out.iter().try_for_each(|(id, reason)| table.write_record([id.as_str(), reason.name()]))?;
            table.flush()
        })?;
    }
    Ok(tally)
}
