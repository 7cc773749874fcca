//! All trips of a file: read in turn, matched in parallel, handed on in the order of the file.

use std::collections::HashSet;

use rayon::prelude::*;
use revealed::MOST_THREADS;

use super::{Dropped, Matched, Matcher, Reason, Tally};
use crate::error::Error;
use crate::geometry::Position;
use crate::trips::{Trip, number_of};

/// Trips that are in memory at a time, for each thread.
const BATCH: usize = 128;
/// So many trips with coordinates that are swapped or none at all, and none without, are enough to say so.
const ENOUGH: usize = 100;

/// What is done with each trip, and its way or why it has none.
pub type Visit<'a> = dyn FnMut(&Trip, &Result<Matched, Dropped>) -> Result<(), Error> + 'a;

/// Matches trips as they are read. `visit` gets each trip with its way, or why it has none, in the order of the file; its errors end
/// everything. `progress` gets the tally after every batch. Once `stop` says so, what is done is counted and the rest is left.
/// There are as many threads as the machine has, unless a number is given.
///
/// # Errors
/// What reading or `visit` reports; if there is no trip; if all have their coordinates swapped, or fixes that are no places.
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
    let mut nowhere = None;
    let most = BATCH * pool.current_num_threads();
    loop {
        let batch: Vec<Trip> = trips.take(most).collect::<Result<_, Error>>()?;
        if batch.is_empty() {
            break;
        }
        // Numbers for ids: a million and more of them have to be kept.
        let first: Vec<bool> = batch.iter().map(|trip| seen.insert(number_of(&trip.id))).collect();
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
            if nowhere.is_none() && tally.dropped(Reason::Nowhere) > 0 {
                let fix = trip.fixes.iter().position(|fix| !fix.position.is_valid()).unwrap_or(0);
                nowhere = Some((trip.id.clone(), fix, trip.fixes[fix].position));
            }
            visit(trip, &found)?;
        }
        progress(&tally);
        if tally.trips >= ENOUGH {
            check_swapped(&tally)?;
            check_nowhere(&tally, nowhere.as_ref())?;
        }
    }
    if tally.trips == 0 {
        return Err(Error::Trips("there is no trip: the file has none after its first line".to_string()));
    }
    check_swapped(&tally)?;
    check_nowhere(&tally, nowhere.as_ref())?;
    Ok(tally)
}

/// If every trip has fixes that are no places, it is the file; with the first of them: its trip, its number there from 0, and what it says.
fn check_nowhere(tally: &Tally, first: Option<&(String, usize, Position)>) -> Result<(), Error> {
    let all = tally.dropped(Reason::Nowhere) + tally.dropped(Reason::Empty) == tally.trips;
    match first.filter(|_| all) {
        None => Ok(()),
        Some((id, fix, Position { lat, lon })) => Err(Error::Trips(format!(
            "all trips have fixes that are no places, the first of them fix {} of trip {id}: latitude {lat}, longitude {lon}; a latitude is from -90 to 90, a longitude from -180 to 180: are they swapped, or not in degrees?",
            fix + 1
        ))),
    }
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
