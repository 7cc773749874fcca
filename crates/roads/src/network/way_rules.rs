//! Turn restrictions over ways, resolved to walks of segments.

use std::collections::{BTreeMap, HashMap};

use super::graph::Network;
use super::rules::meant;
use crate::osm::{Extract, WayRestriction};

/// The most steps of the search for the walk of a restriction.
const MOST_STEPS: usize = 10_000;

/// What a restriction says about those who have driven along a walk.
pub(super) struct Pattern {
    /// The restriction, by its index in [`Extract::way_restrictions`].
    pub rule: u32,
    /// A segment of the way `from`, and the segments of the ways between.
    pub walk: Vec<u32>,
    /// The segments that follow.
    pub to: Vec<u32>,
    /// Whether only these may follow; otherwise these may not.
    pub only: bool,
}

/// The restrictions over ways of an extract, for the segments of its network.
#[derive(Default)]
pub(super) struct WayRules {
    pub patterns: Vec<Pattern>,
    /// The number of restrictions.
    pub count: usize,
    /// How many of them allow several walks, so that it is not clear which is meant.
    pub unclear: usize,
}

impl WayRules {
    pub(super) fn new(extract: &Extract, network: &Network) -> WayRules {
        let mut rules = WayRules { count: extract.way_restrictions.len(), ..WayRules::default() };
        let named = extract.way_restrictions.iter().flat_map(|one| one.via.iter().chain([&one.from, &one.to]));
        let mut of: HashMap<i64, Vec<u32>> = named.map(|&way| (way, Vec::new())).collect();
        if of.is_empty() {
            return rules;
        }
        for segment in 0..network.n_segments() {
            if let Some(list) = of.get_mut(&network.way_of(segment).id) {
                list.push(segment as u32);
            }
        }
        for (rule, one) in extract.way_restrictions.iter().enumerate() {
            match patterns(rule as u32, one, network, &of) {
                Some(found) => rules.patterns.extend(found),
                None => rules.unclear += 1,
            }
        }
        rules
    }
}

/// The patterns of a restriction: none if its ways do not meet in the network, `None` if it is not clear which are meant.
fn patterns(rule: u32, one: &WayRestriction, network: &Network, of: &HashMap<i64, Vec<u32>>) -> Option<Vec<Pattern>> {
    let walk = match &walks(one, network, of)?[..] {
        [] => return Some(Vec::new()),
        [walk] => walk.clone(),
        _ => return None,
    };
    let (begin, end) = (network.segments[walk[0] as usize].from, network.segments[walk[walk.len() - 1] as usize].to);
    let [from, to] = [one.from, one.to].map(|way| of[&way].iter().copied());
    let ins: Vec<u32> = from.filter(|&segment| network.segments[segment as usize].to == begin).collect();
    let outs: Vec<u32> = to.filter(|&segment| network.segments[segment as usize].from == end).collect();
    let mut by_from: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    if let (true, [from], []) = (one.only, &ins[..], &outs[..]) {
        // The only allowed road is a one-way road that leads here.
        by_from.insert(*from, Vec::new());
    }
    for (from, to) in meant(one.turn, false, network, &ins, &outs)? {
        by_from.entry(from).or_default().push(to);
    }
    let pattern = |(from, to)| Pattern { rule, walk: std::iter::once(from).chain(walk.clone()).collect(), to, only: one.only };
    Some(by_from.into_iter().map(pattern).collect())
}

/// The walks along the ways between, each of them once and in any order, from a node of `from` to a node of `to`. Of
/// several, those that drive along the most ways from end to end. `None` if there are too many to try.
fn walks(one: &WayRestriction, network: &Network, of: &HashMap<i64, Vec<u32>>) -> Option<Vec<Vec<u32>>> {
    let segment = |segment: u32| &network.segments[segment as usize];
    let begins: Vec<u32> = of[&one.from].iter().map(|&from| segment(from).to).collect();
    // It may be a one-way road that leads here: then nobody may turn into it.
    let ends: Vec<u32> = of[&one.to].iter().flat_map(|&to| [segment(to).from, segment(to).to]).collect();
    // Each is a walk, and the ways that it has driven along.
    let first = |way: usize| of[&one.via[way]].iter().map(move |&one| (vec![one], vec![way]));
    let mut open: Vec<(Vec<u32>, Vec<usize>)> =
        (0..one.via.len()).flat_map(first).filter(|(walk, _)| begins.contains(&segment(walk[0]).from)).collect();
    let (mut found, mut steps) = (Vec::new(), 0);
    while let Some((walk, ways)) = open.pop() {
        steps += 1;
        if steps > MOST_STEPS {
            return None;
        }
        let here = segment(walk[walk.len() - 1]).to;
        if ways.len() == one.via.len() && ends.contains(&here) {
            found.push((whole(one, network, of, &walk, &ways), walk.clone()));
        }
        let passed = |node: u32| walk.iter().any(|&before| segment(before).from == node || segment(before).to == node);
        let (last, others) = (ways[ways.len() - 1], (0..one.via.len()).filter(|way| !ways.contains(way)));
        for way in others.chain([last]) {
            for &next in of[&one.via[way]].iter().filter(|&&next| segment(next).from == here && !passed(segment(next).to)) {
                let mut longer = (walk.clone(), ways.clone());
                longer.0.push(next);
                if way != last {
                    longer.1.push(way);
                }
                open.push(longer);
            }
        }
    }
    let most = found.iter().map(|one| one.0).max().unwrap_or(0);
    let mut best: Vec<Vec<u32>> = found.into_iter().filter(|one| one.0 == most).map(|one| one.1).collect();
    best.sort_unstable();
    best.dedup();
    Some(best)
}

/// The number of ways of which a walk has driven along every piece.
fn whole(one: &WayRestriction, network: &Network, of: &HashMap<i64, Vec<u32>>, walk: &[u32], ways: &[usize]) -> usize {
    let ends = |segment: u32| {
        let one = &network.segments[segment as usize];
        (one.from.min(one.to), one.from.max(one.to))
    };
    let is_whole = |way: i64| of[&way].iter().all(|&piece| walk.iter().any(|&driven| ends(driven) == ends(piece)));
    ways.iter().filter(|&&way| is_whole(one.via[way])).count()
}
