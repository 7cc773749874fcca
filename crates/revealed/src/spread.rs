//! α alone: the weight of all that leads from somewhere to each state.
//!
//! Nothing is known of what comes after, so no probability bounds these numbers, and they are wide ones.

use std::sync::Arc;

use multiversion::multiversion;
use rayon::prelude::*;

use crate::inference::{Inference, pool};
use crate::messages::{At, neighbour_sum, with_factors};
use crate::network::{LANES, PADDING, Slices};
use crate::number::{Number, Wide};
use crate::scaled::Scaled;
use crate::weights::{Weights, padded_zeros};
use crate::{Error, Options, PathModel};

/// Slices handed to a thread at once. Fewer than in the other passes: most of a network is not reached yet when a path begins.
const CHUNK: usize = 128;
/// Floats of a chunk.
const CHUNK_LEN: usize = CHUNK * LANES * Wide::WIDTH;

/// The forward message (eq:alpha-basecase, eq:alpha-recurrence) from any state at any time, for one model.
///
/// Made once, it answers for many beginnings; the arrays are used again.
///
/// ```
/// use revealed::{Ends, Options, PathModel, Spread, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let model = PathModel::new(&lake.mdp, reward.clone(), 20, Ends::Anywhere)?;
/// let mut spread = Spread::new(&model, &Options::default())?;
/// let total: revealed::Scaled = spread.endings(&[(0, 1.0)], 1)?.into_iter().sum();
/// let paths = model.distribution(vec![(0, 1.0)], None, &Options::default())?;
/// assert!((total.ln() - paths.log_partition()).abs() < 1e-12);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Spread<'a> {
    model: PathModel<'a>,
    weights: Weights,
    /// α_t and α_{t+1}, by places.
    a: [Vec<f64>; 2],
    /// Σ_t α_t where paths may end.
    total: Vec<f64>,
    /// Whether a chunk of `a` has anything in it.
    reached: [Vec<bool>; 2],
    /// The chunks that hold the parents of each chunk.
    feeders: Vec<Vec<u32>>,
    pool: Option<rayon::ThreadPool>,
}

impl<'a> Spread<'a> {
    /// Prepares for one model. Threads are taken from the options.
    ///
    /// # Errors
    /// If the threads cannot be had.
    pub fn new(model: &PathModel<'a>, options: &Options) -> Result<Self, Error> {
        let mdp = model.mdp();
        let network = Inference::network(mdp, !model.reward().transition.is_empty());
        let mut weights = Weights::new(Arc::clone(&network), mdp.discount());
        weights.fill::<Wide>(mdp, model.reward());
        let vector = padded_zeros::<Wide>(&network);
        let feeders = feeders(&network.parents);
        Ok(Spread {
            model: model.clone(),
            weights,
            total: vector[..network.n_places() * Wide::WIDTH].to_vec(),
            a: [vector.clone(), vector],
            reached: [vec![false; feeders.len()], vec![false; feeders.len()]],
            feeders,
            pool: options.threads.map(pool).transpose()?,
        })
    }

