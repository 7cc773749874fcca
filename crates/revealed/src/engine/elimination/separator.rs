//! A small set of vertices whose removal leaves two parts of similar size.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::Graph;

/// Where a vertex is: in one of the two parts, or here.
pub(super) const SEPARATOR: u8 = 2;
/// A graph this small is divided directly.
const COARSE: usize = 100;
/// So many starts are tried there.
const STARTS: usize = 8;
/// No part may have more than this share of the weight.
const LARGEST_PART: f64 = 0.6;
/// At most so many times, vertices are moved until nothing gets better.
const PASSES: usize = 6;
/// So many moves in a row may make the separator larger.
const DETOUR: usize = 60;

/// The part of each vertex, or [`SEPARATOR`]. The graph is made coarser until it is small, divided, and refined on the
/// way back (multilevel bisection; Karypis and Kumar 1998).
pub(super) fn separator(graph: &Graph) -> Vec<u8> {
    let mut levels: Vec<(Graph, Vec<u32>)> = Vec::new();
    loop {
        let finest = levels.last().map_or(graph, |level| &level.0);
        if finest.n() <= COARSE {
            break;
        }
        let (coarse, new_of) = finest.coarser();
        if coarse.n() * 20 > finest.n() * 19 {
            break;
        }
        levels.push((coarse, new_of));
    }
    let mut part = first_division(levels.last().map_or(graph, |level| &level.0));
    for level in (0..levels.len()).rev() {
        let finer = if level == 0 { graph } else { &levels[level - 1].0 };
        let projected = levels[level].1.iter().map(|&new| part[new as usize]).collect();
        part = Division::new(finer, projected).refined();
    }
    part
}

/// Of several starts, the division with the lightest separator.
fn first_division(graph: &Graph) -> Vec<u8> {
    let grown = (0..STARTS.min(graph.n())).map(|start| {
        let division = Division::new(graph, grow(graph, (start * graph.n() / STARTS) as u32));
        let mut division = division;
        division.refine();
        (division.quality(), division.part)
    });
    grown.min_by_key(|found| found.0).map_or_else(Vec::new, |found| found.1)
}

/// Takes vertices in breadth-first order until half of the weight is reached. Those around them are the separator.
fn grow(graph: &Graph, start: u32) -> Vec<u8> {
    let mut part = vec![1u8; graph.n()];
    let (half, mut taken) = (graph.total() / 2, 0);
    let mut queue = std::collections::VecDeque::from([start]);
    let mut seen = vec![false; graph.n()];
    seen[start as usize] = true;
    let mut unseen = 0;
    while taken < half {
        let Some(v) = queue.pop_front() else {
            // The rest is not connected with what was taken.
            let Some(next) = (unseen..graph.n()).find(|&v| !seen[v]) else { break };
            (seen[next], unseen) = (true, next);
            queue.push_back(next as u32);
            continue;
        };
        part[v as usize] = 0;
        taken += u64::from(graph.weight[v as usize]);
        for &to in graph.around(v) {
            if !std::mem::replace(&mut seen[to as usize], true) {
                queue.push_back(to);
            }
        }
    }
    for v in 0..graph.n() as u32 {
        if part[v as usize] == 1 && graph.around(v).iter().any(|&to| part[to as usize] == 0) {
            part[v as usize] = SEPARATOR;
        }
    }
    part
}

/// A division of a graph, and how it is made better: a vertex of the separator moves to one part, and its neighbours in
/// the other part take its place (Fiduccia and Mattheyses 1982, for vertices).
struct Division<'a> {
    graph: &'a Graph,
    part: Vec<u8>,
    /// The weight of both parts and of the separator.
    weight: [i64; 3],
    most: i64,
    /// Vertices that have left the separator in this pass.
    moved: Vec<bool>,
}

/// What a move gains, the vertex, and the part to which it goes.
type Move = (i64, Reverse<u32>, u8);

