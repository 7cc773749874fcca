//! Baselines: simpler predictors of routes, by rewards that are not learned from the trips or learned otherwise.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use revealed::Reward;

use crate::statistics::normal_polar;
use crate::world::Roads;

/// A baseline that learned models are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// The shortest path.
    Shortest,
    /// The fastest path.
    Fastest,
    /// Ziebart's algorithm of 2008, learned from the same trips.
    Ziebart2008,
    /// Random weights.
    RandomWeights,
}

impl Baseline {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Baseline::Shortest => "shortest path",
            Baseline::Fastest => "fastest path",
            Baseline::Ziebart2008 => "Ziebart 2008",
            Baseline::RandomWeights => "random weights",
        }
    }

    /// Whether its routes are bounded by a horizon, because some cycle may have a positive reward.
    pub fn is_bounded(self) -> bool {
        matches!(self, Baseline::Ziebart2008 | Baseline::RandomWeights)
    }
}

/// The reward whose likeliest route is the shortest: minus the length of each state in metres.
pub fn shortest(roads: &Roads) -> Reward {
    Reward::of_states(roads.lengths().iter().map(|length| -length).collect())
}

/// The reward whose likeliest route is the fastest: minus the seconds of each state, at the speed limit or the usual
/// speed.
pub fn fastest(roads: &Roads) -> Reward {
    Reward::of_states((0..roads.n_states()).map(|state| -roads.seconds(state)).collect())
}

/// Random weights: each is drawn from a standard normal distribution, as in the paper.
pub fn random_weights(n_features: usize, seed: u64) -> Vec<f64> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut normal = || {
        let (radius, angle) = normal_polar(&mut rng);
        radius * angle.cos()
    };
    (0..n_features).map(|_| normal()).collect()
}
