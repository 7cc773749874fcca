//! The first part of a trip.

use crate::world::Roads;

/// The number of states of the shortest prefix with at least this share of the length of a trip. It is never the whole
/// trip.
pub fn prefix_length(roads: &Roads, states: &[usize], seen: f64) -> usize {
    let whole = driven(roads, states);
    let mut length = 0.0;
    let enough = states.iter().position(|&state| {
        length += roads.length(state);
        length >= seen * whole
    });
    enough.map_or(states.len(), |place| place + 1).min(states.len().saturating_sub(1)).max(1)
}

/// The length of some states in metres.
pub(crate) fn driven(roads: &Roads, states: &[usize]) -> f64 {
    states.iter().map(|&state| roads.length(state)).sum()
}
