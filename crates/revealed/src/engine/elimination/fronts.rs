//! The pattern of the elimination, fill-in included.
//!
//! Consecutive ranks whose arcs lead to the same higher ranks form a *front*: its *pivots*, which are eliminated
//! together, and its *border*, the higher ranks to which they have arcs. The arcs of a front are two dense matrices, and
//! all work on them is a product of matrices. Ranks are such that a front comes after the fronts below it in the
//! elimination tree, and all of these are consecutive.

use std::ops::Range;

use super::limit::{FillIn, Limit};
use crate::Error;

const NONE: u32 = u32::MAX;
/// A front is merged with the one above it if the two have at most so many pivots, and the share of zeros in their
/// matrices is at most this.
const MERGED: [(usize, f64); 4] = [(4, 1.0), (16, 0.6), (48, 0.1), (usize::MAX, 0.03)];

/// The ranks and the fronts.
#[derive(Debug)]
pub(crate) struct Fronts {
    pub rank_of: Vec<u32>,
    /// Front f has the pivots `first[f]..first[f + 1]`.
    pub first: Vec<u32>,
    pub front_of: Vec<u32>,
    /// Front f has the border `border[first_border[f]..first_border[f + 1]]`, ascending.
    pub first_border: Vec<usize>,
    pub border: Vec<u32>,
    /// The place of each rank of a border in the front above: pivots come first, then the border.
    pub place_above: Vec<u32>,
    /// The front above, or `u32::MAX`.
    pub above: Vec<u32>,
    /// The fronts just below front f are `below[first_below[f]..first_below[f + 1]]`, ascending.
    first_below: Vec<usize>,
    below: Vec<u32>,
    /// All fronts below front f are `lowest[f]..f`.
    pub lowest: Vec<u32>,
    /// The entries of front f are `base[f]..base[f + 1]`: a row for each pivot, with a column for each place.
    pub base: Vec<usize>,
}

/// The numbers of pivots and of all places of a front.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub pivots: usize,
    pub width: usize,
}

impl Shape {
    pub fn border(&self) -> usize {
        self.width - self.pivots
    }
}

impl Fronts {
    /// The fronts of states that are eliminated in this order.
    ///
    /// # Errors
    /// [`Error::FillIn`] if the arcs do not fit into the memory; [`Error::Stopped`].
    pub fn new(neighbours: &[Vec<u32>], order: &[u32], limit: &Limit) -> Result<Fronts, Error> {
        let tree = Tree::new(neighbours, order);
        let mut found: Vec<Found> = Vec::new();
        for front in tree.fronts(neighbours, limit)? {
            merge(&mut found, front);
        }
        let n = order.len();
        let mut fronts = Fronts {
            rank_of: tree.rank_of,
            first: vec![0],
            front_of: vec![0; n],
            first_border: vec![0],
            border: Vec::new(),
            place_above: Vec::new(),
            above: Vec::with_capacity(found.len()),
            first_below: Vec::new(),
            below: Vec::new(),
            lowest: (0..found.len() as u32).collect(),
            base: vec![0],
        };
        for (front, mut of) in found.into_iter().enumerate() {
            fronts.front_of[of.pivots.start as usize..of.pivots.end as usize].fill(front as u32);
            fronts.first.push(of.pivots.end);
            of.border.sort_unstable();
            let width = of.pivots.len() + of.border.len();
            fronts.base.push(fronts.base[front] + of.pivots.len() * width);
            fronts.border.extend(of.border);
            fronts.first_border.push(fronts.border.len());
        }
        fronts.connect();
        Ok(fronts)
    }

    /// Finds the front above each front, and the places of its border there.
    fn connect(&mut self) {
        for front in 0..self.len() {
            let border = &self.border[self.borders(front)];
            let above = border.first().map_or(NONE, |&rank| self.front_of[rank as usize]);
            self.above.push(above);
            if above == NONE {
                continue;
            }
            let above = above as usize;
            self.lowest[above] = self.lowest[above].min(self.lowest[front]);
            let (pivots, others) = (self.pivots(above), &self.border[self.borders(above)]);
            let mut at = 0;
            let places = border.iter().map(|&rank| match (rank as usize) < pivots.end {
                true => rank - pivots.start as u32,
                false => {
                    at += others[at..].iter().position(|&other| other == rank).expect("what is above has all that is below");
                    (pivots.len() + at) as u32
                }
            });
            self.place_above.extend(places);
        }
        let mut by_above: Vec<(u32, u32)> = self.above.iter().copied().zip(0..).filter(|pair| pair.0 != NONE).collect();
        by_above.sort_unstable();
        self.first_below = (0..=self.len()).map(|front| by_above.partition_point(|pair| (pair.0 as usize) < front)).collect();
        self.below = by_above.into_iter().map(|pair| pair.1).collect();
    }

