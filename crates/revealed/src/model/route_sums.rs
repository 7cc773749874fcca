//! Sums over all paths of any length, for one reward and every pair of states.

use crate::Error;
use crate::engine::elimination::{Elimination, EliminationScratch, EliminationSums, Limit};
use crate::engine::fixed_point::{divergence, log_weights};
use crate::numeric::Work;
use crate::watch::Watch;
use crate::world::{Mdp, Reward};

/// G(s, s') = Σ q(τ) e^{R(τ)} over all paths from s to s', of every length, without p0 and without the reward of s. The
/// paper's ratio for the posterior of destinations, given the beginning of a path (sec:me-inference), needs these sums;
/// here they have no horizon.
///
/// One elimination serves all pairs; a row of 84,000 sums takes milliseconds.
///
/// ```
/// use revealed::{RouteSums, Work, worlds};
///
/// let roads = worlds::road_like(100, 200, 1)?;
/// let reward = roads.features.reward(&roads.mdp, &vec![-0.05; roads.features.n_features()])?;
/// let sums = RouteSums::new(&roads.mdp, &reward, &Work::default())?;
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
    /// Performs the elimination, on the calling thread and within the memory budget.
    ///
    /// # Errors
    /// If the reward does not fit the MDP; [`Error::DiscountedSum`] if there is a discount; [`Error::FillIn`] if the
    /// elimination does not fit into the memory; [`Error::Diverges`] if loops do not cost enough for sums over all paths
    /// to be finite.
    pub fn new(mdp: &Mdp, reward: &Reward, work: &Work) -> Result<RouteSums, Error> {
        reward.check(mdp)?;
        if mdp.discount() != 1.0 {
            return Err(Error::DiscountedSum { discount: mdp.discount() });
        }
        let network = Elimination::new(mdp, &Limit::of_sums(work.memory), &Watch::none())?;
        let log_weights = log_weights(mdp, reward);
        let weights: Vec<f64> = log_weights.iter().map(|weight| weight.exp()).collect();
        let sums = EliminationSums::new(&network, &weights)
            .map_err(|unsolved| unsolved.or(|diverges| divergence(mdp, &log_weights, diverges.state, diverges.loops)))?;
        Ok(RouteSums { network, sums, n_states: mdp.n_states() })
    }

    /// log G(from, s) for every state s. It is -∞ if no path leads there, or if the sum is less than about e^-1300.
    ///
    /// # Errors
    /// If the state is out of range.
    pub fn from(&self, from: usize) -> Result<Vec<f64>, Error> {
        self.check(from)?;
        Ok(self.sums.log_row(&self.network, from))
    }

    /// log G(s, to) for every state s. It is -∞ where [`from`](Self::from) would give -∞.
    ///
    /// # Errors
    /// If the state is out of range.
    pub fn to(&self, to: usize) -> Result<Vec<f64>, Error> {
        self.check(to)?;
        Ok(self.sums.log_column(&self.network, to))
    }

    /// The expected number of visits to every state, of a path from one state to another: G(from, s) G(s, to) / G(from,
    /// to). Fosgerau, Frejinger and Karlström (2013) call it the link size.
    ///
    /// # Errors
    /// If a state is out of range; [`Error::NoSum`] if no path leads from one to the other.
    pub fn visits(&self, from: usize, to: usize) -> Result<Vec<f64>, Error> {
        let all = self.between(from, to)?.ok_or(Error::NoSum { pair: Some([from, to]) })?;
        Ok(self.from(from)?.iter().zip(self.to(to)?).map(|(ahead, behind)| (ahead + behind - all).exp()).collect())
    }

    /// log G(from, to). `None` where [`from`](Self::from) would give -∞.
    ///
    /// # Errors
    /// If a state is out of range.
    pub fn between(&self, from: usize, to: usize) -> Result<Option<f64>, Error> {
        self.check(from)?;
        self.check(to)?;
        Ok(self.pair([from, to], &mut EliminationScratch::default()))
    }

    /// As [`between`](Self::between), without checking the states and with scratch memory to reuse.
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

pub(crate) fn log_weight(mdp: &Mdp, reward: &Reward, transition: usize) -> f64 {
    let to = mdp.to()[transition] as usize;
    mdp.log_base_weight(transition) + reward.of_transition(transition) + reward.state[to]
}
