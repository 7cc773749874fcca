//! How trips are matched, and which are dropped.

use crate::error::Error;
use crate::geometry::Position;

/// How a way is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The hidden Markov model of Newson and Krumm.
    Hmm,
    /// A particle filter: what the paper used.
    Particles,
}

/// Where trips must stay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// The middle.
    pub centre: Position,
    /// Metres from it.
    pub radius: f64,
}

impl Area {
    /// The paper's: 15 km about the city of Porto.
    pub const PORTO: Area = Area { centre: Position { lat: 41.1480637, lon: -8.6329584 }, radius: 15_000.0 };
}

/// How trips are matched, and which are dropped. What the paper drops is dropped by default; only its area has to be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchOptions {
    /// How a way is found.
    pub method: Method,
    /// The standard deviation of a fix from the road in metres.
    pub sigma: f64,
    /// By how many metres ways are longer than the distance between two fixes, on average.
    pub beta: f64,
    /// How far from a fix the road may be, in metres.
    pub radius: f64,
    /// The most candidates of a fix.
    pub candidates: usize,
    /// A fix nearer than this to the one before says nothing new: metres.
    pub spacing: f64,
    /// A car whose next fix is nearer than this may have stood still, whatever the noise says: metres.
    pub still: f64,
    /// By how many metres a way may be longer than the distance between its fixes.
    pub detour: f64,
    /// No car is faster, where times are known: km/h.
    pub fastest: f64,
    /// How many fixes in a row may be left out because they are off the network, or because no way leads to them.
    pub gap: usize,
    /// The particles of the particle filter.
    pub particles: usize,
    /// For its random numbers.
    pub seed: u64,
    /// Trips that take fewer seconds are dropped; trips without times are not.
    pub least_seconds: f64,
    /// Trips whose way is shorter are dropped, in metres: the shortest of the paper has 250.
    pub least_metres: f64,
    /// Trips that leave it are dropped.
    pub area: Option<Area>,
    /// Whether trips that come by a segment twice are kept.
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
        let positive = [("sigma", self.sigma), ("beta", self.beta), ("radius", self.radius), ("fastest", self.fastest)];
        let rest = [
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
            return Err(Error::Trips(format!("{name} is {value}: it must be a number, and not below 0")));
        }
        match (self.candidates, self.particles) {
            (0, _) => Err(Error::Trips("a fix has at most 0 candidates: give some".to_string())),
            (_, 0) => Err(Error::Trips("there are 0 particles: give some".to_string())),
            _ => Ok(()),
        }
    }
}
