//! The rows of many first states, or of many last states, in the fronts above them.

use std::ops::Range;

use super::Elimination;
use super::factor::BLOCK;
use super::fronts::Fronts;
use super::subtrees::parts;
use super::within::Within;
use crate::Error;
use crate::cancel::Cancel;
use crate::numeric::parallel;

/// The number of rows that a thread takes at once.
const SHARE: usize = 96;
/// With fewer multiplications than this, one thread is faster than several.
const WORTH_SHARING: usize = 1 << 18;

/// Does something with each item, on several threads if there is enough work.
fn at_once<I: Send>(work: usize, items: impl Iterator<Item = I>, of: impl Fn(I) + Sync + Send) {
    if work < WORTH_SHARING { items.for_each(of) } else { parallel::for_each(items, of) }
}

/// Which ends lie below each front, and where their rows are.
pub(super) struct Ends {
    /// The distinct ranks, ascending.
    pub ranks: Vec<u32>,
    /// The ends below each front or among its pivots.
    pub of_front: Vec<Range<usize>>,
    /// Front f has the rows `first[f]..first[f + 1]`, each with a number for each pivot.
    first: Vec<usize>,
    scale: f64,
}

impl Ends {
    pub fn new(fronts: &Fronts, mut ranks: Vec<u32>, scale: f64) -> Ends {
        ranks.sort_unstable();
        ranks.dedup();
        let mut first = vec![0];
        let of_front = (0..fronts.len()).map(|front| {
            let below = |rank: u32| ranks.partition_point(|&other| other < rank);
            let ends = below(fronts.first[fronts.lowest[front] as usize])..below(fronts.first[front + 1]);
            first.push(first[front] + ends.len() * fronts.pivots(front).len());
            ends
        });
        let of_front = of_front.collect();
        Ends { ranks, of_front, first, scale }
    }

    pub fn place(&self, rank: u32) -> usize {
        self.ranks.partition_point(|&other| other < rank)
    }

    /// The row of one end in a front above it.
    pub fn row<'a>(&self, front: usize, pivots: usize, end: usize, rows: &'a [f64]) -> &'a [f64] {
        let begin = self.first[front] + (end - self.of_front[front].start) * pivots;
        &rows[begin..begin + pivots]
    }
}

/// The rows of first states with one kind of arcs, or those of last states with the other.
pub(super) struct Side<'a> {
    pub ends: Ends,
    arcs: &'a [f64],
    loops: &'a [f64],
    /// The numbers of all rows.
    pub rows: Vec<f64>,
}

/// The ranks of a border, for each end below a front.
type BorderRows = Vec<f64>;

