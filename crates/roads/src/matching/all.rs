//! All trips of a file: read in turn, matched in parallel, handed on in the order of the file.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use rayon::prelude::*;
use revealed::MOST_THREADS;

use super::{Dropped, Matched, Matcher, Reason, Tally};
use crate::error::Error;
use crate::trips::Trip;

/// Trips that are in memory at a time, for each thread.
const BATCH: usize = 128;
/// So many trips with swapped coordinates, and none without, are enough to say so.
const ENOUGH_SWAPPED: usize = 100;

/// What is done with each trip, and its way or why it has none.
pub type Visit<'a> = dyn FnMut(&Trip, &Result<Matched, Dropped>) -> Result<(), Error> + 'a;

/// Matches trips as they are read. `visit` gets each trip with its way, or why it has none, in the order of the file; its errors end
/// everything. `progress` gets the tally after every batch. Once `stop` says so, what is done is counted and the rest is left.
/// There are as many threads as the machine has, unless a number is given.
///
/// # Errors
/// What reading or `visit` reports; if there is no trip; if all have their coordinates swapped.
pub fn match_all(
    trips: &mut dyn Iterator<Item = Result<Trip, Error>>,
    matcher: &Matcher<'_>,
    threads: Option<usize>,
    visit: &mut Visit<'_>,
    progress: &dyn Fn(&Tally),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Tally, Error> {
    if let Some(threads) = threads.filter(|threads| !(1..=MOST_THREADS).contains(threads)) {
        return Err(Error::Trips(format!("{threads} threads cannot be started: give 1 to {MOST_THREADS}")));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let pool = pool.map_err(|error| Error::Trips(format!("threads cannot be started: {error}")))?;
    let mut tally = Tally::default();
    let mut seen = HashSet::new();
    let most = BATCH * pool.current_num_threads();
    loop {
        let batch: Vec<Trip> = trips.take(most).collect::<Result<_, Error>>()?;
        if batch.is_empty() {
            break;
        }
        // Numbers for ids: a million and more of them have to be kept.
        let first: Vec<bool> = batch.iter().map(|trip| seen.insert(number(&trip.id))).collect();
        let one = |(trip, &first): (&Trip, &bool)| match first {
            _ if stop() => None,
            true => Some(matcher.match_trip(trip)),
            false => Some(Err(Dropped { id: trip.id.clone(), reason: Reason::Duplicate })),
        };
        let found: Vec<_> = pool.install(|| batch.par_iter().zip(&first).map(one).collect());
        for (trip, found) in batch.iter().zip(found) {
            let Some(found) = found else {
                tally.interrupted = true;
                return Ok(tally);
            };
            tally.count(found.as_ref().err().map(|dropped| dropped.reason));
            visit(trip, &found)?;
        }
        progress(&tally);
        if tally.trips >= ENOUGH_SWAPPED {
            check_swapped(&tally)?;
        }
    }
    if tally.trips == 0 {
        return Err(Error::Trips("there is no trip: the file has none after its first line".to_string()));
    }
    check_swapped(&tally)?;
    Ok(tally)
}

fn number(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// If not one trip lies on the network, and those that would if they were swapped are most, that is what they are.
fn check_swapped(tally: &Tally) -> Result<(), Error> {
    let swapped = tally.dropped(Reason::Swapped);
    let nowhere: usize = [Reason::OutOfArea, Reason::OffNetwork].map(|reason| tally.dropped(reason)).iter().sum();
    match swapped > nowhere && tally.matched == 0 {
        false => Ok(()),
        true => Err(Error::Trips(format!(
            "{swapped} of {} trips lie on the network only with latitude and longitude swapped: swap them; a POLYLINE has the longitude first",
            tally.trips
        ))),
    }
}
