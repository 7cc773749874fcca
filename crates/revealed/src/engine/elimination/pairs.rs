//! The sums of many pairs of states at once, and their derivatives.
//!
//! Each distinct first state has a row in every front above it: up(s, v) for the pivots v. The rows of a front are a
//! matrix, so that going up the tree is a product of matrices, shared by all states below. Last states have rows of
//! down(v, s') likewise. Derivatives come down the tree by the transposed products.

use std::ops::Range;

use super::ends::{Ends, Side};
use super::factor::Entries;
use super::fronts::Fronts;
use super::reverse::Derivatives;
use super::sums::{EliminationSums, LEAST, SCALES};
use super::{Elimination, Limit};
use crate::Error;
use crate::cancel::Cancel;
use crate::numeric::parallel;

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
        let descent = Descent { both: self, fronts, loops: &sums.loops, shares };
        // For each root of a branch, the derivatives by the rows of its border.
        let mut given: Vec<Option<[Vec<f64>; 2]>> = vec![None; fronts.len()];
        for &front in subtrees.trunk.iter().rev() {
            Cancel::check()?;
            let by = descent.down(front, given[front].take(), derivatives.whole().of(fronts, 0, front));
            for &below in fronts.below(front) {
                given[below as usize] = Some(descent.borders(below as usize, &by));
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
                let by = descent.down(front, given[front - start].take(), piece.of(fronts, start, front));
                for &below in fronts.below(front) {
                    given[below as usize - start] = Some(descent.borders(below as usize, &by));
                }
            }
            Ok::<(), Error>(())
        });
        done.into_iter().collect()
    }
}

/// Derivatives on their way down the tree.
struct Descent<'a> {
    both: &'a Both<'a>,
    fronts: &'a Fronts,
    loops: &'a [f64],
    /// The derivative by G of each pair.
    shares: &'a [f64],
}

impl Descent<'_> {
    /// The derivatives by the rows of a border, those of first states and those of last states, from those of the front
    /// above it.
    fn borders(&self, front: usize, by: &[Vec<f64>; 2]) -> [Vec<f64>; 2] {
        let Both { from, to, .. } = self.both;
        [from.border_of(self.fronts, front, &by[0]), to.border_of(self.fronts, front, &by[1])]
    }

    /// The derivatives by the rows of a front, from those by the rows of its border.
    fn down(&self, front: usize, given: Option<[Vec<f64>; 2]>, mut piece: Entries<'_>) -> [Vec<f64>; 2] {
        let Both { from, to, .. } = self.both;
        let [from_border, to_border] = given.unwrap_or_default();
        let [by_from, by_to] = self.at(front, piece.loops);
        let Entries { rise, fall, loops } = &mut piece;
        [
            from.down(self.fronts, front, &by_from, &from_border, [rise, loops]),
            to.down(self.fronts, front, &by_to, &to_border, [fall, loops]),
        ]
    }

    /// What the pairs contribute at the pivots of a front: G is the sum of ahead · loops · behind.
    fn at(&self, front: usize, by_loops: &mut [f64]) -> [Vec<f64>; 2] {
        let Both { from, to, pairs, by_front } = self.both;
        let k = self.fronts.pivots(front).len();
        let loops = &self.loops[self.fronts.pivots(front)];
        let mut by = [from, to].map(|side| vec![0.0; side.ends.of_front[front].len() * k]);
        let place = |bound: usize| by_front.partition_point(|&pair| pairs[pair].1 < Some(bound));
        for &pair in &by_front[place(self.fronts.lowest[front] as usize)..place(front + 1)] {
            let share = self.shares[pair];
            if share == 0.0 {
                continue;
            }
            let (ends, _) = pairs[pair];
            let ahead = from.ends.row(front, k, ends[0], &from.rows);
            let behind = to.ends.row(front, k, ends[1], &to.rows);
            let row = |side: &Side<'_>, end: usize| (end - side.ends.of_front[front].start) * k;
            let [by_from, by_to] = &mut by;
            let by_ahead = &mut by_from[row(from, ends[0])..][..k];
            let by_behind = &mut by_to[row(to, ends[1])..][..k];
            for pivot in 0..k {
                by_ahead[pivot] += share * behind[pivot] * loops[pivot];
                by_behind[pivot] += share * ahead[pivot] * loops[pivot];
                // In an order in which nothing overflows.
                by_loops[pivot] += share * (ahead[pivot] * behind[pivot]);
            }
        }
        by
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
