//! A reward, in the form that the kernel reads.

use crate::Error;
use crate::numeric::vector::all_finite;
use crate::world::Mdp;

/// A reward: one number per state, and one per transition, which is the sum of R(s, a) and R(s, a, s').
#[derive(Debug, Clone, PartialEq)]
pub struct Reward {
    /// R_s(s) of each state.
    pub state: Vec<f64>,
    /// R_sa(s, a) + R_sas'(s, a, s') of each transition; empty if all are zero.
    pub transition: Vec<f64>,
}

impl Reward {
    /// A reward of states only.
    pub fn of_states(state: Vec<f64>) -> Self {
        Reward { state, transition: Vec::new() }
    }

    /// R_sa + R_sas' of one transition.
    pub fn of_transition(&self, transition: usize) -> f64 {
        self.transition.get(transition).copied().unwrap_or(0.0)
    }

    /// Every reward times `factor`.
    pub(crate) fn times(&self, factor: f64) -> Reward {
        let times = |rewards: &[f64]| rewards.iter().map(|reward| factor * reward).collect();
        Reward { state: times(&self.state), transition: times(&self.transition) }
    }

    /// Checks the lengths and that every number is finite.
    ///
    /// # Errors
    /// [`Error::Length`] or [`Error::NotFinite`].
    pub fn check(&self, mdp: &Mdp) -> Result<(), Error> {
        if self.state.len() != mdp.n_states() {
            return Err(Error::Length { what: "the reward of the states", found: self.state.len(), expected: mdp.n_states() });
        }
        if !self.transition.is_empty() && self.transition.len() != mdp.n_transitions() {
            let (found, expected) = (self.transition.len(), mdp.n_transitions());
            return Err(Error::Length { what: "the reward of the transitions", found, expected });
        }
        all_finite("the reward of the states", &self.state)?;
        all_finite("the reward of the transitions", &self.transition)
    }
}
