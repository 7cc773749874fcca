//! Which segment may follow which.

use std::collections::{HashMap, HashSet};

use super::Network;
use crate::osm::Extract;

/// What happened to the turns of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TurnCounts {
    /// U-turns that are no turn of the network.
    pub u_turns: usize,
    /// Turns that a rule forbids.
    pub forbidden: usize,
    /// Rules that forbade nothing: their ways or node are not in the network.
    pub idle_rules: usize,
    /// Segments that are in no part from which one can get everywhere and back.
    pub unconnected: usize,
}

/// Adds the turns: into every segment that begins where one ends, less U-turns, barriers and what rules forbid.
pub(super) fn add(network: &mut Network, extract: &Extract, index: &HashMap<i64, u32>, barriers: &HashSet<u32>, u_turns: bool) {
    let mut leaving = vec![Vec::new(); network.nodes.len()];
    for (segment, one) in network.segments.iter().enumerate() {
        leaving[one.from as usize].push(segment as u32);
    }
    let rules = Rules::new(extract, index);
    let mut counts = network.counts;
    let mut used = HashSet::new();
    let mut turns = Vec::new();
    for (from, one) in network.segments.iter().enumerate() {
        let out = &leaving[one.to as usize];
        let is_back = |to: u32| network.is_u_turn(from, to as usize);
        // A dead end, or a barrier: there is no other way than back.
        let is_end = barriers.contains(&one.to) || out.iter().all(|&to| is_back(to));
        let way = network.way_of(from).id;
        for &to in out {
            let back = is_back(to);
            if is_end && !back {
                continue;
            }
            if back && !is_end && !u_turns {
                counts.u_turns += 1;
                continue;
            }
            let rule = (way, one.to);
            if !is_end && rules.forbid(rule, network.way_of(to as usize).id, &mut used) {
                counts.forbidden += 1;
                continue;
            }
            turns.push((from as u32, to));
        }
    }
    counts.idle_rules = rules.count() - used.len();
    turns.sort_unstable();
    network.set_turns(&turns);
    network.counts = counts;
}

/// The rules by where one comes from: the way and the node.
struct Rules {
    no: HashMap<(i64, u32), HashSet<i64>>,
    only: HashMap<(i64, u32), HashSet<i64>>,
}

impl Rules {
    fn new(extract: &Extract, index: &HashMap<i64, u32>) -> Rules {
        let mut rules = Rules { no: HashMap::new(), only: HashMap::new() };
        for one in &extract.restrictions {
            let Some(&via) = index.get(&one.via) else { continue };
            let of = if one.only { &mut rules.only } else { &mut rules.no };
            of.entry((one.from, via)).or_default().insert(one.to);
        }
        rules
    }

    fn count(&self) -> usize {
        self.no.values().map(HashSet::len).sum::<usize>() + self.only.len()
    }

    fn forbid(&self, rule: (i64, u32), to: i64, used: &mut HashSet<(i64, u32, i64)>) -> bool {
        if self.no.get(&rule).is_some_and(|ways| ways.contains(&to)) {
            used.insert((rule.0, rule.1, to));
            return true;
        }
        let forbidden = self.only.get(&rule).is_some_and(|ways| !ways.contains(&to));
        if forbidden {
            // A rule of this kind is one, however many turns it forbids.
            used.insert((rule.0, rule.1, i64::MIN));
        }
        forbidden
    }
}
