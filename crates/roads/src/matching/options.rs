//! The options of matching.

use crate::error::Error;
use crate::geometry::Position;

/// How a route is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The hidden Markov model of Newson and Krumm.
    Hmm,
    /// A particle filter, as in the paper.
    Particles,
}

/// A circle that trips must not leave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Its centre.
    pub centre: Position,
    /// Its radius in metres.
    pub radius: f64,
}

impl Area {
    /// The paper's area: 15 km around the centre of Porto.
    pub const PORTO: Area = Area { centre: Position { lat: 41.1480637, lon: -8.6329584 }, radius: 15_000.0 };
}

/// How trips are matched, and which are dropped. By default the trips that the paper drops are dropped, except those
/// that leave its area.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchOptions {
    /// How a route is found.
    pub method: Method,
    /// The standard deviation of a fix from the road in metres.
    pub sigma: f64,
    /// The mean difference between the length of a route and the distance between two fixes, in metres.
    pub beta: f64,
    /// The largest distance of a fix from the road in metres.
    pub radius: f64,
    /// The maximum number of candidates of a fix.
    pub candidates: usize,
    /// A fix nearer than this to the one before is skipped, in metres.
    pub spacing: f64,
    /// A car whose next fix is nearer than this may have stood still, in metres.
    pub still: f64,
    /// The maximum difference between the length of a route and the distance between its fixes, in metres.
    pub detour: f64,
    /// The highest speed of a car in km/h, used if times are known.
    pub fastest: f64,
    /// The maximum number of consecutive fixes that may be skipped because they are off the network or no route leads
    /// to them.
    pub gap: usize,
    /// Whether a trip with one bad stretch is dropped, as in the paper. Otherwise outliers are skipped, gaps are bridged
    /// and the trip is split where no route is likely. The particle filter is always strict.
    pub strict: bool,
    /// If no road is within the radius of a fix, the radius grows up to this, in metres. Not used if strict.
    pub farthest: f64,
    /// The mean difference between the length of a route and the distance of its fixes, as a share of the distance. It
    /// counts where it is above [`beta`](Self::beta): where fixes are far apart. Not used if strict.
    pub beta_share: f64,
    /// The mean metres that a route is longer than its time allows at high speed, in metres. A small value makes fixes that
    /// only a very fast car would reach outliers. Not used if strict, or if times are not known.
    pub haste: f64,
    /// The seconds in which the error of a fix changes. A fix that comes sooner after the fix before counts less, as the
    /// share of this time that has passed; 0 if errors are independent. Not used if strict.
    pub memory: f64,
    /// The cost of skipping a fix, in units of log probability. Not used if strict.
    pub skip_cost: f64,
    /// The cost of a burst of outliers, in units of log probability, besides that of each of its fixes. Not used if
    /// strict.
    pub burst_cost: f64,
    /// The cost of skipping a fix as one of a burst, in units of log probability. Not used if strict.
    pub burst_skip_cost: f64,
    /// The maximum number of consecutive fixes that are skipped within a part everywhere; near breaks there may be more.
    /// Not used if strict.
    pub skips: usize,
    /// The cost of breaking a trip into two parts, in units of log probability. Not used if strict.
    pub break_cost: f64,
    /// The number of particles of the particle filter.
    pub particles: usize,
    /// The seed of the particle filter.
    pub seed: u64,
    /// Trips that take fewer seconds are dropped. Trips without times are kept.
    pub least_seconds: f64,
    /// Trips whose route is shorter are dropped, in metres. The shortest of the paper has 250.
    pub least_metres: f64,
    /// Trips that leave this area are dropped.
    pub area: Option<Area>,
    /// Whether trips that pass a segment twice are kept.
    pub keep_cyclic: bool,
}

impl Default for MatchOptions {
    fn default() -> MatchOptions {
        MatchOptions {
            method: Method::Hmm,
            sigma: 10.0,
            beta: 10.0,
            radius: 50.0,
            candidates: 16,
            spacing: 20.0,
            still: 40.0,
            detour: 400.0,
            fastest: 150.0,
            gap: 2,
            strict: false,
            farthest: 200.0,
            beta_share: 0.15,
            haste: 50.0,
            memory: 10.0,
            skip_cost: 25.0,
            burst_cost: 30.0,
            burst_skip_cost: 12.0,
            skips: 5,
            break_cost: 50.0,
            particles: 500,
            seed: 0,
            least_seconds: 120.0,
            least_metres: 250.0,
            area: None,
            keep_cyclic: false,
        }
    }
}

impl MatchOptions {
    pub(super) fn check(&self) -> Result<(), Error> {
        let positive = [
            ("sigma", self.sigma),
            ("beta", self.beta),
            ("radius", self.radius),
            ("fastest", self.fastest),
            ("haste", self.haste),
            ("break cost", self.break_cost),
        ];
        let rest = [
            ("farthest", self.farthest),
            ("share of beta", self.beta_share),
            ("memory", self.memory),
            ("skip cost", self.skip_cost),
            ("burst cost", self.burst_cost),
            ("burst skip cost", self.burst_skip_cost),
            ("spacing", self.spacing),
            ("still", self.still),
            ("detour", self.detour),
            ("least seconds", self.least_seconds),
            ("least metres", self.least_metres),
        ];
        if let Some((name, value)) = positive.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            return Err(Error::Trips(format!("{name} is {value}: it must be a number above 0")));
        }
        if let Some((name, value)) = rest.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
            return Err(Error::Trips(format!("{name} is {value}: it must be a number, 0 or above")));
        }
        match (self.candidates, self.particles) {
            (0, _) => Err(Error::Trips("candidates is 0: give at least 1".to_string())),
            (_, 0) => Err(Error::Trips("particles is 0: give at least 1".to_string())),
            _ => Ok(()),
        }
    }
}