impl<'a> Division<'a> {
    fn new(graph: &'a Graph, part: Vec<u8>) -> Division<'a> {
        let mut weight = [0; 3];
        part.iter().zip(&graph.weight).for_each(|(&part, &w)| weight[part as usize] += i64::from(w));
        let most = ((weight.iter().sum::<i64>() as f64 * LARGEST_PART) as i64).max(weight[0]).max(weight[1]);
        Division { graph, moved: vec![false; part.len()], part, weight, most }
    }

    /// The smaller the better: the weight of the separator, then the difference between the parts.
    fn quality(&self) -> (i64, i64) {
        (self.weight[2], (self.weight[0] - self.weight[1]).abs())
    }

    fn refined(mut self) -> Vec<u8> {
        self.refine();
        self.part
    }

    fn refine(&mut self) {
        for _ in 0..PASSES {
            let before = self.quality();
            self.pass();
            if self.quality() >= before {
                break;
            }
            let heaviest = self.weight[0].max(self.weight[1]);
            let share = (self.weight.iter().sum::<i64>() as f64 * LARGEST_PART) as i64;
            self.most = share.max(heaviest.min(self.most));
        }
    }

    fn gain(&self, v: u32, to: u8) -> i64 {
        let pulled = self.graph.around(v).iter().filter(|&&other| self.part[other as usize] == 1 - to);
        i64::from(self.graph.weight[v as usize])
            - pulled.map(|&other| i64::from(self.graph.weight[other as usize])).sum::<i64>()
    }

    fn offer(&self, v: u32, moves: &mut BinaryHeap<Move>) {
        if self.part[v as usize] == SEPARATOR && !self.moved[v as usize] {
            (0..2).for_each(|to| moves.push((self.gain(v, to), Reverse(v), to)));
        }
    }

    /// Moves vertices, also where this makes the separator larger for a while, and goes back to the best division.
    fn pass(&mut self) {
        let mut moves = BinaryHeap::new();
        (0..self.graph.n() as u32).for_each(|v| self.offer(v, &mut moves));
        // What was changed: (vertex, its part before).
        let mut done: Vec<(u32, u8)> = Vec::new();
        let (mut best, mut best_length, mut since) = (self.quality(), 0, 0);
        let mut cleared: Vec<u32> = Vec::new();
        while let Some((gain, Reverse(v), to)) = moves.pop() {
            if self.part[v as usize] != SEPARATOR || self.moved[v as usize] || gain != self.gain(v, to) {
                continue;
            }
            if self.weight[to as usize] + i64::from(self.graph.weight[v as usize]) > self.most {
                continue;
            }
            self.moved[v as usize] = true;
            cleared.push(v);
            self.take(v, to, &mut done, &mut moves);
            let quality = self.quality();
            since += 1;
            if quality < best {
                (best, best_length, since) = (quality, done.len(), 0);
            } else if since > DETOUR {
                break;
            }
        }
        for (v, part) in done.drain(best_length..).rev() {
            self.set(v, part);
        }
        cleared.into_iter().for_each(|v| self.moved[v as usize] = false);
    }

    fn set(&mut self, v: u32, part: u8) -> u8 {
        let weight = i64::from(self.graph.weight[v as usize]);
        let before = std::mem::replace(&mut self.part[v as usize], part);
        self.weight[before as usize] -= weight;
        self.weight[part as usize] += weight;
        before
    }

    /// Moves a vertex out of the separator, and its neighbours in the other part into it.
    fn take(&mut self, v: u32, to: u8, done: &mut Vec<(u32, u8)>, moves: &mut BinaryHeap<Move>) {
        let graph = self.graph;
        done.push((v, self.set(v, to)));
        let pulled: Vec<u32> = graph.around(v).iter().copied().filter(|&other| self.part[other as usize] == 1 - to).collect();
        for &other in &pulled {
            done.push((other, self.set(other, SEPARATOR)));
        }
        // The moves of all neighbours of what has changed gain something else now.
        for &changed in pulled.iter().chain([&v]) {
            self.offer(changed, moves);
            graph.around(changed).iter().for_each(|&other| self.offer(other, moves));
        }
    }
}
