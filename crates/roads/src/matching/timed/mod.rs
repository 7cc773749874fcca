//! Routes between fixes that are far apart: by learned preferences, and by the time that they take.
//!
//! Between two fixes a minute apart there are many routes. Each has a probability by the learned preferences, and a
//! usual time. The sum over all routes, and over all positions where a fix may have been taken, gives the posterior
//! probability of each segment. The route that is returned has the smallest expected error.

mod decode;
mod pace;
mod stretch;
mod sums;

pub(super) use self::pace::Pace;

use revealed::{Threads, parallel};

use self::decode::decode;
use self::stretch::{Ground, Spot};
use self::sums::Sums;
use super::matcher::{Matched, Matcher, Seen};
use super::routes::Measure;
use super::tolerant::weight;
use crate::geometry::Plane;
use crate::network::Network;
use crate::trips::{Fix, Trip};

/// A radius reaches this much farther than the road that a first match has found.
const FARTHER: f64 = 1.2;

/// Learned preferences as weights of drives.
#[derive(Debug)]
pub(super) struct Preferences {
    /// The reward of each segment.
    of_segments: Vec<f64>,
    /// The weight of each turn and of the segment that it enters: e to the power of both rewards.
    weights: Vec<f64>,
}

impl Preferences {
    pub(super) fn new(network: &Network, of_segments: &[f64], of_turns: &[f64]) -> Preferences {
        let turns = network.turns().zip(of_turns);
        let weights = turns.map(|((_, to), of_turn)| (of_turn + of_segments[to as usize]).exp()).collect();
        Preferences { of_segments: of_segments.to_vec(), weights }
    }
}

/// The fixes of a part with times, and where each may have been taken.
struct Timed {
    /// Seconds between the fixes.
    elapsed: Vec<f64>,
    spots: Vec<Vec<Spot>>,
    /// The weights of the spots of the first fix.
    first: Vec<f64>,
}

