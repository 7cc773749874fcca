//! Chains: stretches of road without a choice, each of which becomes one state.

use crate::features::RoadFeatures;
use crate::network::Network;

/// The chains of a network. A segment and its successor are in one chain if the successor is the only turn of the
/// segment, no other segment leads to it, it is not the U-turn at a dead end, where trips end, and neither has
/// [copies](Network::original). Every segment is in exactly one chain. Chains lead from one junction to the next; a ring without a junction is cut before its lowest
/// segment.
///
/// # When compression changes nothing
/// The features of a chain are the sums over its segments and the turns between them. So a path of whole chains has the
/// reward of the path of segments that it stands for, if the discount is 1. From the first segment of a chain to the
/// last of another, paths of segments and paths of chains correspond one to one. Likelihood, gradient and likeliest
/// routes are therefore the same, up to rounding, if
///
/// - the discount is 1,
/// - paths begin and end with whole chains: [`Ends::Goal`](revealed::Ends::Goal), with demonstrations from the
///   beginning of a chain to the end of a chain; or [`Ends::Terminal`](revealed::Ends::Terminal), with starts at the
///   beginning of chains,
/// - and the horizon excludes no path. It counts states, of which there are fewer after compression.
///
/// With [`Ends::Anywhere`](revealed::Ends::Anywhere) and [`Ends::Horizon`](revealed::Ends::Horizon) paths also end
/// within chains. A compressed network cannot express this, so the model is different. It is also different with a
/// discount below 1, because the discount depends on the number of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chains {
    /// Where the segments of each chain begin in `segments`.
    offsets: Vec<u32>,
    segments: Vec<u32>,
    /// The chain of each segment.
    chain_of: Vec<u32>,
    /// Where the turns of each chain begin in `next`, and the chain that each leads to.
    first_turn: Vec<u32>,
    next: Vec<u32>,
}

impl Chains {
    /// The chains of a network, in the order of their first segments.
    pub fn new(network: &Network) -> Chains {
        let n = network.n_segments();
        let mut leading = vec![0u32; n];
        network.turns().for_each(|(_, to)| leading[to as usize] += 1);
        // A segment with copies is a chain of its own, so that the copies of a chain are chains.
        let is_split = |from: usize, to: u32| network.is_split(from) || network.is_split(to as usize);
        let goes_on = |from: usize| match *network.turns_of(from) {
            [to] if is_split(from, to) => None,
            [to] if leading[to as usize] == 1 && !network.is_u_turn(from, to as usize) => Some(to),
            _ => None,
        };
        let mut is_first = vec![true; n];
        (0..n).filter_map(goes_on).for_each(|to| is_first[to as usize] = false);
        let firsts = (0..n).filter(|&segment| is_first[segment]);
        let mut seen = vec![false; n];
        let mut chains: Vec<Vec<u32>> = Vec::new();
        // Segments that no first segment leads to are in rings. The second part of the loop finds the lowest segment of
        // each ring first.
        for first in firsts.chain(0..n) {
            let (mut chain, mut next) = (Vec::new(), Some(first as u32));
            while let Some(segment) = next.filter(|&segment| !seen[segment as usize]) {
                seen[segment as usize] = true;
                chain.push(segment);
                next = goes_on(segment as usize);
            }
            if !chain.is_empty() {
                chains.push(chain);
            }
        }
        chains.sort_unstable_by_key(|chain| chain[0]);
        let offsets = std::iter::once(0).chain(chains.iter().scan(0, |end, chain| {
            *end += chain.len() as u32;
            Some(*end)
        }));
        Chains::of_parts(network, offsets.collect(), chains.concat())
    }

    /// Chains from consistent parts: every segment once, and turns out of chains lead to first segments.
    fn of_parts(network: &Network, offsets: Vec<u32>, segments: Vec<u32>) -> Chains {
        let mut chain_of = vec![0; segments.len()];
        let (mut first_turn, mut next) = (vec![0], Vec::new());
        let bounds = || offsets.windows(2).map(|pair| pair[0] as usize..pair[1] as usize);
        for (chain, place) in bounds().enumerate() {
            segments[place].iter().for_each(|&segment| chain_of[segment as usize] = chain as u32);
        }
        for place in bounds() {
            let turns = network.turns_of(segments[place.end - 1] as usize);
            next.extend(turns.iter().map(|&to| chain_of[to as usize]));
            first_turn.push(next.len() as u32);
        }
        Chains { offsets, segments, chain_of, first_turn, next }
    }

    /// The number of chains.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no chains.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The segments of a chain, in the order in which they are driven.
    pub fn segments_of(&self, chain: usize) -> &[u32] {
        &self.segments[self.offsets[chain] as usize..self.offsets[chain + 1] as usize]
    }

    /// The chain of a segment.
    pub fn chain_of(&self, segment: usize) -> usize {
        self.chain_of[segment] as usize
    }

    /// The chains that may follow a chain, in the order of the turns of its last segment.
    pub fn turns_of(&self, chain: usize) -> &[u32] {
        &self.next[self.first_turn[chain] as usize..self.first_turn[chain + 1] as usize]
    }

    /// Where the segments of each chain begin in [`segments`](Self::segments).
    pub(super) fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The segments of all chains, one after another.
    pub(super) fn segments(&self) -> &[u32] {
        &self.segments
    }

    fn is_last(&self, segment: usize) -> bool {
        self.segments_of(self.chain_of(segment)).last().is_some_and(|&last| last as usize == segment)
    }

    /// The features of chains: sums over their segments and the turns within them. The other turns are between chains.
    pub(crate) fn features(&self, network: &Network, fine: &RoadFeatures) -> RoadFeatures {
        let mut of_states: Vec<(usize, usize, f64)> =
            fine.of_segments.iter().map(|&(segment, feature, value)| (self.chain_of(segment), feature, value)).collect();
        let mut of_turns = Vec::new();
        let (mut rows, mut turn_of_chain) = (fine.of_turns.iter().peekable(), self.first_turn.clone());
        for (turn, (from, _)) in network.turns().enumerate() {
            let (chain, is_last) = (self.chain_of(from as usize), self.is_last(from as usize));
            while let Some(&(_, feature, value)) = rows.next_if(|row| row.0 == turn) {
                match is_last {
                    true => of_turns.push((turn_of_chain[chain] as usize, feature, value)),
                    false => of_states.push((chain, feature, value)),
                }
            }
            turn_of_chain[chain] += u32::from(is_last);
        }
        // The sort is stable, so that sums are taken in the order of the segments.
        of_states.sort_by_key(|row| (row.0, row.1));
        of_turns.sort_by_key(|row| (row.0, row.1));
        let mut of_segments: Vec<(usize, usize, f64)> = Vec::new();
        for (state, feature, value) in of_states {
            match of_segments.last_mut() {
                Some(last) if (last.0, last.1) == (state, feature) => last.2 += value,
                _ => of_segments.push((state, feature, value)),
            }
        }
        RoadFeatures { names: fine.names.clone(), of_segments, of_turns }
    }
}
