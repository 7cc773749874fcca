//! Turn restrictions, resolved to segments.

use std::collections::{BTreeMap, HashMap};

use super::graph::{NOWHERE, Network};
use crate::osm::{Extract, Restriction, RuleTurn};

/// The largest deviation in degrees of a turn to the left or right from a right angle,
const SIDE: f64 = 75.0;
/// of a turn straight on from a straight line,
const STRAIGHT: f64 = 60.0;
/// and of a U-turn from the opposite direction.
const BACK: f64 = 45.0;
/// Of two turns that fit, the better one is meant if it is better by this many degrees.
const APART: f64 = 20.0;

/// The restrictions of each turn. A restriction is identified by its index in [`Extract::restrictions`].
#[derive(Default)]
pub(super) struct Rules {
    /// The restrictions that forbid a turn.
    no: HashMap<(u32, u32), Vec<u32>>,
    /// The segments that must follow a segment, and the restrictions that say so.
    only: HashMap<u32, (Vec<u32>, Vec<u32>)>,
    /// The number of restrictions at nodes of the network.
    pub count: usize,
    /// How many of them are at a node inside a way, where it is not clear which turns are meant.
    pub unclear: usize,
}

impl Rules {
    /// The restrictions of an extract, for the segments of its network. `index` maps its nodes to those of the network.
    pub(super) fn new(extract: &Extract, network: &Network, index: &[u32]) -> Rules {
        let place = |one: &Restriction| extract.node(one.via).map(|node| index[node]).filter(|&via| via != NOWHERE);
        let vias: Vec<Option<u32>> = extract.restrictions.iter().map(place).collect();
        // The segments that end and begin at the nodes of restrictions.
        let mut at: HashMap<u32, [Vec<u32>; 2]> = vias.iter().flatten().map(|&via| (via, Default::default())).collect();
        for (segment, one) in network.segments.iter().enumerate() {
            for (end, node) in [one.to, one.from].into_iter().enumerate() {
                if let Some(ends) = at.get_mut(&node) {
                    ends[end].push(segment as u32);
                }
            }
        }
        let mut rules = Rules::default();
        for (rule, (one, via)) in extract.restrictions.iter().zip(vias).enumerate() {
            let Some(via) = via else { continue };
            let [ends, begins] = &at[&via];
            let of = |segments: &[u32], way: i64| -> Vec<u32> {
                segments.iter().copied().filter(|&segment| network.way_of(segment as usize).id == way).collect()
            };
            rules.count += 1;
            rules.add(rule as u32, one, network, &of(ends, one.from), &of(begins, one.to));
        }
        rules
    }

    fn add(&mut self, rule: u32, one: &Restriction, network: &Network, ins: &[u32], outs: &[u32]) {
        let Some(pairs) = meant(one.turn, one.from == one.to, network, ins, outs) else {
            self.unclear += 1;
            return;
        };
        if !one.only {
            pairs.into_iter().for_each(|pair| self.no.entry(pair).or_default().push(rule));
            return;
        }
        let mut by_from: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        if let ([from], []) = (ins, outs) {
            // The only allowed road is not for cars.
            by_from.insert(*from, Vec::new());
        }
        pairs.into_iter().for_each(|(from, to)| by_from.entry(from).or_default().push(to));
        for (from, into) in by_from {
            let known = self.only.entry(from).or_default();
            known.0.extend(into);
            known.1.push(rule);
        }
    }

    /// Whether a turn is forbidden. The restrictions that forbid it are marked.
    pub(super) fn forbid(&self, from: u32, to: u32, used: &mut [bool]) -> bool {
        let no = self.no.get(&(from, to)).map(Vec::as_slice);
        let only = self.only.get(&from).filter(|only| !only.0.contains(&to)).map(|only| only.1.as_slice());
        no.iter().chain(&only).copied().flatten().for_each(|&rule| used[rule as usize] = true);
        no.is_some() || only.is_some()
    }

    /// A mark for each restriction, none of them set.
    pub(super) fn marks(&self) -> Vec<bool> {
        let of_no = self.no.values().flatten();
        let last = of_no.chain(self.only.values().flat_map(|only| &only.1)).max();
        vec![false; last.map_or(0, |&last| last as usize + 1)]
    }
}

/// The turns that a restriction means, as pairs of the segment before and the segment after. Ways that end at the node
/// leave no choice. Where a way passes through the node, both of its directions would fit, and the name of the
/// restriction decides; `None` if it does not. `back` says that a U-turn goes back along the same segment.
pub(super) fn meant(turn: RuleTurn, back: bool, network: &Network, ins: &[u32], outs: &[u32]) -> Option<Vec<(u32, u32)>> {
    let angle = |from: u32, to: u32| network.turn_angle(from as usize, to as usize);
    let is_back = |from: u32, to: u32| network.is_u_turn(from as usize, to as usize);
    let pairs = || ins.iter().flat_map(|&from| outs.iter().map(move |&to| (from, to)));
    if turn == RuleTurn::Back && back {
        return Some(pairs().filter(|&(from, to)| is_back(from, to)).collect());
    }
    if ins.len() * outs.len() <= 1 || turn == RuleTurn::Any {
        return Some(pairs().collect());
    }
    let (ideal, tolerance) = match turn {
        RuleTurn::Left => (-90.0, SIDE),
        RuleTurn::Right => (90.0, SIDE),
        RuleTurn::Back => (180.0, BACK),
        RuleTurn::Straight | RuleTurn::Any => (0.0, STRAIGHT),
    };
    let mut fitting = Vec::new();
    for &from in ins {
        let off = |to: u32| ((angle(from, to) - ideal + 180.0).rem_euclid(360.0) - 180.0).abs();
        let mut near: Vec<(f64, u32)> = outs.iter().map(|&to| (off(to), to)).filter(|one| one.0 < tolerance).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        match near[..] {
            [] => {}
            [(best, _), (next, _), ..] if next - best < APART => return None,
            [(_, to), ..] => fitting.push((from, to)),
        }
    }
    (!fitting.is_empty()).then_some(fitting)
}
