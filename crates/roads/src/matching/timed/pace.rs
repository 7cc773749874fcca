//! How long drives take, compared with the usual speeds of the roads.
//!
//! A drive takes its usual time, times a factor of the trip (its slowness), times an error of each stretch between two
//! fixes. Both are not known. So there are lanes, each a slowness and a spread of the errors, and each has a
//! probability. They are learned from the trips themselves: the proportions of a mixture, by the EM algorithm.

/// The number of values of the slowness.
const SLOWNESSES: usize = 25;
/// Spreads of the time of a stretch, as a share of it: even speed, traffic, and stops.
const SPREADS: [f64; 3] = [0.01, 0.08, 0.25];
/// The usual slowness of single trips, and its spread: the logarithm of seconds taken per usual second.
const USUAL: [f64; 2] = [0.2, 0.3];
/// The values reach this many spreads from their middle, and at least so far.
const REACH: f64 = 2.5;
const LEAST_REACH: f64 = 0.2;
/// Clocks and positions are this good at best, in seconds.
const LEAST_ERROR: f64 = 0.5;
/// Times farther than this many standard deviations are impossible.
const FARTHEST: f64 = 4.0;
/// The first proportions count as much as this number of trips.
const PRIOR_TRIPS: f64 = 0.3;
/// Steps of the EM algorithm.
const STEPS: usize = 30;
/// Lanes less probable than this are left out.
const LEAST_WEIGHT: f64 = 3e-3;

/// A slowness and a spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lane {
    /// Seconds taken per usual second.
    slowness: f64,
    /// The standard deviation of the time of a stretch, as a share of it.
    spread: f64,
    /// Its probability.
    pub weight: f64,
}

impl Lane {
    /// The mean and the standard deviation of the usual seconds of a drive that took this long.
    fn usual(&self, elapsed: f64) -> [f64; 2] {
        let mean = elapsed / self.slowness;
        [mean, (self.spread * mean).hypot(LEAST_ERROR)]
    }
}

/// How long drives take, compared with the usual speeds.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::matching) struct Pace {
    pub(super) lanes: Vec<Lane>,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace::around(USUAL[0], USUAL[1])
    }
}

impl Pace {
    /// Lanes around this logarithm of the slowness.
    pub(super) fn around(middle: f64, spread: f64) -> Pace {
        let reach = (REACH * spread).max(LEAST_REACH);
        let step = 2.0 * reach / (SLOWNESSES - 1) as f64;
        let mut lanes = Vec::with_capacity(SLOWNESSES * SPREADS.len());
        for place in 0..SLOWNESSES {
            let off = place as f64 * step - reach;
            let slowness = (middle + off).exp();
            let weight = (-0.5 * (REACH * off / reach).powi(2)).exp();
            // No gaps between the lanes.
            lanes.extend(SPREADS.map(|spread| Lane { slowness, spread: spread.max(0.5 * step), weight }));
        }
        let mut pace = Pace { lanes };
        pace.normalise();
        pace
    }

    /// The lanes for trips like these: for each the logarithm of its slowness by a first match.
    pub(super) fn of(slownesses: &mut [f64]) -> Pace {
        if slownesses.is_empty() {
            return Pace::default();
        }
        slownesses.sort_unstable_by(f64::total_cmp);
        let middle = slownesses[slownesses.len() / 2];
        let mut off: Vec<f64> = slownesses.iter().map(|one| (one - middle).abs()).collect();
        off.sort_unstable_by(f64::total_cmp);
        Pace::around(middle, 1.4826 * off[off.len() / 2])
    }

    /// The proportions that make the trips most likely, given the likelihood of each trip in each lane.
    pub(super) fn fitted(mut self, likelihoods: &[Vec<f64>]) -> Pace {
        let before: Vec<f64> = self.lanes.iter().map(|lane| lane.weight).collect();
        for _ in 0..STEPS {
            let mut counts: Vec<f64> = before.iter().map(|weight| PRIOR_TRIPS * weight).collect();
            for trip in likelihoods {
                let all: f64 = trip.iter().zip(&self.lanes).map(|(one, lane)| one * lane.weight).sum();
                if all > 0.0 {
                    let shares = trip.iter().zip(&self.lanes).map(|(one, lane)| one * lane.weight / all);
                    counts.iter_mut().zip(shares).for_each(|(count, share)| *count += share);
                }
            }
            self.lanes.iter_mut().zip(&counts).for_each(|(lane, count)| lane.weight = *count);
            self.normalise();
        }
        self.lanes.retain(|lane| lane.weight >= LEAST_WEIGHT);
        self.normalise();
        self
    }

    fn normalise(&mut self) {
        let all: f64 = self.lanes.iter().map(|lane| lane.weight).sum();
        self.lanes.iter_mut().for_each(|lane| lane.weight /= all);
    }

    /// The fewest and the most usual seconds of a drive that took this long.
    pub(super) fn window(&self, elapsed: f64) -> [f64; 2] {
        let ends = self.lanes.iter().map(|lane| lane.usual(elapsed));
        ends.fold([f64::INFINITY, 0.0], |[low, high], [mean, error]| {
            [low.min(mean - FARTHEST * error).max(0.0), high.max(mean + FARTHEST * error)]
        })
    }

    /// The density of these usual seconds in each lane, of a drive that took this long.
    pub(super) fn densities(&self, elapsed: f64, usual: f64, densities: &mut [f64]) {
        for (density, lane) in densities.iter_mut().zip(&self.lanes) {
            let [mean, error] = lane.usual(elapsed);
            let off = (usual - mean) / error;
            *density = if off.abs() <= FARTHEST { (-0.5 * off * off).exp() / error } else { 0.0 };
        }
    }
}
