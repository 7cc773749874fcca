//! What is measured in both worlds.

use super::expected::{Expected, Wanted};
use super::scenario::Scenario;
use crate::Error;
use crate::world::Features;

/// A quantity of the distribution over paths, per path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The expected number of visits to a state: its flow. With a discount, visits are discounted as in
    /// [`Occupancy`](crate::Occupancy).
    Visits(usize),
    /// The expected number of transitions (s, a, s'); 0 in a world without this transition.
    Transition([usize; 3]),
    /// The mean number of states of a path.
    Length,
    /// The variance of the number of states.
    LengthVariance,
    /// The probability that a path ends in a state.
    End(usize),
    /// The expected sum E[φ_k(τ)] of a feature along a path, with the feature values of each world.
    Feature(usize),
    /// The expected reward E[R(τ)], with additional rewards.
    Reward,
    /// log Z, the logsum: the expected maximum utility of a traveller whose choices follow this model, up to a constant.
    Logsum,
    /// log Z / -θ_k: the logsum in units of a feature that is a cost.
    Surplus(usize),
}

impl Outcome {
    /// Rejects states and features that do not exist.
    pub(super) fn check(&self, row: usize, n_states: usize, features: &Features) -> Result<(), Error> {
        let index = |what, index: usize, count: usize| match index < count {
            true => Ok(()),
            false => Err(Error::OutOfRange { table: "outcomes", row, what, index, count }),
        };
        match *self {
            Outcome::Visits(state) | Outcome::End(state) => index("state", state, n_states),
            Outcome::Transition([from, _, to]) => index("state", from, n_states).and(index("state", to, n_states)),
            Outcome::Feature(k) | Outcome::Surplus(k) => index("feature", k, features.n_features()),
            Outcome::Length | Outcome::LengthVariance | Outcome::Reward | Outcome::Logsum => Ok(()),
        }
    }

    /// What has to be computed for it.
    pub(super) fn wants(&self) -> Wanted {
        Wanted {
            mean_length: matches!(self, Outcome::Length),
            length_variance: matches!(self, Outcome::LengthVariance),
            ends: matches!(self, Outcome::End(_)),
        }
    }

    /// Whether it counts travellers, and is multiplied by their number.
    pub fn is_flow(&self) -> bool {
        matches!(self, Outcome::Visits(_) | Outcome::Transition(_) | Outcome::End(_))
    }

    /// The value in one world.
    pub(super) fn value(&self, world: &Scenario, theta: &[f64], expected: &Expected) -> f64 {
        let visits = &expected.occupancy;
        match *self {
            Outcome::Visits(state) => visits.state[state],
            Outcome::Transition([from, action, to]) => {
                world.mdp().transition(from, action, to).map_or(0.0, |transition| visits.transition[transition])
            }
            Outcome::Length => expected.lengths[0],
            Outcome::LengthVariance => expected.lengths[1],
            Outcome::End(state) => expected.ends[state],
            Outcome::Feature(k) => world.features().expectation(world.mdp(), visits)[k],
            Outcome::Reward => {
                let features = world.features().expectation(world.mdp(), visits);
                features.iter().zip(theta).map(|(phi, theta)| phi * theta).sum::<f64>() + world.expected_addition(visits)
            }
            Outcome::Logsum => expected.log_partition,
            Outcome::Surplus(k) => -expected.log_partition / theta[k],
        }
    }
}
