//! Matches all trips of a file: read in sequence, matched in parallel, and returned in the order of the file.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use revealed::{Threads, Watch, Work, parallel, shown};

use super::matcher::{Dropped, Matched, Matcher};
use super::tally::{Reason, Tally};
use crate::error::Error;
use crate::geometry::Position;
use crate::trips::{Trip, hash_of_id};

/// The number of trips in memory at a time, for each thread.
const BATCH: usize = 128;
/// The pace of trips is learned from the first of them.
const PACE_TRIPS: usize = 64;
/// If this number of trips all have coordinates that are swapped or not valid, matching ends with an error.
const ENOUGH: usize = 100;

/// Called with each trip, and with the parts of its route or the reason why it has none.
pub type Visit<'a> = dyn FnMut(&Trip, &Result<Vec<Matched>, Dropped>) -> Result<(), Error> + 'a;

/// Matches trips as they are read. `visit` gets each trip with its route, or with the reason why it has none, in the
/// order of the file. If `visit` returns an error, matching ends with this error. If `watch` stops it, the tally of the
/// trips so far is returned and marked as interrupted. The memory budget is not used.
///
/// # Errors
/// Returns any error from reading the trips or from `visit`. It is also an error if there is no trip, if the number of
/// threads is out of range, if no trip is matched and most are on the network only with latitude and longitude swapped,
/// or if all trips have positions out of range. The last two are checked at the end, and after each batch once 100
/// trips were read.
pub fn match_all(
    trips: &mut dyn Iterator<Item = Result<Trip, Error>>,
    matcher: &Matcher<'_>,
    work: &Work,
    visit: &mut Visit<'_>,
    watch: &Watch<'_>,
) -> Result<Tally, Error> {
    let threads = Threads::new(work.threads)?;
    let (mut tally, mut seen, mut invalid) = (Tally::default(), HashSet::new(), None);
    // The pace is learned from the same trips for any number of threads.
    let early: Vec<Trip> = match matcher.preferences {
        Some(_) => trips.take(PACE_TRIPS).collect::<Result<_, Error>>()?,
        None => Vec::new(),
    };
    let pace = matcher.pace(&early, &threads);
    let mut trips = early.into_iter().map(Ok).chain(trips);
    let most = BATCH * work.threads.unwrap_or_else(parallel::cores);
    loop {
        let batch: Vec<Trip> = trips.by_ref().take(most).collect::<Result<_, Error>>()?;
        if batch.is_empty() {
            break;
        }
        // Hashes instead of ids: there may be millions.
        let first: Vec<bool> = batch.iter().map(|trip| seen.insert(hash_of_id(&trip.id))).collect();
        let done = AtomicUsize::new(tally.trips);
        let one = |(trip, &first): (&Trip, &bool)| {
            watch.tell_parts("trips", done.fetch_add(1, Ordering::Relaxed), 0).ok()?;
            Some(match first {
                true => matcher.match_parts_at(trip, &pace),
                false => Err(Dropped { id: trip.id.clone(), reason: Reason::Duplicate }),
            })
        };
        let found = threads.run(|| parallel::map(batch.iter().zip(&first), one));
        for (trip, found) in batch.iter().zip(found) {
            let Some(found) = found else {
                tally.interrupted = true;
                return Ok(tally);
            };
            tally.count(&found);
            if invalid.is_none() && tally.dropped(Reason::Nowhere) > 0 {
                let fix = trip.fixes.iter().position(|fix| !fix.position.is_valid()).unwrap_or(0);
                invalid = Some((trip.id.clone(), fix, trip.fixes[fix].position));
            }
            visit(trip, &found)?;
        }
        if tally.trips >= ENOUGH {
            check_swapped(&tally)?;
            check_positions(&tally, invalid.as_ref())?;
        }
    }
    if tally.trips == 0 {
        return Err(Error::Trips("there is no trip: the file has none after its first line".to_string()));
    }
    check_swapped(&tally)?;
    check_positions(&tally, invalid.as_ref())?;
    Ok(tally)
}

/// Rejects a file in which every trip has positions out of range. `first` is the first of them: its trip, its index
/// there, and its coordinates.
fn check_positions(tally: &Tally, first: Option<&(String, usize, Position)>) -> Result<(), Error> {
    let all = tally.dropped(Reason::Nowhere) + tally.dropped(Reason::Empty) == tally.trips;
    match first.filter(|_| all) {
        None => Ok(()),
        Some((id, fix, Position { lat, lon })) => Err(Error::Trips(format!(
            "all trips have positions out of range, the first of them fix {} of trip {}: latitude {lat}, longitude \
             {lon}; a latitude is from -90 to 90, a longitude from -180 to 180: are they swapped, or not in degrees?",
            fix + 1,
            shown(id)
        ))),
    }
}

/// Rejects a file in which no trip lies on the network, but most would with swapped coordinates.
fn check_swapped(tally: &Tally) -> Result<(), Error> {
    let swapped = tally.dropped(Reason::Swapped);
    let nowhere: usize = [Reason::OutOfArea, Reason::OffNetwork].map(|reason| tally.dropped(reason)).iter().sum();
    match swapped > nowhere && tally.matched == 0 {
        false => Ok(()),
        true => Err(Error::Trips(format!(
            "{swapped} of {} trips lie on the network only with latitude and longitude swapped: swap them; a POLYLINE \
             has the longitude first",
            tally.trips
        ))),
    }
}
