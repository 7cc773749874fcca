//! Restrictions over ways, applied by copies of segments.
//!
//! A restriction over a way is about where a drive came from before it. A segment of a way between gets a copy for those
//! who came from the way `from`, and the copy lacks the forbidden turn:
//!
//! ```text
//! from ──▶ between' ──▶ elsewhere          a copy, entered only from `from`
//! other ─▶ between  ──▶ elsewhere
//!                   └─▶ to
//! ```
//!
//! This is the automaton of Aho and Corasick (1975). Its patterns are the walks of the restrictions. A state remembers
//! the longest part of its past that some walk begins with.

use std::collections::HashMap;

use super::graph::Network;
use super::way_rules::WayRules;

/// The beginning of some walks. Number 0 is empty, and a beginning of one segment is the segment itself, without a copy.
#[derive(Default)]
struct Beginning {
    /// Its last segment.
    segment: u32,
    /// The beginnings that are longer by one segment.
    longer: HashMap<u32, usize>,
    /// The longest other beginning that it ends with.
    rest: usize,
    /// The patterns of which it is the whole walk.
    patterns: Vec<usize>,
    /// The number of its segments.
    length: usize,
}

/// What a network becomes.
pub(super) struct Split {
    /// The originals of the copies.
    copies: Vec<u32>,
    /// The turns, sorted.
    turns: Vec<(u32, u32)>,
    /// The turns that are forbidden.
    pub forbidden: usize,
    /// The restrictions that forbid some.
    pub used: usize,
}

impl Split {
    /// The copies and turns of a network whose turns do not know of these restrictions.
    pub(super) fn new(network: &Network, rules: &WayRules) -> Split {
        let beginnings = beginnings(network, rules);
        let n = network.n_segments() as u32;
        // The beginning that each state remembers. Beginnings of one segment have no copies.
        let mut remembers: Vec<usize> = (0..beginnings.len()).filter(|&place| beginnings[place].length > 1).collect();
        remembers.sort_by_key(|&place| beginnings[place].segment);
        let copy_of: HashMap<usize, u32> = remembers.iter().copied().zip(n..).collect();
        let mut split = Split { copies: Vec::new(), turns: Vec::new(), forbidden: 0, used: 0 };
        split.copies.extend(remembers.iter().map(|&place| beginnings[place].segment));
        let target = |past: usize, to: u32| copy_of.get(&next(&beginnings, past, to)).copied().unwrap_or(to);
        for from in 0..n {
            let past = next(&beginnings, 0, from);
            split.turns.extend(network.turns_of(from as usize).iter().map(|&to| (from, target(past, to))));
        }
        let mut used = vec![false; rules.patterns.iter().map(|one| one.rule as usize + 1).max().unwrap_or(0)];
        for (state, &past) in (n..).zip(&remembers) {
            let segment = beginnings[past].segment as usize;
            // At a dead end, only the U-turn is left.
            let is_end = network.turns_of(segment).iter().all(|&to| network.is_u_turn(segment, to as usize));
            for &to in network.turns_of(segment) {
                let against = against(&beginnings, rules, past, to);
                if is_end || against.is_empty() {
                    split.turns.push((state, target(past, to)));
                } else {
                    split.forbidden += 1;
                    against.into_iter().for_each(|rule| used[rule as usize] = true);
                }
            }
        }
        split.used = used.into_iter().filter(|used| *used).count();
        split.turns.sort_unstable();
        split
    }

    /// Adds the copies to the network.
    pub(super) fn apply(self, network: &mut Network) {
        if self.copies.is_empty() {
            return;
        }
        network.add_copies(self.copies);
        network.set_turns(&self.turns);
    }
}

/// The beginnings of all walks that can be driven.
fn beginnings(network: &Network, rules: &WayRules) -> Vec<Beginning> {
    let mut made = vec![Beginning::default()];
    for (place, pattern) in rules.patterns.iter().enumerate() {
        let goes_on = |pair: &[u32]| network.turns_of(pair[0] as usize).binary_search(&pair[1]).is_ok();
        if !pattern.walk.windows(2).all(goes_on) {
            continue;
        }
        let mut at = 0;
        for (length, &segment) in (1..).zip(&pattern.walk) {
            let new = made.len();
            let next = *made[at].longer.entry(segment).or_insert(new);
            if next == new {
                made.push(Beginning { segment, length, ..Beginning::default() });
            }
            at = next;
        }
        made[at].patterns.push(place);
    }
    let mut order: Vec<usize> = vec![0];
    let mut done = 0;
    while done < order.len() {
        let at = order[done];
        done += 1;
        let mut longer: Vec<(u32, usize)> = made[at].longer.iter().map(|(&segment, &to)| (segment, to)).collect();
        longer.sort_unstable();
        for (segment, to) in longer {
            made[to].rest = if at == 0 { 0 } else { next(&made, made[at].rest, segment) };
            order.push(to);
        }
    }
    made
}

/// The longest beginning that a past ends with after one more segment.
fn next(beginnings: &[Beginning], mut past: usize, segment: u32) -> usize {
    loop {
        match beginnings[past].longer.get(&segment) {
            Some(&longer) => return longer,
            None if past == 0 => return 0,
            None => past = beginnings[past].rest,
        }
    }
}

/// The restrictions that forbid a turn after a past. Several of the kind `only` with the same walk allow each of theirs.
fn against(beginnings: &[Beginning], rules: &WayRules, mut past: usize, to: u32) -> Vec<u32> {
    let mut found = Vec::new();
    while past != 0 {
        let here = || beginnings[past].patterns.iter().map(|&place| &rules.patterns[place]);
        found.extend(here().filter(|one| !one.only && one.to.contains(&to)).map(|one| one.rule));
        if !here().any(|one| one.only && one.to.contains(&to)) {
            found.extend(here().filter(|one| one.only).map(|one| one.rule));
        }
        past = beginnings[past].rest;
    }
    found
}

/// Removes the copies that no route enters, and joins those on the same segment with the same turns.
pub(super) fn minimise(network: &mut Network) {
    if network.copies().is_empty() {
        return;
    }
    let n = network.n_originals();
    let mut same: Vec<u32> = (0..network.n_segments() as u32).collect();
    let mut split: Vec<usize> = network.copies().iter().map(|&original| original as usize).collect();
    split.dedup();
    let turns_of = |same: &[u32], state: usize| {
        let mut turns: Vec<u32> = network.turns_of(state).iter().map(|&to| same[to as usize]).collect();
        turns.sort_unstable();
        turns
    };
    loop {
        let before = same.clone();
        for &original in &split {
            let mut known: Vec<(Vec<u32>, u32)> = vec![(turns_of(&same, original), original as u32)];
            for copy in network.copies_of(original).filter(|&copy| before[copy] as usize == copy) {
                let turns = turns_of(&same, copy);
                match known.iter().find(|one| one.0 == turns) {
                    Some(one) => same[copy] = one.1,
                    None => known.push((turns, copy as u32)),
                }
            }
        }
        // A copy may have been joined with one that was joined with another.
        for state in n..same.len() {
            while same[state] != same[same[state] as usize] {
                same[state] = same[same[state] as usize];
            }
        }
        if same == before {
            break;
        }
    }
    let mut kept = vec![false; network.n_segments()];
    kept[..n].fill(true);
    let mut open: Vec<usize> = (0..n).collect();
    while let Some(state) = open.pop() {
        for &to in network.turns_of(state) {
            let to = same[to as usize] as usize;
            if !std::mem::replace(&mut kept[to], true) {
                open.push(to);
            }
        }
    }
    network.keep_copies(&kept, &same);
}
