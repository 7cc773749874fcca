//! Matches trips to a network.

use std::sync::Mutex;

use super::candidates::{Candidate, SegmentIndex};
use super::options::{Area, MatchOptions, Method};
use super::particle_filter::Sights;
use super::routes::{BoundedSearch, Incoming, LearnedCosts, Measure};
use super::tally::Reason;
use super::timed::{Pace, Preferences};
use crate::error::Error;
use crate::geometry::{MapExtent, Plane, Position};
use crate::network::Network;
use crate::trips::{Fix, Trip};

/// A trip on the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    /// The id of the trip.
    pub id: String,
    /// The number of this part of the trip, from 0.
    pub part: usize,
    /// Why the trip breaks before this part; none for the first part.
    pub why: Option<Reason>,
    /// The segments of the route, connected by turns.
    pub segments: Vec<u32>,
    /// Where the car was at each fix that was used; none for the particle filter.
    pub seen: Vec<Seen>,
    /// The confidence in the route, from 0 to 1: the mean posterior probability of the positions on it that the fixes
    /// are matched to. The hidden Markov model conditions on all fixes, the particle filter on those up to each.
    pub confidence: f64,
    /// The log probability of the route and the fixes, up to a constant of the fixes; 0 for the particle filter.
    pub log_probability: f64,
    /// The number of fixes that were used.
    pub used: usize,
    /// The number of fixes that were skipped: where the car stood still, off the network, or out of reach.
    pub skipped: usize,
    /// The fixes among them that were skipped because no likely route leads by them. Not counted if strict.
    pub outliers: Outliers,
}

/// Fixes that were skipped because no likely route leads by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outliers {
    /// All of them.
    pub fixes: usize,
    /// The number of bursts: two or more in a row.
    pub bursts: usize,
}

impl Outliers {
    /// Counts consecutive outliers.
    pub(super) fn count(&mut self, fixes: usize) {
        self.fixes += fixes;
        self.bursts += usize::from(fixes > 1);
    }
}

/// A position on a route where a fix was taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// The index of the fix in the trip.
    pub fix: usize,
    /// The index of the segment in the route.
    pub at: usize,
    /// Metres from the beginning of the segment.
    pub along: f64,
}

impl Seen {
    /// The same position after the first segment of the route is removed, of which nothing was driven.
    pub(super) fn move_up(&mut self) {
        (self.at, self.along) = if self.at == 0 { (0, 0.0) } else { (self.at - 1, self.along) };
    }
}

/// A trip that is not matched.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped {
    /// The id of the trip.
    pub id: String,
    /// Why it is dropped.
    pub reason: Reason,
}

/// A fix that is used, with its candidates.
pub(super) struct Observation {
    pub fix: Fix,
    /// Its index in the trip.
    pub index: usize,
    /// The number of consecutive fixes that it stands for.
    pub fixes: usize,
    pub candidates: Vec<Candidate>,
}

/// Matches trips to a network.
#[derive(Debug)]
pub struct Matcher<'a> {
    pub(super) network: &'a Network,
    pub(super) options: MatchOptions,
    /// What makes routes likely.
    pub(super) measure: Measure,
    /// Learned preferences, if routes are weighed by them.
    pub(super) preferences: Option<Preferences>,
    pub(super) index: SegmentIndex,
    pub(super) incoming: Incoming,
    /// The extent of the map; none if the network is empty.
    extent: Option<MapExtent>,
    /// Memory that no thread is using: it is as large as the network, and is used again.
    idle: Mutex<Vec<BoundedSearch>>,
    idle_sights: Mutex<Vec<Sights>>,
}

