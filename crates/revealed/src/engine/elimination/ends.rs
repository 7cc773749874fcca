//! The rows of many first states, or of many last states, in the fronts above them.

use std::ops::Range;

use super::Elimination;
use super::factor::BLOCK;
use super::fronts::{Fronts, Shape};
use super::subtrees::parts;
use crate::Error;
use crate::cancel::Cancel;
use crate::numeric::parallel;
use crate::numeric::product::{Matrix, add_product};

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
        for start in (0..k).step_by(BLOCK) {
            let end = (start + BLOCK).min(k);
            let mut here = Vec::with_capacity(ends.len() * (end - start));
            for row in numbers.chunks_exact_mut(w) {
                for pivot in start..end {
                    let weighed = row[pivot] * loops[pivot];
                    here.push(weighed);
                    if weighed != 0.0 {
                        let arcs = &arcs[pivot * w + pivot + 1..pivot * w + end];
                        row[pivot + 1..end].iter_mut().zip(arcs).for_each(|(number, arc)| *number += weighed * arc);
                    }
                }
            }
            let sizes = [ends.len(), w - end, end - start];
            let onward = Matrix::by_rows(&arcs[(start * w + end).min(arcs.len())..], w);
            let tail = end.min(numbers.len());
            add_product(&mut numbers[tail..], w, sizes, Matrix::by_rows(&here, end - start), onward);
        }
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
        let (ends, Shape { pivots: k, width: w }) = (self.ends.of_front[front].len(), fronts.shape(front));
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
        for start in (0..k).step_by(BLOCK).rev() {
            let end = (start + BLOCK).min(k);
            let width = end - start;
            let weighed = |row: &[f64]| -> Vec<f64> { (start..end).map(|pivot| row[pivot] * loops[pivot]).collect() };
            let here: Vec<f64> = rows.chunks_exact(k).flat_map(weighed).collect();
            let mut by_here = vec![0.0; ends * width];
            let (later, onward) = ((start * w + end).min(arcs.len()), w - end);
            {
                let by = Matrix::by_rows(&by[end.min(by.len())..], w);
                let of_arcs = Matrix::by_rows(&arcs[later..], w).transposed();
                add_product(&mut by_here, width, [ends, width, onward], by, of_arcs);
                let of_rows = Matrix::by_rows(&here, width).transposed();
                add_product(&mut by_arcs[later..], w, [width, onward, ends], of_rows, by);
            }
            for (end_row, (by, row)) in by.chunks_exact_mut(w).zip(rows.chunks_exact(k)).enumerate() {
                let here = &here[end_row * width..(end_row + 1) * width];
                for pivot in (start..end).rev() {
                    let mut by_weighed = by_here[end_row * width + pivot - start];
                    for other in pivot + 1..end {
                        by_weighed += by[other] * arcs[pivot * w + other];
                        by_arcs[pivot * w + other] += here[pivot - start] * by[other];
                    }
                    by_loops[pivot] += row[pivot] * by_weighed;
                    // Where no path arrives, the derivative could be infinite.
                    by[pivot] = if row[pivot] > 0.0 { by[pivot] + loops[pivot] * by_weighed } else { 0.0 };
                }
            }
        }
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