    /// The model that it was made for.
    pub fn model(&self) -> &PathModel<'a> {
        &self.model
    }

    /// For each state G, Σ f(s) q(τ) e^{R(τ)} over the paths τ of the model from the states of `start` at time `t` to G, within
    /// the model's horizon. `start` has (s, f(s)); what was paid before `t` is not counted, the discount is that of `t`. Where no
    /// path ends, it is zero.
    ///
    /// With [`Ends::Goal`](crate::Ends::Goal) any state is taken for a goal.
    ///
    /// # Errors
    /// If a state does not exist, or `t` is not in 1..L.
    pub fn endings(&mut self, start: &[(usize, f64)], t: usize) -> Result<Vec<Scaled>, Error> {
        self.run(start, t, &mut |_, _| ())?;
        let place_of = &self.weights.network.place_of_state;
        Ok(place_of.iter().map(|&place| Wide::get(&self.total, place as usize)).collect())
    }

    /// The same by lengths: at `[l - t]` the weight of the paths whose last state has time l, of those that end in `to` if it
    /// is given.
    ///
    /// # Errors
    /// As [`endings`](Self::endings), and if no path of the model ends in `to`.
    pub fn lengths(&mut self, start: &[(usize, f64)], t: usize, to: Option<usize>) -> Result<Vec<Scaled>, Error> {
        let mut lengths = Vec::new();
        if let Some(to) = to {
            let (stop, is_terminal) = (self.model.stop(Some(to))?, self.model.mdp().is_terminal(to));
            let (place, horizon) = (self.weights.network.place_of_state[to] as usize, self.model.horizon());
            self.run(start, t, &mut |t, a| {
                let ends = stop.allows(is_terminal, to, t, horizon);
                lengths.push(if ends { Wide::get(a, place) } else { Scaled::ZERO });
            })?;
        } else {
            let blocks = |ends: bool| if ends { 0 } else { self.weights.network.inner_slices };
            let inner: Vec<usize> = (0..=self.model.horizon()).map(|t| blocks(self.inner_ends(t))).collect();
            let len = self.total.len();
            self.run(start, t, &mut |t, a| lengths.push(sum(&a[inner[t] * LANES * Wide::WIDTH..len])))?;
        }
        Ok(lengths)
    }

    /// Whether a path of t states may end in a state that is not terminal.
    fn inner_ends(&self, t: usize) -> bool {
        use crate::Ends::{Anywhere, Goal, Horizon, Terminal};
        match self.model.ends() {
            Anywhere | Goal => true,
            Horizon => t == self.model.horizon(),
            Terminal => false,
        }
    }

    /// Shows α_t, α_{t+1}, …, α_L by places, and adds up what ends.
    fn run(&mut self, start: &[(usize, f64)], t: usize, visit: &mut (dyn FnMut(usize, &[f64]) + Send)) -> Result<(), Error> {
        let horizon = self.model.horizon();
        if t < 1 || t > horizon {
            return Err(Error::Count { what: "t", value: t, least: 1, most: horizon });
        }
        crate::distribution::check_start(self.model.mdp(), start)?;
        let pool = self.pool.take();
        match &pool {
            Some(pool) if self.weights.share => pool.install(|| self.passes(start, t, visit)),
            _ => self.passes(start, t, visit),
        }
        self.pool = pool;
        Ok(())
    }

    fn passes(&mut self, start: &[(usize, f64)], first: usize, visit: &mut (dyn FnMut(usize, &[f64]) + Send)) {
        for vector in self.a.iter_mut().chain([&mut self.total]) {
            vector.chunks_exact_mut(LANES * Wide::WIDTH).for_each(|block| Wide::store(Wide::zero(), block));
        }
        self.reached.iter_mut().for_each(|reached| reached.fill(false));
        for &(state, p) in start.iter().filter(|row| row.1 > 0.0) {
            let place = self.weights.network.place_of_state[state] as usize;
            let value = Scaled::from(p) * self.weights.of_state(first, place);
            Wide::set(&mut self.a[0], place, value);
            self.reached[0][place / (CHUNK * LANES)] = true;
            if self.model.may_end(state, first) {
                Wide::set(&mut self.total, place, value);
            }
        }
        visit(first, &self.a[0]);
        for t in first..self.model.horizon() {
            self.step(t);
            visit(t + 1, &self.a[0]);
        }
    }

    /// From α_t to α_{t+1}.
    fn step(&mut self, t: usize) {
        let inner_ends = self.inner_ends(t + 1);
        let Spread { weights, a, total, reached, feeders, .. } = self;
        let network = &weights.network;
        let [before, after] = a;
        let [reached_before, reached_after] = reached;
        let to_do = |chunk: usize| feeders[chunk].iter().any(|&feeder| reached_before[feeder as usize]);
        // The slices from here on hold states where a path may end.
        let ending = if inner_ends { 0 } else { network.inner_slices };
        let (now, next) = (weights.power(t - 1), weights.power(t));
        let n = total.len();
        with_factors!(weights.of_parents, now, weights.of_states, next, |edges, states| {
            let step = Step { parents: &network.parents, edges, states, before, ending };
            let one = |chunk: usize, after: &mut [f64], total: &mut [f64], reached: &mut bool| {
                if to_do(chunk) {
                    *reached = true;
                    chunk_step(&step, chunk * CHUNK, after, total);
                } else if std::mem::replace(reached, false) {
                    after.chunks_exact_mut(LANES * Wide::WIDTH).for_each(|block| Wide::store(Wide::zero(), block));
                }
            };
            let after = &mut after[..n];
            if weights.share {
                let chunks = after.par_chunks_mut(CHUNK_LEN).zip(total.par_chunks_mut(CHUNK_LEN)).zip(reached_after);
                chunks.enumerate().for_each(|(chunk, ((after, total), reached))| one(chunk, after, total, reached));
            } else {
                let chunks = after.chunks_mut(CHUNK_LEN).zip(total.chunks_mut(CHUNK_LEN)).zip(reached_after);
                chunks.enumerate().for_each(|(chunk, ((after, total), reached))| one(chunk, after, total, reached));
            }
        });
        self.a.swap(0, 1);
        self.reached.swap(0, 1);
    }
}