    /// The fronts just below a front, ascending.
    pub fn below(&self, front: usize) -> &[u32] {
        &self.below[self.first_below[front]..self.first_below[front + 1]]
    }

    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    pub fn pivots(&self, front: usize) -> Range<usize> {
        self.first[front] as usize..self.first[front + 1] as usize
    }

    pub fn borders(&self, front: usize) -> Range<usize> {
        self.first_border[front]..self.first_border[front + 1]
    }

    pub fn entries(&self, front: usize) -> Range<usize> {
        self.base[front]..self.base[front + 1]
    }

    pub(super) fn shape(&self, front: usize) -> Shape {
        let pivots = self.pivots(front).len();
        Shape { pivots, width: pivots + self.borders(front).len() }
    }

    /// The pivots of a front, the ranks of its border, and its shape.
    pub(super) fn parts(&self, front: usize) -> (Range<usize>, &[u32], Shape) {
        (self.pivots(front), &self.border[self.borders(front)], self.shape(front))
    }

    /// The entry of the arc between two ranks, if there is one.
    pub fn arc(&self, low: u32, high: u32) -> Option<usize> {
        let front = self.front_of[low as usize] as usize;
        let (pivots, Shape { width, .. }) = (self.pivots(front), self.shape(front));
        let place = match (high as usize) < pivots.end {
            true => high as usize - pivots.start,
            false => pivots.len() + self.border[self.borders(front)].binary_search(&high).ok()?,
        };
        Some(self.base[front] + (low as usize - pivots.start) * width + place)
    }

    /// The entries of the arcs from a rank to higher ones, and these ranks.
    pub fn arcs(&self, rank: usize) -> (Range<usize>, impl Iterator<Item = usize> + '_) {
        let front = self.front_of[rank] as usize;
        let (pivots, Shape { width, .. }) = (self.pivots(front), self.shape(front));
        let row = rank - pivots.start;
        let begin = self.base[front] + row * width;
        let border = self.border[self.borders(front)].iter().map(|&rank| rank as usize);
        (begin + row + 1..begin + width, (rank + 1..pivots.end).chain(border))
    }
}

/// The fronts whose border has each rank, with its place there.
pub(super) struct Lower {
    first: Vec<usize>,
    fronts: Vec<(u32, u32)>,
}

impl Fronts {
    pub(super) fn lower(&self) -> Lower {
        let mut first = vec![0usize; self.rank_of.len() + 1];
        self.border.iter().for_each(|&rank| first[rank as usize + 1] += 1);
        (0..self.rank_of.len()).for_each(|rank| first[rank + 1] += first[rank]);
        let (mut next, mut fronts) = (first.clone(), vec![(0, 0); self.border.len()]);
        for front in 0..self.len() {
            for (&rank, place) in self.border[self.borders(front)].iter().zip(0..) {
                fronts[next[rank as usize]] = (front as u32, place);
                next[rank as usize] += 1;
            }
        }
        Lower { first, fronts }
    }
}

impl Lower {
    /// The lower ranks that have an arc to this one, ascending, and these arcs.
    pub fn of<'a>(&'a self, fronts: &'a Fronts, rank: usize) -> impl Iterator<Item = (usize, usize)> + 'a {
        let arcs = |front: usize, before: usize, place: usize| {
            let (begin, width, start) = (fronts.base[front], fronts.shape(front).width, fronts.pivots(front).start);
            (0..before).map(move |row| (start + row, begin + row * width + place))
        };
        let below = self.fronts[self.first[rank]..self.first[rank + 1]].iter();
        let below = below.flat_map(move |&(front, place)| {
            let pivots = fronts.pivots(front as usize).len();
            arcs(front as usize, pivots, pivots + place as usize)
        });
        let own = fronts.front_of[rank] as usize;
        let row = rank - fronts.pivots(own).start;
        below.chain(arcs(own, row, row))
    }
}

/// A front while fronts are found.
struct Found {
    pivots: Range<u32>,
    border: Vec<u32>,
    /// Zeros that were added by merging.
    zeros: usize,
}

/// Adds a front, and merges it with those just below it where that costs few zeros.
fn merge(found: &mut Vec<Found>, mut front: Found) {
    while let Some(below) = found.last() {
        if below.border.iter().all(|&rank| rank >= front.pivots.end) {
            break;
        }
        let (pivots, width) = (below.pivots.len() + front.pivots.len(), front.pivots.len() + front.border.len());
        let zeros = below.zeros + front.zeros + below.pivots.len() * (width - below.border.len());
        let entries = pivots * (below.pivots.len() + width);
        let most = MERGED.iter().find(|size| pivots <= size.0).map_or(0.0, |size| size.1);
        if zeros as f64 > most * entries as f64 {
            break;
        }
        front = Found { pivots: below.pivots.start..front.pivots.end, border: front.border, zeros };
        found.pop();
    }
    found.push(front);
}