impl<'a> Matcher<'a> {
    /// Prepares a network.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn new(network: &'a Network, options: MatchOptions) -> Result<Matcher<'a>, Error> {
        options.check()?;
        let (index, incoming) = (SegmentIndex::new(network), Incoming::new(network));
        let extent = MapExtent::of(network.nodes.iter().map(|node| node.position));
        let (idle, idle_sights) = (Mutex::default(), Mutex::default());
        let (measure, preferences) = (Measure::Lengths, None);
        Ok(Matcher { network, options, measure, preferences, index, incoming, extent, idle, idle_sights })
    }

    /// Weighs routes between fixes by learned preferences instead of their lengths: the log probability of a route is
    /// its reward, as in the recursive logit. `of_segments` and `of_turns` are the rewards of states and of turns, in
    /// the order of [`Network::turns`]. Rewards above 0 count as 0, because a search needs costs that are not negative.
    ///
    /// # Errors
    /// If there is not one finite number for each, or the method is not the tolerant hidden Markov model.
    pub fn with_rewards(mut self, of_segments: &[f64], of_turns: &[f64]) -> Result<Matcher<'a>, Error> {
        if self.is_strict() {
            let message = "learned preferences are used by the hidden Markov model without --strict: leave out --strict \
                           and --method particles";
            return Err(Error::Trips(message.to_string()));
        }
        let expected = [self.network.n_segments(), self.network.n_turns()];
        if [of_segments.len(), of_turns.len()] != expected {
            let found = [of_segments.len(), of_turns.len()];
            return Err(Error::Trips(format!("there are {found:?} rewards of segments and turns, expected {expected:?}")));
        }
        if of_segments.iter().chain(of_turns).any(|reward| !reward.is_finite()) {
            return Err(Error::Trips("a reward is not finite: give a model whose theta is finite".to_string()));
        }
        self.preferences = Some(Preferences::new(self.network, of_segments, of_turns));
        let costs = |rewards: &[f64]| rewards.iter().map(|reward| (-reward).max(0.0)).collect::<Vec<f64>>();
        let (of_segments, of_turns) = (costs(of_segments), costs(of_turns));
        let lengths = self.network.segments.iter().map(|segment| segment.length);
        let per_metre = of_segments.iter().zip(lengths).filter(|(_, length)| *length > 0.0).map(|(cost, length)| cost / length);
        let least = per_metre.fold(f64::INFINITY, f64::min);
        self.measure = Measure::Learned(LearnedCosts { of_segments, of_turns, least });
        Ok(self)
    }

    /// Matches one trip: its longest part.
    ///
    /// # Errors
    /// The reason why it is dropped.
    pub fn match_trip(&self, trip: &Trip) -> Result<Matched, Dropped> {
        let parts = self.match_parts(trip)?;
        let longest = parts.into_iter().reduce(|a, b| if self.metres(&b.segments) > self.metres(&a.segments) { b } else { a });
        longest.ok_or_else(|| Dropped { id: trip.id.clone(), reason: Reason::Still })
    }

    /// Matches one trip. It has one part unless its route breaks; parts that are too short to use are not returned. At
    /// least one part is returned.
    ///
    /// # Errors
    /// The reason why it is dropped.
    pub fn match_parts(&self, trip: &Trip) -> Result<Vec<Matched>, Dropped> {
        self.match_parts_at(trip, &Pace::default())
    }

    /// The same for a trip whose pace is known.
    pub(super) fn match_parts_at(&self, trip: &Trip, pace: &Pace) -> Result<Vec<Matched>, Dropped> {
        let dropped = |reason| Dropped { id: trip.id.clone(), reason };
        self.filter(trip).map_err(dropped)?;
        match self.options.method {
            Method::Particles => {
                let idle = || self.idle_sights.lock().unwrap_or_else(|poison| poison.into_inner());
                let mut sights = idle().pop().unwrap_or_else(|| Sights::new(self.network.n_segments()));
                let found = self.filtered(trip, &mut sights);
                idle().push(sights);
                found.and_then(|whole| self.whole(whole))
            }
            Method::Hmm => self.with_search(|search| match self.options.strict {
                true => self.most_likely(trip, search).and_then(|whole| self.whole(whole)),
                false => self.parts(trip, search, pace).and_then(|parts| self.usable(parts)),
            }),
        }
        .map(|parts| parts.into_iter().map(|part| self.without_past(part)).collect())
        .map_err(dropped)
    }

    /// The same route for a driver of whom nothing is known before it. Its first segment may be a copy, which only those
    /// enter who came from a certain road. They may drive on as all others may, except for some turns.
    fn without_past(&self, part: Matched) -> Matched {
        match self.network.route(&part.segments) {
            Ok(segments) => Matched { segments, ..part },
            Err(_) => part,
        }
    }

    /// Lends memory for searches.
    pub(super) fn with_search<T>(&self, with: impl FnOnce(&mut BoundedSearch) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(|poison| poison.into_inner());
        let taken = idle().pop();
        let mut search = taken.unwrap_or_else(|| BoundedSearch::new(self.network.n_segments()));
        let found = with(&mut search);
        idle().push(search);
        found
    }

    /// The parts of a trip: by the times of its fixes and learned preferences, if both are known.
    fn parts(&self, trip: &Trip, search: &mut BoundedSearch, pace: &Pace) -> Result<Vec<Matched>, Reason> {
        if let Some(preferences) = &self.preferences {
            let parts = self.tolerant(trip, &Measure::Lengths, search)?;
            let timed = parts.iter().map(|part| self.timed(trip, part, preferences, pace)).collect::<Option<Vec<Matched>>>();
            if let Some(timed) = timed {
                return Ok(timed);
            }
        }
        self.tolerant(trip, &self.measure, search)
    }

    /// A trip that is matched as a whole, if it is kept.
    fn whole(&self, matched: Matched) -> Result<Vec<Matched>, Reason> {
        if self.metres(&matched.segments) < self.options.least_metres {
            return Err(Reason::Still);
        }
        let mut sorted: Vec<usize> = matched.segments.iter().map(|&one| self.network.original(one as usize)).collect();
        sorted.sort_unstable();
        if !self.options.keep_cyclic && sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Reason::Cyclic);
        }
        Ok(vec![matched])
    }

    /// The parts that are long enough. If there is none, the reason of the first break.
    fn usable(&self, parts: Vec<Matched>) -> Result<Vec<Matched>, Reason> {
        let why = parts.iter().find_map(|part| part.why).unwrap_or(Reason::Still);
        let long = |part: &Matched| self.metres(&part.segments) >= self.options.least_metres;
        let kept: Vec<Matched> = parts.into_iter().filter(long).collect();
        if kept.is_empty() { Err(why) } else { Ok(kept) }
    }

    /// The length of a route in metres.
    fn metres(&self, segments: &[u32]) -> f64 {
        segments.iter().map(|&segment| self.network.segments[segment as usize].length).sum()
    }

    /// The candidates of a position within a radius.
    pub(super) fn near(&self, position: Position, radius: f64) -> Vec<Candidate> {
        self.index.near(self.network, &self.incoming, position, radius, self.options.candidates)
    }

    /// The distance of the nearest road in metres; none beyond the radius.
    pub(super) fn nearest_road(&self, position: Position) -> Option<f64> {
        let found = self.index.near(self.network, &self.incoming, position, self.options.radius, 1);
        found.first().map(|candidate| candidate.away)
    }

    /// The reasons that are known before matching.
    pub(super) fn filter(&self, trip: &Trip) -> Result<(), Reason> {
        if trip.fixes.is_empty() {
            return Err(Reason::Empty);
        }
        if trip.missing {
            return Err(Reason::Missing);
        }
        let is_swapped = trip.fixes.iter().all(|fix| self.is_swapped(fix.position));
        let invalid = trip.fixes.iter().filter(|fix| !fix.position.is_valid()).count();
        if !is_swapped && (invalid == trip.fixes.len() || invalid > 0 && self.is_strict()) {
            return Err(Reason::Nowhere);
        }
        let backwards = |pair: &[Fix]| pair[1].seconds.zip(pair[0].seconds).is_some_and(|(to, from)| to < from);
        if self.is_strict() && trip.fixes.windows(2).any(backwards) {
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

    fn is_strict(&self) -> bool {
        self.options.strict || self.options.method == Method::Particles
    }

    /// Whether a position is on the map only with latitude and longitude swapped.
    fn is_swapped(&self, place: Position) -> bool {
        let swapped = Position { lat: place.lon, lon: place.lat };
        self.extent.is_some_and(|extent| extent.contains(swapped) && !extent.contains(place))
    }

    /// The fixes that are used: those with a candidate, and not at the position of the fix before.
    pub(super) fn observations(&self, trip: &Trip) -> Result<Vec<Observation>, Reason> {
        let options = &self.options;
        let mut found: Vec<Observation> = Vec::new();
        let mut off = 0;
        for (index, &fix) in trip.fixes.iter().enumerate() {
            if let Some(last) = found.last_mut().filter(|last| last.fix.position.distance(fix.position) < options.spacing) {
                last.fixes += 1;
                off = 0;
                continue;
            }
            let candidates = self.index.near(self.network, &self.incoming, fix.position, options.radius, options.candidates);
            if !candidates.is_empty() {
                off = 0;
                found.push(Observation { fix, index, fixes: 1, candidates });
                continue;
            }
            off += 1;
            if off > options.gap {
                return Err(Reason::OffNetwork);
            }
        }
        if found.is_empty() { Err(Reason::OffNetwork) } else { Ok(found) }
    }

    /// The log probability of a fix at this distance in metres from the position of the car, up to a constant.
    pub(super) fn emission(&self, away: f64) -> f64 {
        -0.5 * (away / self.options.sigma).powi(2)
    }

    /// The same for a fix at the origin of a plane and a car on a segment, `along` metres from its beginning.
    pub(super) fn emission_at(&self, segment: u32, along: f64, plane: &Plane) -> f64 {
        let [x, y] = plane.project(self.position(segment, along));
        self.emission(x.hypot(y))
    }

    /// The position on a segment, `along` metres from its beginning.
    pub(super) fn position(&self, segment: u32, along: f64) -> Position {
        let [a, b] = self.network.ends_of(segment as usize);
        let length = self.network.segments[segment as usize].length;
        let share = if length > 0.0 { along / length } else { 0.0 };
        a.toward(b, share)
    }
}
