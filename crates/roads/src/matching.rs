//! Map matching: the segments that a car drove along, from the fixes of its trip.
//!
//! Fixes nearer than [`MatchOptions::spacing`] to the one before are left out: a car that stands, at the start, at the end or in
//! between, is one fix. Nothing else is cut off at the ends, except up to [`MatchOptions::gap`] fixes that are off the network or that
//! no way connects with the rest.

mod all;
mod candidates;
mod files;
mod hmm;
mod options;
mod particles;
mod routes;
mod score;
mod sights;
mod tally;
mod trellis;

use std::sync::Mutex;

pub use self::all::{Visit, match_all};
pub use self::candidates::Candidate;
use self::candidates::Lines;
pub use self::files::match_files;
pub use self::options::{Area, MatchOptions, Method};
use self::routes::{Incoming, Search};
pub use self::score::length_right;
use self::sights::Sights;
pub use self::tally::{Reason, Tally};
pub use self::trellis::Trellis;
use crate::error::Error;
use crate::geometry::{Plane, Position};
use crate::network::Network;
use crate::trips::{Fix, Trip};

/// A trip on the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    /// The trip's.
    pub id: String,
    /// Each may follow the one before.
    pub segments: Vec<u32>,
    /// How sure the way is, from 0 to 1: the mean posterior probability of the places on it where the fixes are thought to have been
    /// taken. Of the hidden Markov model given all fixes; of the particle filter given those up to each.
    pub confidence: f64,
    /// Log probability of the way and the fixes, up to a constant of the fixes; 0 of the particle filter.
    pub log_probability: f64,
    /// How many fixes it was matched to.
    pub used: usize,
    /// How many were left out: where the car stood, off the network, or out of reach.
    pub skipped: usize,
}

/// A trip that is not matched.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped {
    /// The trip's.
    pub id: String,
    /// Why.
    pub reason: Reason,
}

/// A fix that says something, with where the car may have been.
struct Place {
    fix: Fix,
    /// How many fixes were taken here, one after another.
    fixes: usize,
    candidates: Vec<Candidate>,
}

/// Matches trips to a network.
#[derive(Debug)]
pub struct Matcher<'a> {
    network: &'a Network,
    options: MatchOptions,
    lines: Lines,
    incoming: Incoming,
    /// South-west and north-east of all that is mapped.
    corners: [Position; 2],
    /// Room for searches that nobody uses now, and for what particles see.
    idle: Mutex<Vec<Search>>,
    idle_sights: Mutex<Vec<Sights>>,
}