/// The elimination tree: the parent of a rank is the lowest higher rank to which it has an arc.
struct Tree {
    rank_of: Vec<u32>,
    order: Vec<u32>,
    parent: Vec<u32>,
}

impl Tree {
    /// Ranks are those of `order`, changed so that whatever is below a rank comes just before it. This is the same
    /// elimination, because ranks that are not one above the other can change places.
    fn new(neighbours: &[Vec<u32>], order: &[u32]) -> Tree {
        let n = order.len();
        let given = inverse(order);
        let (mut parent, mut top) = (vec![NONE; n], vec![NONE; n]);
        for (&state, v) in order.iter().zip(0u32..) {
            for mut below in neighbours[state as usize].iter().map(|&other| given[other as usize]).filter(|&other| other < v) {
                // Follows the shortcuts to the highest rank so far, and makes them lead here (Liu 1986).
                loop {
                    let next = std::mem::replace(&mut top[below as usize], v);
                    match next {
                        NONE => {
                            parent[below as usize] = v;
                            break;
                        }
                        next if next == v => break,
                        next => below = next,
                    }
                }
            }
        }
        let by_depth = depth_first(&parent);
        let new_rank = inverse(&by_depth);
        let above = |old: u32| if old == NONE { NONE } else { new_rank[old as usize] };
        let parent = by_depth.iter().map(|&old| above(parent[old as usize])).collect();
        let order: Vec<u32> = by_depth.iter().map(|&old| order[old as usize]).collect();
        Tree { rank_of: inverse(&order), order, parent }
    }

    /// The fronts without zeros, in order.
    fn fronts(&self, neighbours: &[Vec<u32>], limit: &Limit) -> Result<Vec<Found>, Error> {
        let n = self.order.len();
        let mut fill_in = FillIn::new(n, 0);
        let mut fronts: Vec<Found> = Vec::new();
        let (mut lists, mut seen) = (Waiting::new(n), vec![NONE; n]);
        for rank in 0..n as u32 {
            let mut list = Vec::new();
            seen[rank as usize] = rank;
            let mut take = |other: u32| {
                if other > rank && std::mem::replace(&mut seen[other as usize], rank) != rank {
                    list.push(other);
                }
            };
            neighbours[self.order[rank as usize] as usize].iter().for_each(|&other| take(self.rank_of[other as usize]));
            let below = lists.take(rank);
            below.iter().for_each(|(_, list)| list.iter().for_each(|&other| take(other)));
            fill_in.count(list.len(), limit)?;
            let mut pivots = rank..rank + 1;
            for (front, border) in below {
                if front.end == rank && border.len() == list.len() + 1 {
                    pivots.start = front.start;
                } else {
                    fronts.push(Found { pivots: front, border, zeros: 0 });
                }
            }
            lists.add(self.parent[rank as usize], pivots, list);
        }
        fronts.extend(lists.roots.into_iter().map(|(pivots, border)| Found { pivots, border, zeros: 0 }));
        fronts.sort_unstable_by_key(|front| front.pivots.start);
        Ok(fronts)
    }
}

/// Fronts that wait for the rank above them.
struct Waiting {
    lists: Vec<Vec<(Range<u32>, Vec<u32>)>>,
    roots: Vec<(Range<u32>, Vec<u32>)>,
}

impl Waiting {
    fn new(n: usize) -> Waiting {
        Waiting { lists: vec![Vec::new(); n], roots: Vec::new() }
    }

    fn take(&mut self, rank: u32) -> Vec<(Range<u32>, Vec<u32>)> {
        std::mem::take(&mut self.lists[rank as usize])
    }

    fn add(&mut self, parent: u32, pivots: Range<u32>, list: Vec<u32>) {
        match parent {
            NONE => self.roots.push((pivots, list)),
            parent => self.lists[parent as usize].push((pivots, list)),
        }
    }
}

fn inverse(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0u32; order.len()];
    order.iter().zip(0..).for_each(|(&item, at)| place[item as usize] = at);
    place
}

/// The vertices of a forest such that each comes after all below it, and these are consecutive. The largest branch
/// comes last.
fn depth_first(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    let mut size = vec![1u32; n];
    // A parent has a higher number than its children.
    for v in (0..n).filter(|&v| parent[v] != NONE) {
        size[parent[v] as usize] += size[v];
    }
    let mut by_size: Vec<u32> = (0..n as u32).collect();
    by_size.sort_by_key(|&v| size[v as usize]);
    // From the top down: the place after the last one that a branch may take. The largest branch comes first here.
    let (mut free_until, mut place) = (vec![0u32; n], vec![0u32; n]);
    let mut roots_until = n as u32;
    for &v in by_size.iter().rev() {
        let until = match parent[v as usize] {
            NONE => &mut roots_until,
            above => &mut free_until[above as usize],
        };
        let end = *until;
        *until -= size[v as usize];
        place[v as usize] = end - 1;
        free_until[v as usize] = end - 1;
    }
    inverse(&place)
}
