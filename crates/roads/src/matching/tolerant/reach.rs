//! How far, and how fast, a car may have driven between two fixes.

use super::{Place, Track};
use crate::matching::candidates::Candidate;
use crate::matching::matcher::Matcher;
use crate::matching::routes::{BoundedSearch, Measure};
use crate::trips::Fix;

/// A route is in haste beyond this many times the usual speed of its roads, or the trip's own high speed.
const HURRY: f64 = 1.3;
/// The high speed of a trip is the quantile of its speeds.
const HIGH: f64 = 0.75;
/// Both ends of a route may be off by this many standard deviations.
const OFF: f64 = 2.0;

/// What the times of a track say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// A time may be wrong by this many seconds.
    resolution: f64,
    /// A high speed of this trip, in metres per second.
    high: f64,
}

impl Clock {
    /// Fixes at the same time show that times are rounded.
    pub(super) fn new(fixes: impl Iterator<Item = Fix>) -> Clock {
        let fixes: Vec<Fix> = fixes.collect();
        let mut steps: Vec<(f64, f64)> = Vec::new();
        for pair in fixes.windows(2) {
            if let (Some(from), Some(to)) = (pair[0].seconds, pair[1].seconds) {
                steps.push((to - from, pair[0].position.distance(pair[1].position)));
            }
        }
        let is_rounded = steps.iter().any(|step| step.0 <= 0.0);
        let quantile = |mut values: Vec<f64>, share: f64| {
            values.sort_unstable_by(f64::total_cmp);
            values.get((share * values.len() as f64) as usize).copied()
        };
        let positive = steps.iter().filter(|step| step.0 > 0.0);
        let resolution = quantile(positive.map(|step| step.0).collect(), 0.5).filter(|_| is_rounded).unwrap_or(1.0).max(1.0);
        let speeds = steps.iter().map(|(seconds, metres)| metres / seconds.max(resolution)).collect();
        Clock { resolution, high: quantile(speeds, HIGH).unwrap_or_default() }
    }
}

/// How far a car may have driven between two fixes, in metres.
pub(super) struct Reach {
    /// The distance between them.
    pub direct: f64,
    /// The mean difference between the length of the route and this distance.
    pub beta: f64,
    /// The longest route that is considered.
    pub longest: f64,
    /// The seconds between them, if they are known.
    elapsed: Option<f64>,
    /// A high speed of the trip.
    high: f64,
    /// Metres that both ends together may be off.
    off: f64,
}

impl Matcher<'_> {
    /// How far a car may have driven between two places.
    pub(super) fn reach(&self, track: &Track<'_>, from: &Place, to: &Place) -> Reach {
        let direct = from.fix.position.distance(to.fix.position);
        let beta = self.options.beta.max(self.options.beta_share * direct);
        let mut longest = direct + self.options.break_cost * beta;
        let seconds = from.fix.seconds.zip(to.fix.seconds).map(|(from, to)| to - from);
        let elapsed = seconds.map(|seconds| seconds.max(track.clock.resolution));
        if let Some(seconds) = elapsed {
            longest = longest.min(1.5 * self.options.fastest / 3.6 * seconds + 2.0 * self.options.radius);
        }
        Reach { direct, beta, longest, elapsed, high: track.clock.high, off: 2.0 * OFF * track.sigma }
    }

    /// What a route of this length costs because it is too fast: its metres beyond what the seconds between the fixes
    /// allow. So a few fixes far from the others are outliers, and not a detour at a speed that no car has there.
    pub(super) fn haste(
        &self,
        measure: &Measure,
        reach: &Reach,
        distance: f64,
        [from, to]: [Candidate; 2],
        search: &BoundedSearch,
    ) -> f64 {
        let (Measure::Lengths, Some(seconds)) = (measure, reach.elapsed) else { return 0.0 };
        let excess = |speed: f64| distance - HURRY * speed * seconds - reach.off;
        if excess(reach.high) <= 0.0 {
            return 0.0;
        }
        let of = |segment: u32, metres: f64| {
            let length = self.network.segments[segment as usize].length;
            self.network.seconds(segment as usize) * if length > 0.0 { metres / length } else { 0.0 }
        };
        let path = search.path_to(to);
        let usual: f64 = match path.split_last() {
            None => of(to.segment, distance),
            Some((&last, between)) => {
                let left = self.network.segments[from.segment as usize].length - from.along;
                of(from.segment, left)
                    + between.iter().map(|&one| self.network.seconds(one as usize)).sum::<f64>()
                    + of(last, to.along)
            }
        };
        let speed = if usual > 0.0 { distance / usual } else { 0.0 };
        excess(reach.high.max(speed)).max(0.0) / self.options.haste
    }
}

/// The log probability of a route of this length, or of this learned cost, between two fixes.
pub(super) fn log_step(measure: &Measure, reach: &Reach, distance: f64) -> f64 {
    match measure {
        Measure::Lengths => -(distance - reach.direct).abs() / reach.beta,
        Measure::Learned(costs) => costs.least * reach.direct - distance,
    }
}

/// The longest route, or the largest learned cost, that costs at most this in log probability.
pub(super) fn bound_of(measure: &Measure, reach: &Reach, most: f64) -> f64 {
    match measure {
        Measure::Lengths => reach.longest.min(reach.direct + reach.beta * most),
        Measure::Learned(costs) => costs.least * reach.direct + most,
    }
}
