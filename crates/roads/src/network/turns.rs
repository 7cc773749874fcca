//! The turns of a network: which segments may follow a segment.

use super::graph::Network;
use super::rules::Rules;

/// What was removed when the turns of a network were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TurnCounts {
    /// U-turns that are not in the network.
    pub u_turns: usize,
    /// Turns that a restriction forbids, also on roads that are removed because they are not connected.
    pub forbidden: usize,
    /// Restrictions without effect: their ways are not in the network, or the turn does not exist.
    pub idle_rules: usize,
    /// Restrictions at a node inside a way for which it is not clear which turns are meant. They are not applied.
    pub unclear_rules: usize,
    /// Segments outside the largest strongly connected component.
    pub unconnected: usize,
}

/// Sets the turns: into every segment that begins where another ends, except for U-turns, turns across barriers and
/// those that restrictions forbid. If only some segments are alive, the others have no turns.
pub(super) fn add(network: &mut Network, barriers: &[bool], rules: &Rules, u_turns: bool, alive: Option<&[bool]>) {
    let is_alive = |segment: usize| alive.is_none_or(|alive| alive[segment]);
    let leaving = Leaving::new(network, &is_alive);
    let mut counts = TurnCounts::default();
    let mut used = rules.marks();
    let mut turns = Vec::new();
    for (from, one) in network.segments.iter().enumerate().filter(|(from, _)| is_alive(*from)) {
        let out = leaving.of(one.to);
        let is_back = |to: u32| network.is_u_turn(from, to as usize);
        // At a dead end or a barrier, only the U-turn is left.
        let is_end = barriers[one.to as usize] || out.iter().all(|&to| is_back(to));
        for &to in out {
            let back = is_back(to);
            if is_end && !back {
                continue;
            }
            if back && !is_end && !u_turns {
                counts.u_turns += 1;
                continue;
            }
            if !is_end && rules.forbid(from as u32, to, &mut used) {
                counts.forbidden += 1;
                continue;
            }
            turns.push((from as u32, to));
        }
    }
    counts.unclear_rules = rules.unclear;
    counts.idle_rules = rules.count - rules.unclear - used.iter().filter(|used| **used).count();
    turns.sort_unstable();
    network.set_turns(&turns);
    network.counts = counts;
}

/// The segments that leave each node, in their order.
struct Leaving {
    first: Vec<u32>,
    segments: Vec<u32>,
}

impl Leaving {
    fn new(network: &Network, is_alive: &dyn Fn(usize) -> bool) -> Leaving {
        let alive = || network.segments.iter().enumerate().filter(|(segment, _)| is_alive(*segment));
        let mut first = vec![0; network.nodes.len() + 1];
        alive().for_each(|(_, segment)| first[segment.from as usize + 1] += 1);
        for node in 0..network.nodes.len() {
            first[node + 1] += first[node];
        }
        let (mut free, mut segments) = (first.clone(), vec![0; first[network.nodes.len()] as usize]);
        for (place, segment) in alive() {
            segments[free[segment.from as usize] as usize] = place as u32;
            free[segment.from as usize] += 1;
        }
        Leaving { first, segments }
    }

    fn of(&self, node: u32) -> &[u32] {
        &self.segments[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}
