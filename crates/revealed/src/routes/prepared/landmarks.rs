//! Landmarks: lower bounds on the cost between two states of the core, by the triangle inequality.
//!
//! A. V. Goldberg and C. Harrelson, "Computing the Shortest Path: A* Search Meets Graph Theory" (2005): from a landmark
//! l, d(l, t) ≤ d(l, v) + d(v, t), so d(v, t) ≥ d(l, t) − d(l, v).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::contraction::{Cost, FAR, Hierarchy};

/// The number of landmarks. More give better bounds, but take longer to evaluate.
pub(super) const N_LANDMARKS: usize = 64;
/// A small core has one landmark for this many states.
const STATES_EACH: usize = 16;
/// A dense core has fewer landmarks, so that their searches scan about this many arcs in total.
const MOST_SCANNED: usize = 200_000_000;
/// The number of bits of a distance, so that the row of a place is small.
const BITS: u32 = 15;
const UNREACHED: u16 = u16::MAX;

/// d(l, v) for each place v of the core and each landmark l, in coarse units, rounded down.
#[derive(Debug, Clone)]
pub(super) struct Landmarks {
    rows: Vec<[u16; N_LANDMARKS]>,
    shift: u32,
}

/// d(l, t), rounded down, for one place t anywhere.
pub(super) type Target = [u16; N_LANDMARKS];

impl Landmarks {
    /// The first landmark is the state farthest from the first state of the core. Each next landmark is the state
    /// farthest from all landmarks so far.
    pub fn new(hierarchy: &Hierarchy) -> Landmarks {
        let n_core = hierarchy.n_core;
        let mut nearest = if n_core > 0 { distances(hierarchy, 0) } else { Vec::new() };
        let mut tables: Vec<Vec<Cost>> = Vec::new();
        let affordable = MOST_SCANNED / hierarchy.out.ends.len().max(1);
        for _ in 0..N_LANDMARKS.min(n_core / STATES_EACH).min(affordable) {
            let Some(landmark) = (0..n_core).max_by_key(|&place| (nearest[place], Reverse(place))) else { break };
            let table = distances(hierarchy, landmark as u32);
            let is_first = tables.is_empty();
            for (nearest, &distance) in nearest.iter_mut().zip(&table) {
                *nearest = if is_first { distance } else { distance.min(*nearest) };
            }
            tables.push(table);
        }
        let farthest = tables.iter().flatten().copied().filter(|&cost| cost < FAR).max().unwrap_or(0);
        let shift = (Cost::BITS - farthest.leading_zeros()).saturating_sub(BITS);
        let coarse = |cost: Cost| if cost == FAR { UNREACHED } else { (cost >> shift) as u16 };
        let row =
            |place: usize| std::array::from_fn(|landmark| tables.get(landmark).map_or(UNREACHED, |table| coarse(table[place])));
        Landmarks { rows: (0..n_core).map(row).collect(), shift }
    }

    /// d(l, t) of a place t that is reached from places of the core at these costs.
    pub fn target(&self, behind: impl Iterator<Item = (u32, Cost)>) -> Target {
        let mut target = [UNREACHED; N_LANDMARKS];
        for (place, cost) in behind {
            let beyond = u16::try_from(cost >> self.shift).unwrap_or(UNREACHED);
            for (target, &distance) in target.iter_mut().zip(&self.rows[place as usize]) {
                *target = (*target).min(distance.saturating_add(beyond));
            }
        }
        target
    }

    /// A lower bound on d(v, t). Both distances are rounded down, so their difference may be one unit too large; it is
    /// reduced by one unit. If a landmark reaches v but not t, then v does not reach t. If it does not reach v, it
    /// gives no bound.
    pub fn bound(&self, place: u32, target: &Target) -> Cost {
        let differences = self.rows[place as usize].iter().zip(target).map(|(from, to)| to.saturating_sub(*from));
        Cost::from(differences.max().unwrap_or(0).saturating_sub(1)) << self.shift
    }
}

/// The distances from one place of the core to all others, by Dijkstra's algorithm.
fn distances(hierarchy: &Hierarchy, from: u32) -> Vec<Cost> {
    let mut reached = vec![FAR; hierarchy.n_core];
    let mut heap = BinaryHeap::from([Reverse((0, from))]);
    reached[from as usize] = 0;
    while let Some(Reverse((cost, place))) = heap.pop() {
        if cost > reached[place as usize] {
            continue;
        }
        for (_, end, step) in hierarchy.out.of(place) {
            let cost = cost + step;
            if cost < reached[end as usize] {
                reached[end as usize] = cost;
                heap.push(Reverse((cost, end)));
            }
        }
    }
    reached
}
