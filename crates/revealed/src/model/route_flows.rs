//! Assignment: the expected flows of many trips between given ends.

use std::collections::BTreeMap;

use crate::Error;
use crate::engine::elimination::{Elimination, Limit};
use crate::model::route_choice::{WORTH_DIVIDING, between_pairs, is_large};
use crate::numeric::Work;
use crate::numeric::threads::Threads;
use crate::numeric::vector::all_representable;
use crate::watch::Watch;
use crate::world::{Mdp, Occupancy, Reward};

/// The expected number of visits to each state and transition, of trips between pairs of states, each with its number
/// of trips. The trips follow the recursive logit with this reward. One elimination serves all pairs.
///
/// ```
/// use revealed::{MdpBuilder, Reward, Work, route_flows};
///
/// // Two ways from 0 to 3, of which one costs log 3 more.
/// let mut builder = MdpBuilder::new(4, 2);
/// builder.start(0, 1.0).terminal(3).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// let mdp = builder.transition(1, 0, 3, 1.0).transition(2, 0, 3, 1.0).build()?;
/// let reward = Reward::of_states(vec![0.0, 0.0, -3f64.ln(), 0.0]);
/// let flows = route_flows(&mdp, &reward, &[([0, 3], 100.0), ([1, 3], 10.0)], &Work::default())?;
/// assert!((flows.state[1] - 85.0).abs() < 1e-9 && (flows.state[2] - 25.0).abs() < 1e-9);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If the reward or a state does not fit the MDP, or a number of trips is not finite or negative;
/// [`Error::DiscountedSum`] if there is a discount; [`Error::FillIn`], [`Error::Diverges`]; [`Error::NoSum`] if no path
/// leads from one state of a pair to the other;
/// [`Error::Overflow`] if trips weigh too little for an f64.
pub fn route_flows(mdp: &Mdp, reward: &Reward, trips: &[([usize; 2], f64)], work: &Work) -> Result<Occupancy, Error> {
    let pairs = checked_pairs(mdp, reward, trips)?;
    let limit = Limit::of_uses(work.memory);
    let threads = Threads::new(work.threads)?;
    let order = || Elimination::new(mdp, &limit, &Watch::none());
    let network = threads.run_if(mdp.n_states() >= WORTH_DIVIDING, order)?;
    let flows = || between_pairs(mdp, &network, reward, &pairs, None, &limit);
    let flows = threads.run_if(is_large(&network, pairs.len()), flows)?.1;
    all_representable("a flow", &flows.state)?;
    Ok(flows)
}

/// The pairs of states with trips between them, in order, each once.
pub(crate) fn checked_pairs(mdp: &Mdp, reward: &Reward, trips: &[([usize; 2], f64)]) -> Result<Vec<([usize; 2], f64)>, Error> {
    reward.check(mdp)?;
    if mdp.discount() != 1.0 {
        return Err(Error::DiscountedSum { discount: mdp.discount() });
    }
    let mut pairs: BTreeMap<[usize; 2], f64> = BTreeMap::new();
    for (row, &(pair, weight)) in trips.iter().enumerate() {
        if let Some(&index) = pair.iter().find(|&&state| state >= mdp.n_states()) {
            return Err(Error::OutOfRange { table: "trips", row, what: "state", index, count: mdp.n_states() });
        }
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(Error::Setting { what: "a number of trips", value: weight, expected: "a finite number, 0 or more" });
        }
        *pairs.entry(pair).or_insert(0.0) += weight;
    }
    Ok(pairs.into_iter().filter(|pair| pair.1 > 0.0).collect())
}
