//! One forward pass, step by step, in plain or wide numbers.

use std::marker::PhantomData;
use std::sync::Arc;

use super::feeders::{CHUNK, Feeders};
use super::kernel::{SpreadStep, chunk_step, dot};
use crate::engine::messages::with_factors;
use crate::engine::network::{LANES, Network};
use crate::engine::number::{Number, Plain, Range, Wide};
use crate::engine::weights::{Weights, padded_zeros};
use crate::model::PathModel;
use crate::numeric::parallel;
use crate::numeric::scaled::Scaled;

/// Plain numbers start with the largest weight at 2^BEGIN, because weights of paths shrink more often than they grow.
const BEGIN: f64 = 600.0;
/// The range of plain numbers, as powers of two: within it, no product of two of them and a factor is subnormal.
const LEAST: f64 = -1000.0;
const MOST: f64 = 900.0;
/// The widest range of factors that plain numbers support, as a power of two.
const WIDEST: f64 = 900.0;

/// What a pass computes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum WantedMessages {
    /// α_t at each t.
    Messages,
    /// Σ_t α_t, as the stored vector itself: x_{t+1} = α_1 + M x_t. This is valid if M does not change over time, and
    /// saves an array.
    Sum,
    /// Σ_t α_t where paths of t states may end, in addition to α_t.
    Endings,
}

/// x_t by places, and the state of the pass.
#[derive(Debug)]
pub(super) struct Pass<N> {
    weights: Weights,
    /// x_t and x_{t+1}.
    x: [Vec<f64>; 2],
    /// The weight of the paths that ended so far, for [`WantedMessages::Endings`].
    total: Vec<f64>,
    /// Whether a chunk may differ from the step before, or, if M changes over time, whether it was reached.
    live: [Vec<bool>; 2],
    /// The smallest and the largest number of each chunk.
    range: Vec<Range>,
    /// α_1 of the chunks in which paths begin; empty for the others.
    base: Vec<Vec<f64>>,
    /// log2 of the factor by which the stored numbers are too large.
    scale: f64,
    number: PhantomData<N>,
}

impl<N: Number> Pass<N> {
    pub fn new(network: &Arc<Network>, model: &PathModel<'_>, feeders: &Feeders) -> Self {
        let mut weights = Weights::new(Arc::clone(network), model.mdp().discount());
        weights.fill::<N>(model.mdp(), model.reward());
        let vector = padded_zeros::<N>(network);
        let chunks = feeders.of_chunk.len();
        Pass {
            weights,
            total: vector[..network.n_places() * N::WIDTH].to_vec(),
            x: [vector.clone(), vector],
            live: [vec![false; chunks], vec![false; chunks]],
            range: vec![Range::NOTHING; chunks],
            base: vec![Vec::new(); chunks],
            scale: 0.0,
            number: PhantomData,
        }
    }

    /// Whether to divide a step among threads.
    pub fn share(&self) -> bool {
        self.weights.share
    }

    /// Whether M is the same at every time.
    pub fn is_fixed(&self) -> bool {
        self.weights.of_parents.is_fixed() && self.weights.of_states.is_fixed()
    }

    /// f(s) e^{γ^{t-1} R(s)} by places.
    pub fn sources(&self, start: &[(usize, f64)], t: usize) -> Vec<(usize, Scaled)> {
        let place = |state: usize| self.weights.network.place_of_state[state] as usize;
        let source = |&(state, p): &(usize, f64)| (place(state), Scaled::from(p) * self.weights.of_state(t, place(state)));
        start.iter().filter(|row| row.1 > 0.0).map(source).collect()
    }

    /// Sets x_t to `sources`. `ends` says in which places paths may end at t.
    pub fn begin(&mut self, sources: &[(usize, Scaled)], scale: f64, ends: impl Fn(usize) -> bool) {
        let block = LANES * N::WIDTH;
        for vector in self.x.iter_mut().chain([&mut self.total]) {
            vector.chunks_exact_mut(block).for_each(|block| N::store(N::zero(), block));
        }
        self.live.iter_mut().for_each(|live| live.fill(false));
        self.range.fill(Range::NOTHING);
        self.base.iter_mut().for_each(Vec::clear);
        self.scale = scale;
        for &(place, source) in sources {
            let (chunk, value) = (place / (CHUNK * LANES), source * power(scale));
            N::set(&mut self.x[0], place, value);
            if ends(place) {
                N::set(&mut self.total, place, value);
            }
            self.live[0][chunk] = true;
            let seen = Range { least: value.to_f64(), most: value.to_f64(), changed: true };
            self.range[chunk] = self.range[chunk].join(seen);
        }
        for (chunk, base) in self.base.iter_mut().enumerate().filter(|&(chunk, _)| self.live[0][chunk]) {
            let end = ((chunk + 1) * CHUNK * block).min(self.total.len());
            base.extend_from_slice(&self.x[0][chunk * CHUNK * block..end]);
        }
    }

