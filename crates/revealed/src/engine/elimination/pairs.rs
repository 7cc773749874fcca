//! The sums of many pairs of states at once, and their derivatives.
//!
//! Each distinct first state has a row in every front above it: up(s, v) for the pivots v. The rows of a front are a
//! matrix, so that going up the tree is a product of matrices, shared by all states below. Last states have rows of
//! down(v, s') likewise. Derivatives come down the tree by the transposed products.

use std::ops::Range;

use super::factor::BLOCK;
use super::fronts::{Fronts, Shape};
use super::reverse::Derivatives;
use super::subtrees::parts;
use super::sums::{EliminationSums, LEAST, SCALES};
use super::{Elimination, Limit};
use crate::Error;
use crate::cancel::Cancel;
use crate::numeric::parallel;
use crate::numeric::product::{Matrix, add_product};

/// The sums of pairs, and how often their paths use each transition.
#[derive(Debug)]
pub(crate) struct PairSums {
    /// log G of each pair; `None` if no path leads there, or if the sum does not fit into an f64 with any scale.
    pub log_sum: Vec<Option<f64>>,
    /// The derivative of Σ share · log G by the logarithm of each transition's weight. Pairs without a sum do not count.
    pub uses: Vec<f64>,
}

impl PairSums {
    /// # Errors
    /// [`Error::Stopped`].
    pub(crate) fn new(
        network: &Elimination,
        sums: &EliminationSums,
        weights: &[f64],
        pairs: &[([usize; 2], f64)],
        limit: &Limit,
    ) -> Result<PairSums, Error> {
        let mut derivatives = Derivatives::new(network);
        let mut log_sum = vec![None; pairs.len()];
        for batch in batches(&network.fronts, pairs, limit.numbers_of_pairs()) {
            let mut left: Vec<usize> = batch.collect();
            // Those that are too small are tried again with the next scale.
            for scale in SCALES {
                if left.is_empty() {
                    break;
                }
                let ranks = |&pair: &usize| pairs[pair].0.map(|state| network.fronts.rank_of[state]);
                let both = Both::new(network, sums, left.iter().map(ranks).collect(), scale)?;
                let totals = both.totals(network, sums);
                let mut shares = vec![0.0; left.len()];
                let mut later = Vec::new();
                for ((&pair, total), share) in left.iter().zip(totals).zip(&mut shares) {
                    if total > LEAST && total.is_finite() {
                        log_sum[pair] = Some(total.ln() - 2.0 * scale.ln());
                        *share = pairs[pair].1 / total;
                    } else {
                        later.push(pair);
                    }
                }
                both.derive(network, sums, &shares, &mut derivatives)?;
                left = later;
            }
        }
        let uses = derivatives.of_transitions(network, sums, weights)?;
        Ok(PairSums { log_sum, uses })
    }
}

/// Ranges of pairs whose rows fit into this many numbers. They do not depend on the number of threads.
fn batches(fronts: &Fronts, pairs: &[([usize; 2], f64)], most: usize) -> impl Iterator<Item = Range<usize>> {
    // The length of a row from a front to the root.
    let mut length = vec![0usize; fronts.len()];
    for front in (0..fronts.len()).rev() {
        length[front] = fronts.pivots(front).len() + length.get(fronts.above[front] as usize).copied().unwrap_or(0);
    }
    let (mut ranges, mut start, mut numbers) = (Vec::new(), 0, 0);
    for (pair, (ends, _)) in pairs.iter().enumerate() {
        let of_pair: usize = ends.iter().map(|&end| length[fronts.front_of[fronts.rank_of[end] as usize] as usize]).sum();
        if numbers + of_pair > most && start < pair {
            ranges.push(start..pair);
            (start, numbers) = (pair, 0);
        }
        numbers += of_pair;
    }
    ranges.push(start..pairs.len());
    ranges.into_iter()
}

/// Which ends lie below each front, and where their rows are.
struct Ends {
    /// The distinct ranks, ascending.
    ranks: Vec<u32>,
    /// The ends below each front or among its pivots.
    of_front: Vec<Range<usize>>,
    /// Front f has the rows `first[f]..first[f + 1]`, each with a number for each pivot.
    first: Vec<usize>,
    scale: f64,
}

impl Ends {
    fn new(fronts: &Fronts, mut ranks: Vec<u32>, scale: f64) -> Ends {
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

    fn place(&self, rank: u32) -> usize {
        self.ranks.partition_point(|&other| other < rank)
    }

    /// The row of one end in a front above it.
    fn row<'a>(&self, front: usize, pivots: usize, end: usize, rows: &'a [f64]) -> &'a [f64] {
        let begin = self.first[front] + (end - self.of_front[front].start) * pivots;
        &rows[begin..begin + pivots]
    }
}