impl<'a> Matcher<'a> {
    /// Prepares a network.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn new(network: &'a Network, options: MatchOptions) -> Result<Matcher<'a>, Error> {
        options.check()?;
        let (lines, incoming) = (Lines::new(network), Incoming::new(network));
        let mut corners = [Position { lat: 90.0, lon: 180.0 }, Position { lat: -90.0, lon: -180.0 }];
        for Position { lat, lon } in network.nodes.iter().map(|node| node.position) {
            corners[0] = Position { lat: corners[0].lat.min(lat), lon: corners[0].lon.min(lon) };
            corners[1] = Position { lat: corners[1].lat.max(lat), lon: corners[1].lon.max(lon) };
        }
        Ok(Matcher { network, options, lines, incoming, corners, idle: Mutex::default(), idle_sights: Mutex::default() })
    }

    /// Matches one trip.
    ///
    /// # Errors
    /// The reason why it is dropped.
    pub fn match_trip(&self, trip: &Trip) -> Result<Matched, Dropped> {
        let dropped = |reason| Dropped { id: trip.id.clone(), reason };
        self.filter(trip).map_err(dropped)?;
        let found = match self.options.method {
            Method::Particles => {
                let idle = || self.idle_sights.lock().unwrap_or_else(|poison| poison.into_inner());
                let mut sights = idle().pop().unwrap_or_else(|| Sights::new(self.network.n_segments()));
                let found = self.filtered(trip, &mut sights);
                idle().push(sights);
                found
            }
            Method::Hmm => {
                let idle = || self.idle.lock().unwrap_or_else(|poison| poison.into_inner());
                let mut search = idle().pop().unwrap_or_else(|| Search::new(self.network.n_segments()));
                let found = self.most_likely(trip, &mut search);
                idle().push(search);
                found
            }
        };
        let matched = found.map_err(dropped)?;
        let length: f64 = matched.segments.iter().map(|&segment| self.network.segments[segment as usize].length).sum();
        if length < self.options.least_metres {
            return Err(dropped(Reason::Still));
        }
        let mut sorted = matched.segments.clone();
        sorted.sort_unstable();
        if !self.options.keep_cyclic && sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(dropped(Reason::Cyclic));
        }
        Ok(matched)
    }

    /// What can be said before matching.
    fn filter(&self, trip: &Trip) -> Result<(), Reason> {
        if trip.fixes.is_empty() {
            return Err(Reason::Empty);
        }
        if trip.missing {
            return Err(Reason::Missing);
        }
        let is_swapped = trip.fixes.iter().all(|fix| self.is_swapped(fix.position));
        if !is_swapped && trip.fixes.iter().any(|fix| !fix.position.is_valid()) {
            return Err(Reason::Nowhere);
        }
        let backwards = |pair: &[Fix]| pair[1].seconds.zip(pair[0].seconds).is_some_and(|(to, from)| to < from);
        if trip.fixes.windows(2).any(backwards) {
            return Err(Reason::Backwards);
        }
        if trip.seconds().is_some_and(|seconds| seconds < self.options.least_seconds) {
            return Err(Reason::TooShort);
        }
        if is_swapped {
            return Err(Reason::Swapped);
        }
        let outside = |area: Area| trip.fixes.iter().any(|fix| fix.position.distance(area.centre) > area.radius);
        if self.options.area.is_some_and(outside) {
            return Err(Reason::OutOfArea);
        }
        Ok(())
    }

    /// Whether a place is on the map only if its latitude is its longitude.
    fn is_swapped(&self, Position { lat, lon }: Position) -> bool {
        let [low, high] = self.corners;
        let on_map = |lat: f64, lon: f64| (low.lat..=high.lat).contains(&lat) && (low.lon..=high.lon).contains(&lon);
        on_map(lon, lat) && !on_map(lat, lon)
    }

    /// The fixes that say something: with a candidate, and not where the one before was.
    fn places(&self, trip: &Trip) -> Result<Vec<Place>, Reason> {
        let options = &self.options;
        let mut places: Vec<Place> = Vec::new();
        let mut off = 0;
        for &fix in &trip.fixes {
            if let Some(last) = places.last_mut().filter(|last| last.fix.position.distance(fix.position) < options.spacing) {
                last.fixes += 1;
                off = 0;
                continue;
            }
            let candidates = self.lines.near(self.network, &self.incoming, fix.position, options.radius, options.candidates);
            if !candidates.is_empty() {
                off = 0;
                places.push(Place { fix, fixes: 1, candidates });
                continue;
            }
            off += 1;
            if off > options.gap {
                return Err(Reason::OffNetwork);
            }
        }
        if places.is_empty() { Err(Reason::OffNetwork) } else { Ok(places) }
    }

    /// The log probability of a fix so many metres from where it was taken, up to a constant.
    fn emission(&self, away: f64) -> f64 {
        -0.5 * (away / self.options.sigma).powi(2)
    }

    /// The same of a fix at the origin of a plane that was taken at a place on a segment.
    fn emission_at(&self, segment: u32, along: f64, plane: &Plane) -> f64 {
        let [x, y] = plane.project(self.position(segment, along));
        self.emission(x.hypot(y))
    }

    /// Where on the map a place on a segment is.
    fn position(&self, segment: u32, along: f64) -> Position {
        let [a, b] = self.network.ends_of(segment as usize);
        let length = self.network.segments[segment as usize].length;
        let share = if length > 0.0 { along / length } else { 0.0 };
        Position { lat: a.lat + share * (b.lat - a.lat), lon: a.lon + share * (b.lon - a.lon) }
    }
}