    /// From t to t + 1. Paths of t + 1 states may end from slice `ending` on.
    pub fn step(&mut self, feeders: &Feeders, t: usize, wanted: WantedMessages, first: bool, ending: usize) {
        // If M does not change, a chunk changes only if a chunk that it reads has changed.
        let settles = wanted != WantedMessages::Endings && self.is_fixed();
        let Pass { weights, x, total, live, range, base, .. } = self;
        let ([before, after], [live_before, live_after]) = (x, live);
        let (before, live_before) = (&before[..], &live_before[..]);
        let to_do = |chunk: usize, was_live: bool| {
            let fed = feeders.of_chunk[chunk].iter().any(|&feeder| live_before[feeder as usize]);
            fed || (first && live_before[chunk]) || (!settles && was_live)
        };
        let (len, n) = (CHUNK * LANES * N::WIDTH, total.len());
        let (now, next) = (weights.power(t - 1), weights.power(t));
        with_factors!(weights.of_parents, now, weights.of_states, next, |edges, states| {
            let step = SpreadStep { parents: &weights.network.parents, edges, states, before, ending };
            let one = |chunk: usize, part: Part<'_>| {
                if to_do(chunk, *part.live) {
                    let base = if wanted == WantedMessages::Sum { &part.base[..] } else { &[] };
                    let total = if wanted == WantedMessages::Endings { part.total } else { &mut [] };
                    *part.range = chunk_step::<N, _, _>(&step, chunk * CHUNK, base, part.after, total);
                    *part.live = !settles || part.range.changed;
                } else {
                    if live_before[chunk] && settles {
                        part.after.copy_from_slice(&before[chunk * len..][..part.after.len()]);
                    }
                    *part.live = false;
                }
            };
            let chunks = after[..n].chunks_mut(len).zip(total.chunks_mut(len)).zip(live_after).zip(range).zip(base);
            let parts = chunks.map(|((((after, total), live), range), base)| Part { after, total, live, range, base });
            if weights.share {
                parallel::for_each(parts.enumerate(), |(chunk, part)| one(chunk, part));
            } else {
                parts.enumerate().for_each(|(chunk, part)| one(chunk, part));
            }
        });
        self.x.swap(0, 1);
        self.live.swap(0, 1);
    }

    /// Whether another step could change a number.
    pub fn is_live(&self) -> bool {
        self.live[0].contains(&true)
    }

    /// x_t at a place.
    pub fn at(&self, place: usize) -> Scaled {
        N::get(&self.x[0], place) * power(-self.scale)
    }

    /// The weight of the paths that ended at a place.
    pub fn total(&self, place: usize) -> Scaled {
        N::get(&self.total, place) * power(-self.scale)
    }

    /// Σ of x_t over the slices from `slice` on, in order.
    pub fn sum(&self, slice: usize) -> Scaled {
        let block = LANES * N::WIDTH;
        let mut lanes = N::zero();
        for part in self.x[0][slice * block..self.total.len()].chunks_exact(block) {
            lanes = N::normalise(N::add(lanes, N::load(part)));
        }
        let mut stored = [0.0; 2 * LANES];
        N::store(lanes, &mut stored[..block]);
        (0..LANES).map(|lane| N::get(&stored, lane)).sum::<Scaled>() * power(-self.scale)
    }

    /// Σ of x_t over the slices from `slice` on, each number times its share. The result is a probability, so an `f64`
    /// holds it.
    pub fn dot(&self, slice: usize, shares: &[f64]) -> f64 {
        let (from, to) = (slice * LANES, self.total.len() / N::WIDTH);
        let (x, shares) = (&self.x[0][from * N::WIDTH..to * N::WIDTH], &shares[from * Wide::WIDTH..to * Wide::WIDTH]);
        dot::<N>(x, shares, power(-self.scale))
    }
}

impl Pass<Plain> {
    /// The scale at which plain numbers start; `None` if they do not suffice.
    pub fn scale_for(&self, sources: &[(usize, Scaled)]) -> Option<f64> {
        let exponents = || sources.iter().map(|source| source.1.exponent);
        let (least, most) = (exponents().fold(f64::INFINITY, f64::min), exponents().fold(f64::NEG_INFINITY, f64::max));
        let spans = [self.weights.edge_span, self.weights.state_span];
        let fits = most - least <= BEGIN - LEAST && spans.iter().all(|span| span.most - span.least <= WIDEST);
        fits.then_some(if sources.is_empty() { 0.0 } else { BEGIN - most })
    }

    /// Whether all numbers of the next step stay in the range of plain numbers, so that they are rounded as wide
    /// numbers would be.
    pub fn is_safe(&self, feeders: &Feeders) -> bool {
        let range = self.range.iter().copied().fold(Range::NOTHING, Range::join);
        let (edges, states) = (self.weights.edge_span, self.weights.state_span);
        let growth = (feeders.most_parents.max(1) as f64).log2() + edges.most + states.most;
        range.most == 0.0 || range.least.log2() + edges.least + states.least >= LEAST && range.most.log2() + growth <= MOST
    }
}

impl Pass<Wide> {
    /// Continues from the last step of plain numbers. These were rounded as wide numbers are, so the result is the same
    /// as with wide numbers from the start.
    pub fn take_over(&mut self, plain: &Pass<Plain>) {
        let to_wide = |from: &[f64], to: &mut [f64]| {
            for (place, _) in from.iter().enumerate() {
                Wide::set(to, place, Plain::get(from, place) * power(-plain.scale));
            }
        };
        for (from, to) in plain.x.iter().zip(&mut self.x) {
            to_wide(from, to);
        }
        to_wide(&plain.total, &mut self.total);
        for (from, to) in plain.base.iter().zip(&mut self.base) {
            to.clear();
            to.resize(from.len() * Wide::WIDTH, 0.0);
            to_wide(from, to);
        }
        self.live.clone_from(&plain.live);
        self.scale = 0.0;
    }
}

/// 2^exponent.
fn power(exponent: f64) -> Scaled {
    Scaled { mantissa: 1.0, exponent }
}

/// The parts of the arrays that one step changes in one chunk.
struct Part<'a> {
    after: &'a mut [f64],
    total: &'a mut [f64],
    live: &'a mut bool,
    range: &'a mut Range,
    base: &'a Vec<f64>,
}