/// The rows of first states with one kind of arcs, or those of last states with the other.
struct Side<'a> {
    ends: Ends,
    arcs: &'a [f64],
    loops: &'a [f64],
    /// The numbers of all rows.
    rows: Vec<f64>,
}

/// The ranks of a border, for each end below a front.
type BorderRows = Vec<f64>;

impl<'a> Side<'a> {
    fn new(network: &Elimination, ends: Ends, arcs: &'a [f64], loops: &'a [f64]) -> Result<Side<'a>, Error> {
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
    fn down(
        &self,
        fronts: &Fronts,
        front: usize,
        by_rows: &[f64],
        by_border: &[f64],
        [by_arcs, by_loops]: [&mut [f64]; 2],
    ) -> Vec<f64> {
        let (ends, Shape { pivots: k, width: w }) = (self.ends.of_front[front].len(), fronts.shape(front));
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
    fn border_of(&self, fronts: &Fronts, front: usize, by_above: &[f64]) -> Vec<f64> {
        let above = fronts.above[front] as usize;
        let places = &fronts.place_above[fronts.borders(front)];
        let first = self.ends.of_front[front].start - self.ends.of_front[above].start;
        let rows = by_above.chunks_exact(fronts.shape(above).width).skip(first).take(self.ends.of_front[front].len());
        rows.flat_map(|row| places.iter().map(|&place| row[place as usize])).collect()
    }
}

/// First and last states of some pairs.
struct Both<'a> {
    from: Side<'a>,
    to: Side<'a>,
    /// The ends of each pair, and the lowest front above both.
    pairs: Vec<([usize; 2], Option<usize>)>,
    /// The pairs in the order of these fronts.
    by_front: Vec<usize>,
}

