//! Checks weights over states that users give: first states, last states, priors.

use crate::Error;
use crate::world::Mdp;

/// Rejects weights that are negative or not finite, states that do not exist, and states that are listed twice.
pub(crate) fn check_state_weights(
    mdp: &Mdp,
    table: &'static str,
    what: &'static str,
    weights: impl Iterator<Item = (usize, f64)>,
) -> Result<(), Error> {
    let count = mdp.n_states();
    let mut states = Vec::new();
    for (row, (index, value)) in weights.enumerate() {
        if index >= count {
            return Err(Error::OutOfRange { table, row, what: "state", index, count });
        }
        if !(value.is_finite() && value >= 0.0) {
            return Err(Error::BadNumber { table, row, what, value, expected: "a finite number, 0 or more" });
        }
        states.push(index);
    }
    states.sort_unstable();
    match states.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::DuplicateState { table, state: pair[0] }),
        None => Ok(()),
    }
}
