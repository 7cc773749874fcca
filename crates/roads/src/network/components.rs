//! The largest strongly connected component: every segment in it can be reached from every other.

use super::graph::Network;
use super::parts::Segment;
use super::turns::TurnCounts;
use crate::error::Error;

/// Keeps the largest strongly connected component.
pub(super) fn largest(network: Network) -> Result<Network, Error> {
    let kept = is_in_largest(&network);
    if kept.iter().filter(|kept| **kept).count() < 2 {
        let message = format!(
            "none of the {} segments can be left and reached again: the network has no strongly connected component; \
             check the map, or keep all segments with --keep-all",
            network.n_segments()
        );
        return Err(Error::Network(message));
    }
    Ok(keep(network, &|segment| kept[segment]))
}

/// Whether each segment is in the largest strongly connected component. Among equally large ones, the component of the
/// first segment counts.
pub(super) fn is_in_largest(network: &Network) -> Vec<bool> {
    let (part, sizes) = parts(network);
    let best = part.iter().copied().rev().max_by_key(|part| sizes[*part as usize]);
    part.iter().map(|part| Some(*part) == best).collect()
}

/// The segments that are kept, with the nodes and ways that they need. Where only copies of a segment are kept, the first
/// of them takes its place.
fn keep(network: Network, kept: &dyn Fn(usize) -> bool) -> Network {
    let nowhere = u32::MAX;
    let (mut nodes, mut ways) = (Vec::new(), Vec::new());
    let (mut node_of, mut way_of) = (vec![nowhere; network.nodes.len()], vec![nowhere; network.ways.len()]);
    let mut segment_of = vec![nowhere; network.segments.len()];
    let (mut segments, mut copies, mut originals) = (Vec::new(), Vec::new(), Vec::new());
    for original in 0..network.n_originals() {
        let mut states = std::iter::once(original).chain(network.copies_of(original)).filter(|&state| kept(state));
        let Some(first) = states.next() else { continue };
        let segment = &network.segments[first];
        let mut node = |old: u32| {
            if node_of[old as usize] == nowhere {
                node_of[old as usize] = nodes.len() as u32;
                nodes.push(network.nodes[old as usize]);
            }
            node_of[old as usize]
        };
        let (from, to) = (node(segment.from), node(segment.to));
        if way_of[segment.way as usize] == nowhere {
            way_of[segment.way as usize] = ways.len() as u32;
            ways.push(network.ways[segment.way as usize].clone());
        }
        let place = segments.len() as u32;
        segment_of[first] = place;
        segments.push(Segment { from, to, way: way_of[segment.way as usize], length: segment.length });
        for copy in states {
            copies.push(copy);
            originals.push(place);
        }
    }
    copies.iter().zip(segments.len() as u32..).for_each(|(&copy, place)| segment_of[copy] = place);
    let turns = network.turns().map(|(from, to)| (segment_of[from as usize], segment_of[to as usize]));
    let mut turns: Vec<(u32, u32)> = turns.filter(|turn| turn.0 != nowhere && turn.1 != nowhere).collect();
    turns.sort_unstable();
    let unconnected = network.n_originals() - segments.len();
    let mut made = Network::from_parts(nodes, ways, segments, Vec::new());
    made.add_copies(originals);
    made.set_turns(&turns);
    made.counts = TurnCounts { unconnected, ..network.counts };
    (made.source, made.profile) = (network.source, network.profile);
    made
}

/// The strongly connected component of each segment, and the sizes of the components: Tarjan's algorithm, without
/// recursion.
fn parts(network: &Network) -> (Vec<u32>, Vec<usize>) {
    let n = network.n_segments();
    let unseen = u32::MAX;
    let (mut order, mut low, mut part) = (vec![unseen; n], vec![0u32; n], vec![unseen; n]);
    let (mut open, mut path): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    let (mut next, mut sizes) = (0, Vec::new());
    for root in 0..n as u32 {
        if order[root as usize] != unseen {
            continue;
        }
        path.push((root, 0));
        while let Some(&(segment, turn)) = path.last() {
            let here = segment as usize;
            if turn == 0 {
                (order[here], low[here]) = (next, next);
                next += 1;
                open.push(segment);
            }
            if let Some(&to) = network.turns_of(here).get(turn) {
                path.last_mut().expect("the loop has seen it").1 += 1;
                match (order[to as usize], part[to as usize]) {
                    (seen, _) if seen == unseen => path.push((to, 0)),
                    (seen, closed) if closed == unseen => low[here] = low[here].min(seen),
                    _ => {}
                }
                continue;
            }
            path.pop();
            if let Some(&(before, _)) = path.last() {
                low[before as usize] = low[before as usize].min(low[here]);
            }
            if low[here] == order[here] {
                let mut size = 0;
                loop {
                    let member = open.pop().expect("the root of the component is on the stack");
                    part[member as usize] = sizes.len() as u32;
                    size += 1;
                    if member == segment {
                        break;
                    }
                }
                sizes.push(size);
            }
        }
    }
    (part, sizes)
}
