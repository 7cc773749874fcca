//! The elimination in reverse: from derivatives by arcs to derivatives by the weights of transitions.

use std::ops::Range;

use super::factor::{BLOCK, Entries};
use super::fronts::{Fronts, Shape};
use super::subtrees::{Subtrees, parts};
use super::sums::EliminationSums;
use super::{Elimination, Place};
use crate::Error;
use crate::cancel::Cancel;
use crate::numeric::parallel;
use crate::numeric::product::{Matrix, add_product};

/// Derivatives by the weight of each arc, and by 1 / (1 − the weight of the loops) of each rank.
#[derive(Debug)]
pub(super) struct Derivatives {
    rise: Vec<f64>,
    fall: Vec<f64>,
    loops: Vec<f64>,
}

/// Those of some fronts.
pub(super) type Piece<'a> = Entries<'a>;

impl Derivatives {
    pub fn new(network: &Elimination) -> Derivatives {
        let (n, n_arcs) = (network.n(), network.n_arcs());
        Derivatives { rise: vec![0.0; n_arcs], fall: vec![0.0; n_arcs], loops: vec![0.0; n] }
    }

    pub fn whole(&mut self) -> Piece<'_> {
        Entries { rise: &mut self.rise, fall: &mut self.fall, loops: &mut self.loops }
    }

    /// Those of each branch.
    pub fn branches(&mut self, fronts: &Fronts, subtrees: &Subtrees) -> Vec<Piece<'_>> {
        let ranges = || subtrees.branches.iter();
        let entries = |range: &Range<usize>| fronts.base[range.start]..fronts.base[range.end];
        let pivots = |range: &Range<usize>| fronts.first[range.start] as usize..fronts.first[range.end] as usize;
        let (rise, fall) = (parts(&mut self.rise, ranges().map(entries)), parts(&mut self.fall, ranges().map(entries)));
        let loops = parts(&mut self.loops, ranges().map(pivots));
        rise.into_iter().zip(fall).zip(loops).map(|((rise, fall), loops)| Entries { rise, fall, loops }).collect()
    }

    /// How often each transition is used: the derivative by the logarithm of its weight.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn of_transitions(mut self, network: &Elimination, sums: &EliminationSums, weights: &[f64]) -> Result<Vec<f64>, Error> {
        let (fronts, subtrees) = (&network.fronts, &network.subtrees);
        // What has no weight is not used, and its derivative could be infinite.
        for (by, weights) in [(&mut self.rise, &sums.rise), (&mut self.fall, &sums.fall)] {
            by.iter_mut().zip(weights).filter(|(_, weight)| **weight == 0.0).for_each(|(by, _)| *by = 0.0);
        }
        let mut given: Vec<Option<Vec<f64>>> = vec![None; fronts.len()];
        for &front in subtrees.trunk.iter().rev() {
            Cancel::check()?;
            let update = given[front].take().unwrap_or_default();
            let mut piece = self.whole();
            let piece = piece.of(fronts, 0, front);
            for (below, of_below) in reverse_front(fronts, sums, front, piece, &update) {
                given[below] = Some(of_below);
            }
        }
        let given: Vec<Vec<Option<Vec<f64>>>> =
            subtrees.branches.iter().map(|range| range.clone().map(|front| given[front].take()).collect()).collect();
        let work = subtrees.branches.iter().cloned().zip(self.branches(fronts, subtrees)).zip(given);
        let done = parallel::map(work, |((range, mut piece), mut given)| {
            let start = range.start;
            for front in range.rev() {
                Cancel::check()?;
                let update = given[front - start].take().unwrap_or_default();
                for (below, of_below) in reverse_front(fronts, sums, front, piece.of(fronts, start, front), &update) {
                    given[below - start] = Some(of_below);
                }
            }
            Ok::<(), Error>(())
        });
        done.into_iter().collect::<Result<(), Error>>()?;
        let by_weight = |&place: &Place| match place {
            Place::Loop(rank) => self.loops[rank as usize],
            Place::Rise(arc) => self.rise[arc as usize],
            Place::Fall(arc) => self.fall[arc as usize],
        };
        Ok(network.place_of.iter().map(by_weight).zip(weights).map(|(by_weight, weight)| by_weight * weight).collect())
    }
}