/// What one step reads.
struct Step<'a, W, E> {
    parents: &'a Slices,
    /// m_t of each slot.
    edges: W,
    /// e^{γ^t R(s')} of each place.
    states: E,
    /// α_t.
    before: &'a [f64],
    /// The first slice of those where paths of t + 1 states may end.
    ending: usize,
}

/// α_{t+1}(s') = e^{γ^t R(s')} Σ_{(s,a)} m_t(s,a,s') α_t(s) of one chunk (eq:alpha-recurrence), added to what ends.
#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
fn chunk_step<W: At<Wide>, E: At<Wide>>(step: &Step<'_, W, E>, first: usize, after: &mut [f64], total: &mut [f64]) {
    let block = LANES * Wide::WIDTH;
    for (offset, (after, total)) in after.chunks_exact_mut(block).zip(total.chunks_exact_mut(block)).enumerate() {
        let slice = first + offset;
        let sum = neighbour_sum::<Wide, W>(step.parents, slice, step.edges, step.before);
        let value = Wide::normalise(Wide::mul(step.states.at(slice), Wide::normalise(sum)));
        Wide::store(value, after);
        if slice >= step.ending {
            Wide::store(Wide::normalise(Wide::add(Wide::load(total), value)), total);
        }
    }
}

/// Σ of a vector, in its order.
fn sum(vector: &[f64]) -> Scaled {
    let block = LANES * Wide::WIDTH;
    let mut lanes = Wide::zero();
    for part in vector.chunks_exact(block) {
        lanes = Wide::normalise(Wide::add(lanes, Wide::load(part)));
    }
    let mut stored = [0.0; LANES * Wide::WIDTH];
    Wide::store(lanes, &mut stored);
    (0..LANES).map(|lane| Wide::get(&stored, lane)).sum()
}

/// For each chunk of rows, the chunks that its parents are in.
fn feeders(parents: &Slices) -> Vec<Vec<u32>> {
    let slices: Vec<usize> = (0..parents.len()).collect();
    let of_chunk = |slices: &[usize]| {
        let columns = parents.first[slices[0]] as usize..parents.first[slices[slices.len() - 1] + 1] as usize;
        let slots = columns.clone().flat_map(|column| (0..LANES).map(move |lane| (column, lane)));
        let real = slots.filter(|&(column, lane)| parents.edge[column * LANES + lane] != PADDING);
        let mut chunks: Vec<u32> =
            real.map(|(column, lane)| parents.neighbour[column][lane] / (CHUNK * LANES) as u32).collect();
        chunks.sort_unstable();
        chunks.dedup();
        chunks
    };
    slices.chunks(CHUNK).map(of_chunk).collect()
}
