//! Hidden stretches of unknown length, without a horizon: sums over paths of any length, by elimination.
//!
//! Between two states that were seen, and nothing else, the sum is one of many pairs of ends, which share an elimination.
//! Any other stretch takes a solution of its own for each gap, from its last sighting back to its first: the weight of
//! all that follows a gap is the weight of ending in each state, as in `engine/fixed_point.rs`. The way forward then
//! runs over probabilities, so no weight can be too small.

use super::passage::Passage;
use super::prices::Prices;
use super::sights::Sights;
use super::split::{OpenStretch, Paths};
use super::sweep::Sink;
use super::visits::Phi;
use crate::Error;
use crate::cancel::Cancel;
use crate::engine::elimination::{Elimination, EliminationSums, Limit, PairSums};
use crate::engine::fixed_point::divergence;
use crate::model::route_choice::{expected_between, is_large};
use crate::numeric::parallel;
use crate::watch::Watch;
use crate::world::{Features, Mdp};

/// The work is cut into at most this many pieces. The number does not depend on threads.
const CHUNKS: usize = 16;

/// All stretches of unknown length.
#[derive(Debug)]
pub(crate) struct Open {
    pub elimination: Elimination,
    pub limit: Limit,
    pub stretches: Vec<OpenStretch>,
    sights: Sights,
    paths: Paths,
    /// The stretches between two states that were seen, and nothing else: their numbers and shares.
    pairs: Vec<([usize; 2], f64)>,
    of_pair: Vec<usize>,
    /// The others.
    others: Vec<usize>,
}

/// The weights of transitions, and the elimination with them.
pub(crate) struct Solved {
    log: Vec<f64>,
    pub solution: (Vec<f64>, EliminationSums),
}

