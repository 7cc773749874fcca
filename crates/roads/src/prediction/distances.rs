//! Shortest distances from one state to all others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::world::Roads;

/// Shortest distances on a network.
///
/// ```
/// use revealed_roads::{CityOptions, Distances, city};
///
/// let roads = city(&CityOptions { blocks: 12, ..CityOptions::default() })?.roads;
/// let (metres, next) = (Distances::new(&roads).from(0), roads.turns_of(0)[0] as usize);
/// assert_eq!((metres[0], metres[next]), (0.0, roads.length(next)));
/// # Ok::<(), revealed_roads::Error>(())
/// ```
#[derive(Debug)]
pub struct Distances<'a> {
    pub(crate) roads: &'a Roads,
    /// Whether more than one turn leads into a state.
    is_junction: Vec<bool>,
}

impl<'a> Distances<'a> {
    /// Prepares the search.
    pub fn new(roads: &'a Roads) -> Distances<'a> {
        let mut entered = vec![0u8; roads.n_states()];
        for to in (0..roads.n_states()).flat_map(|state| roads.turns_of(state)) {
            let count = &mut entered[*to as usize];
            *count = count.saturating_add(1);
        }
        Distances { roads, is_junction: entered.into_iter().map(|count| count > 1).collect() }
    }

    /// The metres from the end of a state to the end of each other; infinite if no route leads there, and everywhere
    /// if the state does not exist.
    ///
    /// This is Dijkstra's algorithm. A state with only one turn into it is reached at once when the state before it is,
    /// so only junctions are queued. Lengths are not negative, so their bits are in the order of the numbers.
    pub fn from(&self, state: usize) -> Vec<f64> {
        let mut metres = vec![f64::INFINITY; self.roads.n_states()];
        let mut queue = BinaryHeap::from([Reverse((0.0f64.to_bits(), state))]);
        let mut reached = Vec::new();
        match metres.get_mut(state) {
            Some(here) => *here = 0.0,
            None => return metres,
        }
        while let Some(Reverse((bits, state))) = queue.pop() {
            if f64::from_bits(bits) > metres[state] {
                continue;
            }
            reached.push(state);
            while let Some(state) = reached.pop() {
                for &to in self.roads.turns_of(state) {
                    let to = to as usize;
                    let there = metres[state] + self.roads.length(to);
                    if there < metres[to] {
                        metres[to] = there;
                        if self.is_junction[to] { queue.push(Reverse((there.to_bits(), to))) } else { reached.push(to) }
                    }
                }
            }
        }
        // A road is reached by its nearest copy.
        self.roads.copies().for_each(|(original, copy)| metres[original] = metres[original].min(metres[copy]));
        metres
    }
}
