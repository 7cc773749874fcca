//! A changed world: closed roads, other dynamics, other feature values, tolls.

mod builder;

pub use builder::{Places, ScenarioBuilder};

use crate::Error;
use crate::world::{Features, Mdp, Occupancy, Reward};

/// A world in which θ of another world is used: its dynamics, its features, and a reward that is added to θᵀφ.
///
/// States, actions and features have the same numbers as in the world of the model; transitions may differ.
/// [`ScenarioBuilder`] makes one from changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    mdp: Mdp,
    features: Features,
    added: Reward,
    is_closed: Vec<bool>,
}

impl Scenario {
    /// Another world. `added` is added to θᵀφ, a toll in units of utility; `None` adds nothing.
    ///
    /// # Errors
    /// If `added` does not fit the MDP.
    pub fn new(mdp: Mdp, features: Features, added: Option<Reward>) -> Result<Scenario, Error> {
        let added = added.unwrap_or_else(|| Reward::of_states(vec![0.0; mdp.n_states()]));
        added.check(&mdp)?;
        let is_closed = vec![false; mdp.n_states()];
        Ok(Scenario { mdp, features, added, is_closed })
    }

    /// The dynamics. Closed choices are still there, with a reference probability of 0.
    pub fn mdp(&self) -> &Mdp {
        &self.mdp
    }

    /// The features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Whether no path visits the state because it is closed.
    pub fn is_closed(&self, state: usize) -> bool {
        self.is_closed.get(state).copied().unwrap_or(false)
    }

    /// θᵀφ plus what is added.
    ///
    /// # Errors
    /// If θ has the wrong length, or a reward is not finite.
    pub fn reward(&self, theta: &[f64]) -> Result<Reward, Error> {
        let mut reward = self.features.reward(&self.mdp, theta)?;
        reward.state.iter_mut().zip(&self.added.state).for_each(|(reward, added)| *reward += added);
        if !self.added.transition.is_empty() {
            reward.transition.resize(self.mdp.n_transitions(), 0.0);
            reward.transition.iter_mut().zip(&self.added.transition).for_each(|(reward, added)| *reward += added);
        }
        reward.check(&self.mdp)?;
        Ok(reward)
    }

    /// The expectation of what is added.
    pub(super) fn expected_addition(&self, visits: &Occupancy) -> f64 {
        let of = |visits: &[f64], added: &[f64]| visits.iter().zip(added).map(|(visits, added)| visits * added).sum::<f64>();
        of(&visits.state, &self.added.state) + of(&visits.transition, &self.added.transition)
    }

    /// Rejects a world with other numbers of states, actions or features.
    pub(super) fn check_against(&self, mdp: &Mdp, features: &Features) -> Result<(), Error> {
        let counts =
            [("states", self.mdp.n_states(), mdp.n_states()), ("features", self.features.n_features(), features.n_features())];
        match counts.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => Err(Error::OtherWorld { what, found, expected }),
            None => Ok(()),
        }
    }
}