impl Open {
    /// Computes the elimination order.
    ///
    /// # Errors
    /// [`Error::FillIn`]; [`Error::Stopped`].
    pub fn new(mdp: &Mdp, stretches: Vec<OpenStretch>, sights: Sights, paths: Paths, watch: &Watch<'_>) -> Result<Open, Error> {
        let limit = Limit::of_uses(paths.memory);
        let elimination = Elimination::new(mdp, &limit, watch)?;
        let (mut pairs, mut of_pair, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (number, stretch) in stretches.iter().enumerate() {
            match plain_pair(stretch, &sights) {
                // The empty path from a state to itself would be among the sums.
                Some([from, to]) if from != to => {
                    pairs.push(([from, to], stretch.share));
                    of_pair.push(number);
                }
                _ => others.push(number),
            }
        }
        Ok(Open { elimination, limit, stretches, sights, paths, pairs, of_pair, others })
    }

    /// Whether several threads make it faster.
    pub fn is_large(&self) -> bool {
        self.others.len() > 1 || is_large(&self.elimination, self.pairs.len())
    }

    /// Σ share · log of the weight of each stretch, and what the sinks were told of the paths. `None` instead of the sum
    /// for the first stretch of weight 0.
    ///
    /// # Errors
    /// [`Error::Diverges`]; [`Error::Stopped`].
    pub fn expect<S: Sink + Send>(
        &self,
        mdp: &Mdp,
        prices: &Prices<'_>,
        solved: &Solved,
        new: impl Fn() -> S + Sync + Send,
    ) -> Result<(Result<f64, usize>, Vec<S>), Error> {
        let (mut sum, mut sinks) = (Ok(0.0), Vec::new());
        let mut others: Vec<usize> = self.others.clone();
        if !self.pairs.is_empty() {
            let (weights, sums) = &solved.solution;
            let PairSums { log_sum, uses } = PairSums::new(&self.elimination, sums, weights, &self.pairs, &self.limit)?;
            let mut sink = new();
            uses.iter().enumerate().filter(|row| *row.1 > 0.0).for_each(|(step, &visits)| sink.step(0, step, visits));
            sinks.push(sink);
            for ((&(_, share), log_sum), &number) in self.pairs.iter().zip(log_sum).zip(&self.of_pair) {
                match log_sum {
                    Some(log) => sum = sum.map(|sum: f64| sum + share * log),
                    // Too small for an f64, but not for what follows.
                    None => others.push(number),
                }
            }
        }
        let of_chunk = |numbers: &[usize]| {
            let (mut sink, mut sum) = (new(), Ok(0.0));
            for &number in numbers {
                Cancel::check()?;
                let passage = self.passage(mdp, prices, &solved.log, number)?;
                if passage.total.is_zero() {
                    sum = sum.and(Err(number));
                    continue;
                }
                let share = self.stretches[number].share;
                sum = sum.map(|sum: f64| sum + share * passage.total.ln());
                passage.forward(share, &mut sink);
            }
            Ok((sum, sink))
        };
        let size = others.len().div_ceil(CHUNKS).max(1);
        let found: Vec<Result<_, Error>> = parallel::map(others.chunks(size), of_chunk);
        for found in found {
            let (part, sink) = found?;
            sum = sum.and_then(|sum| part.map(|part| sum + part));
            sinks.push(sink);
        }
        Ok((sum, sinks))
    }

    /// The elimination with these weights.
    ///
    /// # Errors
    /// [`Error::Diverges`] if loops do not cost enough.
    pub fn solve(&self, mdp: &Mdp, prices: &Prices<'_>) -> Result<Solved, Error> {
        let log: Vec<f64> = (0..mdp.n_transitions()).map(|transition| prices.log_step(0, transition)).collect();
        let weights: Vec<f64> = log.iter().map(|log| log.exp()).collect();
        let sums = EliminationSums::new(&self.elimination, &weights)
            .map_err(|unsolved| unsolved.or(|diverges| divergence(mdp, &log, diverges.state, diverges.loops)))?;
        Ok(Solved { log, solution: (weights, sums) })
    }

    /// The expected features of each stretch.
    ///
    /// # Errors
    /// As [`expect`](Self::expect).
    pub fn features(&self, mdp: &Mdp, features: &Features, prices: &Prices<'_>) -> Result<Vec<Vec<f64>>, Error> {
        let solved = self.solve(mdp, prices)?;
        let mut found = vec![Vec::new(); self.stretches.len()];
        let pairs: Vec<[usize; 2]> = self.pairs.iter().map(|pair| pair.0).collect();
        match expected_between(mdp, features, &self.elimination, &solved.solution, &pairs, &self.limit) {
            Ok(means) => {
                for ((mut mean, &number), [first, _]) in means.into_iter().zip(&self.of_pair).zip(pairs) {
                    // The first state belongs to what was seen.
                    features.blocks()[0].row(first).for_each(|(k, value)| mean[k] -= value);
                    found[number] = mean;
                }
            }
            Err(Error::NoSum { .. }) => {}
            Err(error) => return Err(error),
        }
        let left: Vec<usize> = (0..found.len()).filter(|&number| found[number].is_empty()).collect();
        let of_stretch = |number: usize| {
            Cancel::check()?;
            let mut phi = Phi::new(mdp, features);
            self.passage(mdp, prices, &solved.log, number)?.forward(1.0, &mut phi);
            Ok((number, phi.sum))
        };
        let rest: Vec<Result<_, Error>> = parallel::map(left, of_stretch);
        for answer in rest {
            let (number, phi) = answer?;
            found[number] = phi;
        }
        Ok(found)
    }

    /// What the paths of each stretch do, in sinks of their own.
    ///
    /// # Errors
    /// As [`expect`](Self::expect).
    pub fn by_stretch<S: Sink + Send>(
        &self,
        mdp: &Mdp,
        prices: &Prices<'_>,
        new: impl Fn() -> S + Sync + Send,
    ) -> Result<Vec<S>, Error> {
        let Solved { log, .. } = self.solve(mdp, prices)?;
        let of_stretch = |number: usize| {
            Cancel::check()?;
            let mut sink = new();
            self.passage(mdp, prices, &log, number)?.forward(1.0, &mut sink);
            Ok(sink)
        };
        parallel::map(0..self.stretches.len(), of_stretch).into_iter().collect()
    }

    /// The backward pass over one stretch.
    fn passage<'s>(&'s self, mdp: &'s Mdp, prices: &Prices<'_>, log: &'s [f64], number: usize) -> Result<Passage<'s>, Error> {
        let OpenStretch { from, chain, ends, .. } = &self.stretches[number];
        Passage::new(&self.elimination, mdp, prices, log, &self.sights, self.paths, *from, chain, *ends)
    }
}

/// The ends of a stretch of which nothing else is known.
fn plain_pair(stretch: &OpenStretch, sights: &Sights) -> Option<[usize; 2]> {
    let OpenStretch { from: Some(from), chain, ends: false, .. } = stretch else { return None };
    let [(true, to, _)] = chain.rest[..] else { return None };
    (sights.is_unseen(chain.first.1)).then_some([*from, sights.exactly(to)?])
}