impl<'a> Side<'a> {
    pub fn new(network: &Elimination, ends: Ends, arcs: &'a [f64], loops: &'a [f64]) -> Result<Side<'a>, Error> {
        let (fronts, subtrees) = (&network.fronts, &network.subtrees);
        let mut rows = vec![0.0; ends.first[fronts.len()]];
        let mut side = Side { ends, arcs, loops, rows: Vec::new() };
        let mut waiting: Vec<(usize, BorderRows)> = Vec::new();
        let first = &side.ends.first;
        let pieces = parts(&mut rows, subtrees.branches.iter().map(|range| first[range.start]..first[range.end]));
        let branches = subtrees.branches.iter().cloned().zip(pieces);
        for done in parallel::map(branches, |(range, rows)| side.branch(fronts, range, rows)) {
            waiting.extend(done?);
        }
        for &front in &subtrees.trunk {
            Cancel::check()?;
            let below: Vec<(usize, BorderRows)> =
                waiting.extract_if(.., |(below, _)| fronts.above[*below] as usize == front).collect();
            let border = side.up(fronts, front, &below, &mut rows[first[front]..first[front + 1]]);
            let at = waiting.partition_point(|(other, _)| *other < front);
            waiting.insert(at, (front, border));
        }
        side.rows = rows;
        Ok(side)
    }

    /// The rows of some branches. Returns those of the borders of their roots.
    fn branch(&self, fronts: &Fronts, range: Range<usize>, rows: &mut [f64]) -> Result<Vec<(usize, BorderRows)>, Error> {
        let mut waiting: Vec<(usize, BorderRows)> = Vec::new();
        let start = self.ends.first[range.start];
        for front in range.filter(|&front| !self.ends.of_front[front].is_empty()) {
            Cancel::check()?;
            let split = waiting.iter().rposition(|(below, _)| fronts.above[*below] as usize != front).map_or(0, |at| at + 1);
            let below: Vec<(usize, BorderRows)> = waiting.drain(split..).collect();
            let rows = &mut rows[self.ends.first[front] - start..self.ends.first[front + 1] - start];
            let border = self.up(fronts, front, &below, rows);
            waiting.push((front, border));
        }
        Ok(waiting)
    }

    /// The arcs and loops of a front.
    fn of(&self, fronts: &Fronts, front: usize) -> (&[f64], &[f64]) {
        (&self.arcs[fronts.entries(front)], &self.loops[fronts.pivots(front)])
    }

    /// Writes the rows of a front, from the rows of the borders below it. Returns the rows of its border.
    fn up(&self, fronts: &Fronts, front: usize, below: &[(usize, BorderRows)], rows: &mut [f64]) -> BorderRows {
        let (ends, shape) = (self.ends.of_front[front].clone(), fronts.shape(front));
        let (k, w, m) = (shape.pivots, shape.width, shape.border());
        let mut numbers = vec![0.0; ends.len() * w];
        for (below, border) in below {
            let places = &fronts.place_above[fronts.borders(*below)];
            let first = self.ends.of_front[*below].start - ends.start;
            for (row, border) in numbers[first * w..].chunks_exact_mut(w).zip(border.chunks_exact(places.len().max(1))) {
                places.iter().zip(border).for_each(|(&place, &number)| row[place as usize] = number);
            }
        }
        let pivots = fronts.pivots(front);
        for (row, &rank) in numbers.chunks_exact_mut(w).zip(&self.ends.ranks[ends.clone()]) {
            if rank as usize >= pivots.start {
                row[rank as usize - pivots.start] = self.ends.scale;
            }
        }
        let (arcs, loops) = self.of(fronts, front);
        let within = Within::new(arcs, loops, shape, ends.len());
        at_once(ends.len() * k * w, numbers.chunks_mut(SHARE * w), |numbers| within.up(numbers));
        let mut border = Vec::with_capacity(ends.len() * m);
        for (row, numbers) in rows.chunks_exact_mut(k).zip(numbers.chunks_exact(w)) {
            row.copy_from_slice(&numbers[..k]);
            border.extend_from_slice(&numbers[k..]);
        }
        border
    }

    /// The derivatives by all numbers of the rows of a front, border included. `by_rows` has those by its pivots, as
    /// far as they are known, and `by_border` those by its border. Adds to the derivatives by arcs and loops.
    pub fn down(
        &self,
        fronts: &Fronts,
        front: usize,
        by_rows: &[f64],
        by_border: &[f64],
        [by_arcs, by_loops]: [&mut [f64]; 2],
    ) -> Vec<f64> {
        let (ends, shape) = (self.ends.of_front[front].len(), fronts.shape(front));
        let (k, w) = (shape.pivots, shape.width);
        if ends == 0 {
            return Vec::new();
        }
        let (arcs, loops) = self.of(fronts, front);
        let rows = &self.rows[self.ends.first[front]..self.ends.first[front + 1]];
        let mut by = Vec::with_capacity(ends * w);
        for (end, by_rows) in by_rows.chunks_exact(k).enumerate() {
            by.extend_from_slice(by_rows);
            by.extend_from_slice(&by_border[end * (w - k)..(end + 1) * (w - k)]);
        }
        let within = Within::new(arcs, loops, shape, ends);
        let work = ends * k * w;
        at_once(work, by.chunks_mut(SHARE * w).zip(rows.chunks(SHARE * k)), |(by, rows)| within.down(by, rows));
        let blocks = (0..k).step_by(BLOCK).zip(by_arcs.chunks_mut(BLOCK * w)).zip(by_loops.chunks_mut(BLOCK));
        at_once(work, blocks, |((start, by_arcs), by_loops)| within.by_arcs(start, rows, &by, by_arcs, by_loops));
        by
    }

    /// The derivatives by the rows of the border of a front, from those of the front above it.
    pub fn border_of(&self, fronts: &Fronts, front: usize, by_above: &[f64]) -> Vec<f64> {
        let above = fronts.above[front] as usize;
        let places = &fronts.place_above[fronts.borders(front)];
        let first = self.ends.of_front[front].start - self.ends.of_front[above].start;
        let rows = by_above.chunks_exact(fronts.shape(above).width).skip(first).take(self.ends.of_front[front].len());
        rows.flat_map(|row| places.iter().map(|&place| row[place as usize])).collect()
    }
}