/// Turns the derivatives by the arcs of a front into derivatives by what was added to them. `by_update` has those by
/// its update. Returns those by the update of each front just below.
fn reverse_front(
    fronts: &Fronts,
    sums: &EliminationSums,
    front: usize,
    mut by: Piece<'_>,
    by_update: &[f64],
) -> Vec<(usize, Vec<f64>)> {
    let shape = fronts.shape(front);
    let (rise, fall) = (&sums.rise[fronts.entries(front)], &sums.fall[fronts.entries(front)]);
    let loops = &sums.loops[fronts.pivots(front)];
    let (k, w, m) = (shape.pivots, shape.width, shape.border());
    let Entries { rise: by_rise, fall: by_fall, loops: by_loops } = &mut by;
    if m > 0 {
        let paths = Paths { pivots: 0..k, w, from: k..w, to: k..w, loops };
        paths.reverse([fall, rise], Matrix::by_rows(by_update, m), [by_fall, by_rise], by_loops);
    }
    for start in (0..k).step_by(BLOCK).rev() {
        let end = (start + BLOCK).min(k);
        if end < k {
            let paths = Paths { pivots: start..end, w, from: end..k, to: end..w, loops };
            let (block, later) = by_rise.split_at_mut(end * w);
            paths.reverse([fall, rise], Matrix::by_rows(&later[end..], w), [by_fall, block], by_loops);
            let (block, later) = by_fall.split_at_mut(end * w);
            paths.reverse([rise, fall], Matrix::by_rows(&later[end..], w), [by_rise, block], by_loops);
        }
        for row in (start..end).rev() {
            for next in row + 1..end {
                let part = Paths { pivots: row..row + 1, w, from: next..next + 1, to: next..w, loops };
                let (block, later) = by_rise.split_at_mut(next * w);
                part.reverse_one([fall, rise], &later[next..w], [by_fall, block], by_loops);
                let (block, later) = by_fall.split_at_mut(next * w);
                part.reverse_one([rise, fall], &later[next..w], [by_rise, block], by_loops);
            }
            // The diagonal has the derivative by the weight of the loops.
            by_loops[row] *= loops[row] * loops[row];
            by_rise[row * w + row] = by_loops[row];
            by_fall[row * w + row] = 0.0;
        }
    }
    fronts.below(front).iter().map(|&below| (below as usize, extract(fronts, below as usize, shape, &by, by_update))).collect()
}

/// The paths through some pivots: weight(a, b) += Σ one(pivot, a) · loops(pivot) · other(pivot, b), for places a and b.
struct Paths<'a> {
    pivots: Range<usize>,
    w: usize,
    from: Range<usize>,
    to: Range<usize>,
    loops: &'a [f64],
}

impl Paths<'_> {
    /// Adds to the derivatives by both factors and by the loops. `by` has those by the sums.
    fn reverse(&self, [one, other]: [&[f64]; 2], by: Matrix<'_>, [by_one, by_other]: [&mut [f64]; 2], by_loops: &mut [f64]) {
        let Paths { pivots, w, from, to, loops } = self;
        let (w, n) = (*w, pivots.len());
        let rows = |entries: &'_ [f64], places: &Range<usize>| pivots.start * w + places.start..entries.len();
        let mut by_weighed = vec![0.0; n * to.len()];
        let of_one = Matrix::by_rows(&one[rows(one, from)], w);
        add_product(&mut by_weighed, to.len(), [n, to.len(), from.len()], of_one, by);
        let mut by_weighing = vec![0.0; n * from.len()];
        let of_other = Matrix::by_rows(&other[rows(other, to)], w);
        add_product(&mut by_weighing, from.len(), [n, from.len(), to.len()], of_other, by.transposed());
        for (pivot, (by_weighed, by_weighing)) in
            pivots.clone().zip(by_weighed.chunks_exact(to.len()).zip(by_weighing.chunks_exact(from.len())))
        {
            let row = |places: &Range<usize>| pivot * w + places.start..pivot * w + places.end;
            let products = other[row(to)].iter().zip(by_weighed);
            by_loops[pivot] += products.map(|(weight, by)| weight * by).sum::<f64>();
            by_other[row(to)].iter_mut().zip(by_weighed).for_each(|(sum, by)| *sum += loops[pivot] * by);
            by_one[row(from)].iter_mut().zip(by_weighing).for_each(|(sum, by)| *sum += loops[pivot] * by);
        }
    }

    /// The same for one pivot and one place a, whose derivatives are a row.
    fn reverse_one(&self, [one, other]: [&[f64]; 2], by: &[f64], [by_one, by_other]: [&mut [f64]; 2], by_loops: &mut [f64]) {
        let (pivot, loops) = (self.pivots.start, self.loops[self.pivots.start]);
        let (place, row) = (pivot * self.w + self.from.start, pivot * self.w + self.to.start..(pivot + 1) * self.w);
        let by_weighing: f64 = other[row.clone()].iter().zip(by).map(|(weight, by)| weight * by).sum();
        by_loops[pivot] += one[place] * by_weighing;
        by_one[place] += loops * by_weighing;
        let factor = one[place] * loops;
        if factor != 0.0 {
            by_other[row].iter_mut().zip(by).for_each(|(sum, by)| *sum += factor * by);
        }
    }
}

/// The derivatives by the update of a front, from those of the front above it, which has this shape.
fn extract(fronts: &Fronts, front: usize, shape: Shape, by: &Piece<'_>, by_update: &[f64]) -> Vec<f64> {
    let (k, w, m) = (shape.pivots, shape.width, shape.border());
    let places = &fronts.place_above[fronts.borders(front)];
    let split = places.partition_point(|&place| (place as usize) < k);
    let mut found = Vec::with_capacity(places.len() * places.len());
    for from in places.iter().map(|&place| place as usize) {
        if from < k {
            found.extend(places.iter().map(|&to| match to as usize {
                to if to >= from => by.rise[from * w + to],
                to => by.fall[to * w + from],
            }));
        } else {
            found.extend(places[..split].iter().map(|&to| by.fall[to as usize * w + from]));
            let row = &by_update[(from - k) * m..(from - k + 1) * m];
            found.extend(places[split..].iter().map(|&to| row[to as usize - k]));
        }
    }
    found
}