impl Matcher<'_> {
    /// The pace of trips like these, if routes are weighed by learned preferences.
    pub(super) fn pace(&self, trips: &[Trip], threads: &Threads) -> Pace {
        let Some(preferences) = &self.preferences else { return Pace::default() };
        let first = |trip: &Trip| {
            self.filter(trip).ok()?;
            let parts = self.with_search(|search| self.tolerant(trip, &Measure::Lengths, search)).ok()?;
            let part = parts.into_iter().next()?;
            Some((self.slowness(trip, &part)?, part))
        };
        let first = threads.run(|| parallel::map(trips, first));
        let mut slownesses: Vec<f64> = first.iter().flatten().map(|(slowness, _)| *slowness).collect();
        let pace = Pace::of(&mut slownesses);
        let likelihoods = |(trip, first): (&Trip, &Option<(f64, Matched)>)| {
            let timed = self.spots(trip, &first.as_ref()?.1, preferences)?;
            let sums = Sums::new(&self.ground(preferences), &pace, &timed.elapsed, &timed.spots, &timed.first)?;
            Some(sums.likelihoods())
        };
        let found = threads.run(|| parallel::map(trips.iter().zip(&first), likelihoods));
        pace.clone().fitted(&found.into_iter().flatten().collect::<Vec<_>>())
    }

    /// The logarithm of the seconds that a part took per usual second.
    fn slowness(&self, trip: &Trip, part: &Matched) -> Option<f64> {
        let (first, last) = (part.seen.first()?, part.seen.last()?);
        let elapsed = trip.fixes[last.fix].seconds? - trip.fixes[first.fix].seconds?;
        let until = |seen: &Seen| {
            let seconds = |&segment: &u32| self.network.seconds(segment as usize);
            let here = part.segments[seen.at];
            let share = seen.along / self.network.segments[here as usize].length;
            part.segments[..seen.at].iter().map(seconds).sum::<f64>() + share * seconds(&here)
        };
        Some((elapsed / (until(last) - until(first))).ln()).filter(|slowness| slowness.is_finite())
    }

    /// A part of a trip, matched again by preferences and times. `None` if some time is not known, or no drive fits.
    pub(super) fn timed(&self, trip: &Trip, part: &Matched, preferences: &Preferences, pace: &Pace) -> Option<Matched> {
        let timed = self.spots(trip, part, preferences)?;
        let ground = self.ground(preferences);
        let sums = Sums::new(&ground, pace, &timed.elapsed, &timed.spots, &timed.first)?;
        let (first, posteriors) = sums.posteriors();
        let length = |segment: u32| self.network.segments[segment as usize].length;
        let decoded = decode(&timed.spots, &sums.stretches, (&first, &posteriors), self.network)?;
        let seen = |(old, (&(at, spot), spots)): (&Seen, (&(usize, usize), &Vec<Spot>))| {
            let spot = spots[spot];
            Seen { fix: old.fix, at, along: spot.into / ground.seconds(spot.segment) * length(spot.segment) }
        };
        let seen = part.seen.iter().zip(decoded.seen.iter().zip(&timed.spots)).map(seen).collect();
        let confidence = decoded.posteriors.iter().sum::<f64>() / decoded.posteriors.len() as f64;
        Some(Matched { segments: decoded.segments, seen, confidence, log_probability: sums.log_sum(), ..part.clone() })
    }

    fn ground<'b>(&'b self, preferences: &'b Preferences) -> Ground<'b> {
        Ground { network: self.network, incoming: &self.incoming, weights: &preferences.weights }
    }

    /// Where the fixes of a part may have been taken.
    fn spots(&self, trip: &Trip, part: &Matched, preferences: &Preferences) -> Option<Timed> {
        let fixes: Vec<(usize, Fix)> = part.seen.iter().map(|seen| (seen.fix, trip.fixes[seen.fix])).collect();
        let times: Vec<f64> = fixes.iter().map(|(_, fix)| fix.seconds).collect::<Option<_>>()?;
        if times.len() < 2 || times[0] == times[times.len() - 1] {
            return None;
        }
        let sigma = self.noise(&fixes);
        let mut spots = Vec::with_capacity(fixes.len());
        for (place, (seen, (_, fix))) in part.seen.iter().zip(&fixes).enumerate() {
            let counts = weight(self.options.memory, place.checked_sub(1).map(|before| &fixes[before].1), fix);
            let found = self.position(part.segments[seen.at], seen.along).distance(fix.position);
            spots.push(self.spots_of(fix, sigma, counts, self.options.radius.max(FARTHER * found)));
        }
        let top = spots[0].iter().map(|spot| preferences.of_segments[spot.segment as usize]).fold(f64::NEG_INFINITY, f64::max);
        // Each segment is as likely as the first, and each of its seconds. A copy is the same segment.
        let begin = |spot: &Spot| {
            if self.network.original(spot.segment as usize) != spot.segment as usize {
                return 0.0;
            }
            let reward = preferences.of_segments[spot.segment as usize] - top;
            reward.exp() * spot.weight / self.ground(preferences).seconds(spot.segment)
        };
        let first = spots[0].iter().map(begin).collect();
        Some(Timed { elapsed: times.windows(2).map(|pair| (pair[1] - pair[0]).max(0.0)).collect(), spots, first })
    }

    /// The spots of a fix, about one standard deviation apart.
    fn spots_of(&self, fix: &Fix, sigma: f64, counts: f64, radius: f64) -> Vec<Spot> {
        let plane = Plane::at(fix.position);
        let mut spots = Vec::new();
        for segment in self.index.around(self.network, fix.position, radius) {
            let [a, b] = self.network.ends_of(segment as usize).map(|end| plane.project(end));
            let seconds = self.network.seconds(segment as usize).max(stretch::LEAST_SECONDS);
            let n = (self.network.segments[segment as usize].length / sigma).ceil().max(1.0);
            for place in 0..n as usize {
                let share = (place as f64 + 0.5) / n;
                let away = (a[0] + share * (b[0] - a[0])).hypot(a[1] + share * (b[1] - a[1]));
                if away <= radius {
                    let likelihood = (-0.5 * counts * (away / sigma).powi(2)).exp();
                    spots.push(Spot { segment, into: share * seconds, weight: likelihood * seconds / n });
                }
            }
        }
        spots
    }
}
