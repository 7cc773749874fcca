//! EliminationSums over all paths of any length, for one reward and every pair of states.

use crate::Error;
use crate::any_length::elimination::{Elimination, EliminationScratch, EliminationSums};
use crate::world::{Demonstrations, Mdp, Reward};

/// G(s, s') = Σ over all paths from s to s', of every length, of q(τ) e^{R(τ)} without p0 and without the reward of s: what the
/// paper's ratio needs to tell destinations by a path that was begun (sec:me-inference), without a horizon.
///
/// One elimination serves all pairs; a row of 84,000 sums takes milliseconds.
///
/// ```
/// use revealed::{RouteSums, worlds};
///
/// let roads = worlds::road_like(100, 200, 1)?;
/// let reward = roads.features.reward(&roads.mdp, &vec![-0.05; roads.features.n_features()])?;
/// let sums = RouteSums::new(&roads.mdp, &reward)?;
/// assert!((sums.from(3)?[70] - sums.between(3, 70)?.unwrap()).abs() < 1e-9);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct RouteSums {
    network: Elimination,
    sums: EliminationSums,
    n_states: usize,
}

impl RouteSums {
    /// Eliminates.
    ///
    /// # Errors
    /// If the reward does not fit the MDP; [`Error::DiscountedSum`] if there is a discount; [`Error::NoSum`] if loops do not cost
    /// enough for sums over all paths to be finite.
    pub fn new(mdp: &Mdp, reward: &Reward) -> Result<RouteSums, Error> {
        reward.check(mdp)?;
        if mdp.discount() != 1.0 {
            return Err(Error::DiscountedSum { discount: mdp.discount() });
        }
        let network = Elimination::new(mdp);
        let sums = EliminationSums::new(&network, &step_weights(mdp, reward)).ok_or(Error::NoSum { pair: None })?;
        Ok(RouteSums { network, sums, n_states: mdp.n_states() })
    }

    /// log G(from, s) for every state s; -∞ where no path leads, or where it weighs less than about e^-1300.
    ///
    /// # Errors
    /// If there is no such state.
    pub fn from(&self, from: usize) -> Result<Vec<f64>, Error> {
        self.check(from)?;
        Ok(self.sums.row(&self.network, from))
    }

    /// log G(from, to), or `None` as above.
    ///
    /// # Errors
    /// If there is no such state.
    pub fn between(&self, from: usize, to: usize) -> Result<Option<f64>, Error> {
        self.check(from)?;
        self.check(to)?;
        Ok(self.pair([from, to], &mut EliminationScratch::default()))
    }

    /// The same of states that are there, many times.
    pub(crate) fn pair(&self, pair: [usize; 2], scratch: &mut EliminationScratch) -> Option<f64> {
        self.sums.pair(&self.network, pair, None, scratch)
    }

    fn check(&self, state: usize) -> Result<(), Error> {
        match state < self.n_states {
            true => Ok(()),
            false => {
                Err(Error::OutOfRange { table: "sums of routes", row: 0, what: "state", index: state, count: self.n_states })
            }
        }
    }
}

/// log p(τ | s_1, s_l) of each demonstration, among paths of any length between its own ends.
pub(crate) fn log_probs(mdp: &Mdp, reward: &Reward, demos: &Demonstrations) -> Result<Vec<f64>, Error> {
    let sums = RouteSums::new(mdp, reward)?;
    let mut scratch = EliminationScratch::default();
    let log_prob = |index: usize| {
        let states = demos.states(index);
        let pair = [states[0], states[states.len() - 1]].map(|state| state as usize);
        let log_sum = sums.pair(pair, &mut scratch);
        let steps = demos.transitions(index).iter().map(|&step| log_weight(mdp, reward, step as usize));
        Ok(steps.sum::<f64>() - log_sum.ok_or(Error::NoSum { pair: Some(pair) })?)
    };
    (0..demos.len()).map(log_prob).collect()
}

/// The weight of each transition, with the reward of where it leads.
pub(crate) fn step_weights(mdp: &Mdp, reward: &Reward) -> Vec<f64> {
    (0..mdp.n_transitions()).map(|transition| log_weight(mdp, reward, transition).exp()).collect()
}

pub(crate) fn log_weight(mdp: &Mdp, reward: &Reward, transition: usize) -> f64 {
    let to = mdp.to()[transition] as usize;
    mdp.log_base_weight(transition) + reward.of_transition(transition) + reward.state[to]
}