impl<'a> Both<'a> {
    fn new(network: &Elimination, sums: &'a EliminationSums, pairs: Vec<[u32; 2]>, scale: f64) -> Result<Both<'a>, Error> {
        let fronts = &network.fronts;
        let ends = |which: usize| Ends::new(fronts, pairs.iter().map(|pair| pair[which]).collect(), scale);
        let from = Side::new(network, ends(0), &sums.rise, &sums.loops)?;
        let to = Side::new(network, ends(1), &sums.fall, &sums.loops)?;
        let common = |[one, other]: [u32; 2]| {
            let holds = |front: usize| (fronts.first[fronts.lowest[front] as usize]..fronts.first[front + 1]).contains(&other);
            chain(fronts, fronts.front_of[one as usize] as usize).find(|&front| holds(front))
        };
        let pairs: Vec<([usize; 2], Option<usize>)> =
            pairs.iter().map(|&pair| ([from.ends.place(pair[0]), to.ends.place(pair[1])], common(pair))).collect();
        let mut by_front: Vec<usize> = (0..pairs.len()).filter(|&pair| pairs[pair].1.is_some()).collect();
        by_front.sort_by_key(|&pair| pairs[pair].1);
        Ok(Both { from, to, pairs, by_front })
    }

    /// G of each pair, times the square of the scale.
    fn totals(&self, network: &Elimination, sums: &EliminationSums) -> Vec<f64> {
        let fronts = &network.fronts;
        parallel::map(&self.pairs, |&([from, to], common)| {
            let of_front = |front: usize| -> f64 {
                let (pivots, loops) = (fronts.pivots(front), &sums.loops[fronts.pivots(front)]);
                let ahead = self.from.ends.row(front, pivots.len(), from, &self.from.rows);
                let behind = self.to.ends.row(front, pivots.len(), to, &self.to.rows);
                ahead.iter().zip(behind).zip(loops).map(|((ahead, behind), loops)| ahead * loops * behind).sum()
            };
            common.map_or(0.0, |common| chain(fronts, common).map(of_front).sum())
        })
    }

    /// Adds the derivatives of Σ share · G by arcs and loops.
    fn derive(
        &self,
        network: &Elimination,
        sums: &EliminationSums,
        shares: &[f64],
        derivatives: &mut Derivatives,
    ) -> Result<(), Error> {
        let (fronts, subtrees) = (&network.fronts, &network.subtrees);
        // For each root of a branch, the derivatives by the rows of its border.
        let mut given: Vec<Option<[Vec<f64>; 2]>> = vec![None; fronts.len()];
        for &front in subtrees.trunk.iter().rev() {
            Cancel::check()?;
            let by = self.down(fronts, sums, front, shares, given[front].take(), &mut derivatives.whole(), 0);
            for &below in fronts.below(front) {
                given[below as usize] = Some(self.borders(fronts, below as usize, &by));
            }
        }
        let pieces = derivatives.branches(fronts, subtrees);
        let given: Vec<Vec<Option<[Vec<f64>; 2]>>> =
            subtrees.branches.iter().map(|range| range.clone().map(|front| given[front].take()).collect()).collect();
        let work = subtrees.branches.iter().cloned().zip(pieces).zip(given);
        let done = parallel::map(work, |((range, mut piece), mut given)| {
            let start = range.start;
            for front in range.rev() {
                Cancel::check()?;
                let by = self.down(fronts, sums, front, shares, given[front - start].take(), &mut piece, start);
                for &below in fronts.below(front) {
                    given[below as usize - start] = Some(self.borders(fronts, below as usize, &by));
                }
            }
            Ok::<(), Error>(())
        });
        done.into_iter().collect()
    }

    fn borders(&self, fronts: &Fronts, front: usize, by: &[Vec<f64>; 2]) -> [Vec<f64>; 2] {
        [self.from.border_of(fronts, front, &by[0]), self.to.border_of(fronts, front, &by[1])]
    }

    /// The derivatives by the rows of a front, those of first states and those of last states.
    #[expect(clippy::too_many_arguments, reason = "the pieces of one front")]
    fn down(
        &self,
        fronts: &Fronts,
        sums: &EliminationSums,
        front: usize,
        shares: &[f64],
        given: Option<[Vec<f64>; 2]>,
        piece: &mut super::reverse::Piece<'_>,
        start: usize,
    ) -> [Vec<f64>; 2] {
        let k = fronts.pivots(front).len();
        let [from_border, to_border] = given.unwrap_or_default();
        let sides = [&self.from, &self.to];
        let [mut by_from, mut by_to] = sides.map(|side| vec![0.0; side.ends.of_front[front].len() * k]);
        if by_from.is_empty() && by_to.is_empty() {
            return [Vec::new(), Vec::new()];
        }
        let piece = piece.of(fronts, start, front);
        let loops = &sums.loops[fronts.pivots(front)];
        let lowest = fronts.lowest[front] as usize;
        let place = |bound: usize| self.by_front.partition_point(|&pair| self.pairs[pair].1 < Some(bound));
        for &pair in &self.by_front[place(lowest)..place(front + 1)] {
            let share = shares[pair];
            if share == 0.0 {
                continue;
            }
            let ([from, to], _) = self.pairs[pair];
            let ahead = self.from.ends.row(front, k, from, &self.from.rows);
            let behind = self.to.ends.row(front, k, to, &self.to.rows);
            let row = |side: &Side<'_>, end: usize| (end - side.ends.of_front[front].start) * k;
            let (from_row, to_row) = (row(&self.from, from), row(&self.to, to));
            for pivot in 0..k {
                let (ahead, behind) = (ahead[pivot], behind[pivot]);
                if ahead > 0.0 && behind > 0.0 {
                    by_from[from_row + pivot] += share * behind * loops[pivot];
                    by_to[to_row + pivot] += share * ahead * loops[pivot];
                    piece.loops[pivot] += share * ahead * behind;
                } else if ahead > 0.0 {
                    by_to[to_row + pivot] += share * ahead * loops[pivot];
                } else if behind > 0.0 {
                    by_from[from_row + pivot] += share * behind * loops[pivot];
                }
            }
        }
        let by_from = match by_from.is_empty() {
            true => by_from,
            false => self.from.down(fronts, front, &by_from, &from_border, [&mut *piece.rise, &mut *piece.loops]),
        };
        let by_to = match by_to.is_empty() {
            true => by_to,
            false => self.to.down(fronts, front, &by_to, &to_border, [&mut *piece.fall, &mut *piece.loops]),
        };
        [by_from, by_to]
    }
}

/// A front, and all above it.
fn chain(fronts: &Fronts, front: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(front), |&front| Some(fronts.above[front] as usize).filter(|&above| above < fronts.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::threads::Threads;
    use crate::watch::Watch;
    use crate::world::{Mdp, MdpBuilder};
    use crate::worlds;

    /// Every state has steps to some others that a congruence draws.
    fn random(n: usize, steps: usize, seed: u64) -> Mdp {
        let mut builder = MdpBuilder::new(n, steps);
        builder.start(0, 1.0);
        let mut drawn = seed;
        for state in 0..n {
            let mut ends = std::collections::BTreeSet::new();
            while ends.len() < steps {
                drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ends.insert((drawn >> 33) as usize % n);
            }
            ends.into_iter().enumerate().for_each(|(action, to)| _ = builder.transition(state, action, to, 1.0));
        }
        builder.build().unwrap()
    }

    /// (I − W)⁻¹ by Gauss and Jordan, without any notion of sparsity.
    fn dense(mdp: &Mdp, weights: &[f64]) -> Vec<Vec<f64>> {
        let n = mdp.n_states();
        let mut rows: Vec<Vec<f64>> = (0..n).map(|i| (0..2 * n).map(|j| f64::from(i == j || i + n == j)).collect()).collect();
        for ((&from, &to), weight) in mdp.from().iter().zip(mdp.to()).zip(weights) {
            rows[from as usize][to as usize] -= weight;
        }
        for i in 0..n {
            let pivot = rows[i][i];
            rows[i].iter_mut().for_each(|entry| *entry /= pivot);
            let row = rows[i].clone();
            for (_, other) in rows.iter_mut().enumerate().filter(|(j, other)| *j != i && other[i] != 0.0) {
                let factor = other[i];
                other.iter_mut().zip(&row).for_each(|(entry, pivot)| *entry -= factor * pivot);
            }
        }
        rows.into_iter().map(|row| row[n..].to_vec()).collect()
    }

    #[test]
    fn sums_and_uses_are_those_of_the_dense_inverse() {
        let networks = [random(40, 2, 1), random(150, 3, 2), random(420, 2, 3), worlds::road_like(400, 800, 1).unwrap().mdp];
        for mdp in networks {
            let n = mdp.n_states();
            let limit = Limit::of_uses(usize::MAX);
            let network = Elimination::new(&mdp, &limit, &Watch::none()).unwrap();
            let weights: Vec<f64> = (0..mdp.n_transitions()).map(|step| 0.1 + 0.02 * (step % 9) as f64).collect();
            let sums = EliminationSums::new(&network, &weights).unwrap_or_else(|_| panic!("the sums are finite"));
            let pairs: Vec<([usize; 2], f64)> =
                (0..60).map(|k| ([k * 17 % n, (k * k * 5 + 3) % n], 0.2 + (k % 5) as f64)).collect();
            let inverse = dense(&mdp, &weights);
            let found = PairSums::new(&network, &sums, &weights, &pairs, &limit).unwrap();
            let mut expected = vec![0.0; weights.len()];
            for (&([from, to], share), log_sum) in pairs.iter().zip(&found.log_sum) {
                let sum = inverse[from][to];
                match log_sum {
                    None => assert!(sum.abs() < 1e-12, "{from} to {to}: {sum}"),
                    Some(log_sum) => {
                        assert!((log_sum.exp() / sum - 1.0).abs() < 1e-9, "{from} to {to}: {log_sum}, expected {}", sum.ln());
                        for (step, (&i, &j)) in mdp.from().iter().zip(mdp.to()).enumerate() {
                            expected[step] += share * inverse[from][i as usize] * weights[step] * inverse[j as usize][to] / sum;
                        }
                    }
                }
            }
            for (step, (uses, expected)) in found.uses.iter().zip(expected).enumerate() {
                assert!((uses - expected).abs() < 1e-8 * expected.max(1.0), "step {step} of {n}: {uses}, expected {expected}");
            }
            // In small batches, and by several threads.
            let small = Limit::of_uses(8 * 4 * 4 * n);
            let batches = PairSums::new(&network, &sums, &weights, &pairs, &small).unwrap();
            let close = |(one, other): (&f64, &f64)| (one - other).abs() <= 1e-12 * other.abs().max(1e-3);
            assert!(batches.uses.iter().zip(&found.uses).all(close));
            let threads = Threads::new(Some(3)).unwrap();
            let again = threads.run(|| PairSums::new(&network, &sums, &weights, &pairs, &limit)).unwrap();
            assert_eq!((&again.log_sum, &again.uses), (&found.log_sum, &found.uses));
        }
    }

    /// A long chain, whose sums need all scales.
    #[test]
    fn small_sums_are_scaled() {
        let n = 9;
        let mut builder = MdpBuilder::new(n, 1);
        builder.start(0, 1.0);
        (1..n).for_each(|state| _ = builder.transition(state - 1, 0, state, 1.0));
        let mdp = builder.terminal(n - 1).build().unwrap();
        let limit = Limit::of_uses(usize::MAX);
        let network = Elimination::new(&mdp, &limit, &Watch::none()).unwrap();
        let weights = vec![1e-60; n - 1];
        let sums = EliminationSums::new(&network, &weights).unwrap_or_else(|_| panic!("the sums are finite"));
        let pairs: Vec<([usize; 2], f64)> = (1..n).map(|to| ([0, to], 1.0)).collect();
        let found = PairSums::new(&network, &sums, &weights, &pairs, &limit).unwrap();
        for (to, log_sum) in (1..n).zip(&found.log_sum) {
            let expected = to as f64 * 1e-60f64.ln();
            assert!(log_sum.is_some_and(|sum| (sum / expected - 1.0).abs() < 1e-12), "to {to}: {log_sum:?}");
        }
        for (step, uses) in found.uses.iter().enumerate() {
            assert!((uses - (n - 1 - step) as f64).abs() < 1e-9, "step {step}: {uses}");
        }
    }
}
