//! From segments to few long lines: one piece of road for both directions, pieces joined where they meet.

use std::collections::HashMap;

use revealed_roads::Roads;

use super::view::Metres;
use crate::canvas::Point;

/// A piece of road, driven in one direction or in both.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub a: u32,
    pub b: u32,
    pub way: u32,
    /// In metres.
    pub length: f64,
    /// The states of its directions. In a compressed network, these are the chains that the directions are part of.
    pub states: Vec<u32>,
}

/// The pieces of a network, in the order of their first states, without those that have no valid position.
pub(super) fn pieces(roads: &Roads, at: &[Metres]) -> Vec<Piece> {
    let network = &roads.network;
    let mut known: HashMap<(u32, u32, u32), usize> = HashMap::with_capacity(network.n_segments());
    let mut pieces: Vec<Piece> = Vec::new();
    let somewhere = |node: u32| at[node as usize].iter().all(|value| value.is_finite());
    // Copies are the same pieces of road.
    for (number, segment) in network.segments[..network.n_originals()].iter().enumerate() {
        let (a, b) = (segment.from.min(segment.to), segment.from.max(segment.to));
        if !somewhere(a) || !somewhere(b) {
            continue;
        }
        let place = *known.entry((a, b, segment.way)).or_insert(pieces.len());
        let state = roads.state_of(number) as u32;
        match pieces.get_mut(place) {
            Some(piece) => piece.states.push(state),
            None => pieces.push(Piece { a, b, way: segment.way, length: segment.length, states: vec![state] }),
        }
    }
    pieces
}

/// The pieces as lines from node to node, as long as possible: at a node the line goes on as straight as it can.
pub(super) fn join(pieces: &[&Piece], at: &[Metres]) -> Vec<Vec<u32>> {
    let mut ends: Vec<(u32, usize)> = Vec::with_capacity(2 * pieces.len());
    ends.extend(pieces.iter().enumerate().flat_map(|(place, piece)| [(piece.a, place), (piece.b, place)]));
    ends.sort_unstable();
    let of_node = |node: u32| {
        let first = ends.partition_point(|end| end.0 < node);
        let many = ends[first..].iter().take_while(|end| end.0 == node).count();
        &ends[first..first + many]
    };
    let mut used = vec![false; pieces.len()];
    let mut lines = Vec::new();
    // Lines begin at nodes with an odd number of pieces, where a line has to begin; the pieces that remain form closed
    // curves.
    let odd = ends.iter().filter(|end| of_node(end.0).len() % 2 == 1);
    for &(start, first) in odd.chain(&ends) {
        if used[first] {
            continue;
        }
        let mut line = vec![start];
        let mut next = Some(first);
        while let Some(place) = next {
            used[place] = true;
            let (from, piece) = (line[line.len() - 1], pieces[place]);
            let to = if piece.a == from { piece.b } else { piece.a };
            line.push(to);
            let straightness = |&&(_, place): &&(u32, usize)| {
                let onward = pieces[place];
                cosine(at[from as usize], at[to as usize], at[(if onward.a == to { onward.b } else { onward.a }) as usize])
            };
            let free = of_node(to).iter().filter(|end| !used[end.1]);
            next = free.max_by(|x, y| straightness(x).total_cmp(&straightness(y))).map(|end| end.1);
        }
        lines.push(line);
    }
    lines
}

/// How straight a → b → c is: 1 is straight on, -1 is a U-turn.
fn cosine(a: Metres, b: Metres, c: Metres) -> f64 {
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
    let long = u[0].hypot(u[1]) * v[0].hypot(v[1]);
    if long > 0.0 { (u[0] * v[0] + u[1] * v[1]) / long } else { 0.0 }
}

/// The line without the points that are within the tolerance of it (Douglas and Peucker).
pub(super) fn simplify(line: &[Point], tolerance: f64) -> Vec<Point> {
    let mut keep = vec![false; line.len()];
    let mut parts = vec![(0, line.len().saturating_sub(1))];
    while let Some((first, last)) = parts.pop() {
        let Some(inner) = line.get(first + 1..last) else { continue };
        let off = |point: &Point| {
            let pair = |(x, y): Point| [x, y];
            revealed_roads::nearest(pair(line[first]), pair(line[last]), pair(*point)).1
        };
        let far = inner.iter().map(off).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((place, _)) = far.filter(|far| far.1 > tolerance) {
            keep[first + 1 + place] = true;
            parts.extend([(first, first + 1 + place), (first + 1 + place, last)]);
        }
    }
    let end = line.len().saturating_sub(1);
    line.iter().enumerate().filter(|(place, _)| *place == 0 || *place == end || keep[*place]).map(|(_, point)| *point).collect()
}

#[cfg(test)]
#[path = "../../tests/draw/ascii.rs"]
mod ascii;

#[cfg(test)]
mod tests {
    use super::ascii::Plan;
    use super::*;

    fn piece(a: u32, b: u32) -> Piece {
        Piece { a, b, way: 0, length: 1.0, states: Vec::new() }
    }

    #[test]
    fn lines_go_straight_through_crossings_and_around_rings() {
        let plan = Plan::read(
            "
    3
    |
0 - 1 - 2   5 - 6
    |         \\ |
    4           7",
        );
        let at: Vec<Metres> = plan.nodes.iter().map(|node| node.1).collect();
        let pieces: Vec<Piece> = plan.streets.iter().map(|&(a, b, _)| piece(a.min(b) as u32, a.max(b) as u32)).collect();
        let lines = join(&pieces.iter().collect::<Vec<_>>(), &at);
        assert_eq!(lines, [vec![0, 1, 2], vec![3, 1, 4], vec![5, 6, 7, 5]]);
        assert!(join(&[], &at).is_empty());
    }

    #[test]
    fn only_bends_are_kept() {
        let line = [(0.0, 0.0), (1.0, 0.05), (2.0, 0.0), (3.0, 2.0), (4.0, 2.0), (5.0, 2.0)];
        assert_eq!(simplify(&line, 0.1), [(0.0, 0.0), (2.0, 0.0), (3.0, 2.0), (5.0, 2.0)]);
        // A closed curve does not vanish.
        assert_eq!(simplify(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.0)], 0.1).len(), 4);
        assert_eq!((simplify(&[], 0.1).len(), simplify(&line[..1], 0.1).len()), (0, 1));
    }
}
