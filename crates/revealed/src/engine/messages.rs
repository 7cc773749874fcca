//! The kernel: one step of the backward and of the forward message.
//!
//! Time is t = 1..L as in the paper. The stored messages are b_t(s) = β_t(s) e^{-γ^{t-1} R(s)}, the weight of
//! everything that may follow s without the reward of s itself, and a_t(s) = α_t(s) / Z:
//!
//! ```text
//! b_t(s)      = stop_t(s) + Σ_{(a,s')} m_t(s,a,s') g_{t+1}(s')          (eq:beta-recurrence-padded)
//! g_t(s)      = e^{γ^{t-1} R(s)} b_t(s)
//! a_{t+1}(s') = e^{γ^t R(s')} Σ_{(s,a)} m_t(s,a,s') a_t(s)              (eq:alpha-recurrence)
//! p_t(s)      = a_t(s) b_t(s)                                           (eq:s-marginals-padded)
//! p_t(s,a,s') = a_t(s) m_t(s,a,s') g_{t+1}(s')                          (eq:sas-marginals-padded)
//! m_t(s,a,s') = T(s'|s,a) π0(a|s) e^{γ^{t-1} (R(s,a) + R(s,a,s'))}
//! ```
//!
//! Both steps are a sum over neighbours in a sliced table, for eight rows at a time. The rows are processed in chunks
//! that do not depend on the number of threads.

use multiversion::multiversion;

use crate::engine::network::{LANES, Network, Slices};
use crate::engine::number::{Extremes, Number, Plain, Range, eight};
use crate::numeric::parallel;

/// The number of slices that a thread takes at once.
const CHUNK: usize = 512;
/// With fewer slots than this, one thread is faster than several.
const WORTH_SHARING: usize = 16 * CHUNK * LANES;

/// Whether several threads make a step over this network faster.
pub(crate) fn worth_sharing(network: &Network) -> bool {
    network.children.n_slots().max(network.parents.n_slots()) >= WORTH_SHARING
}

/// A factor of each slot or row: base · e^{γ^{t-1} reward}.
#[derive(Debug, Default)]
pub(crate) struct EdgeFactor {
    /// Whether it is 1 in every slot that is not padding. (Padding reads zeros.)
    pub is_one: bool,
    /// Blocks of numbers. If `reward` is empty, this is the whole factor.
    pub base: Vec<f64>,
    /// The exponent at γ^{t-1} = 1; empty if the factor does not change over time.
    pub reward: Vec<f64>,
}

/// How a step reads an [`EdgeFactor`], as a type, so that the loop has no branch.
pub(crate) trait At<N: Number>: Copy + Send + Sync {
    fn at(&self, block: usize) -> N::Eight;
}

/// 1 in every slot: deterministic transitions whose reward depends on the state only, as on roads. Nothing is read.
#[derive(Clone, Copy)]
pub(crate) struct Ones;

impl<N: Number> At<N> for Ones {
    #[inline(always)]
    fn at(&self, _block: usize) -> N::Eight {
        N::one()
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Fixed<'a>(&'a [f64]);

impl<N: Number> At<N> for Fixed<'_> {
    #[inline(always)]
    fn at(&self, block: usize) -> N::Eight {
        N::read(self.0, block)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Discounted<'a> {
    base: &'a [f64],
    reward: &'a [f64],
    discount: f64,
}

impl<N: Number> At<N> for Discounted<'_> {
    #[inline(always)]
    fn at(&self, block: usize) -> N::Eight {
        let reward = Plain::read(self.reward, block);
        N::mul(N::read(self.base, block), N::exp(eight(|lane| self.discount * reward[lane])))
    }
}

impl EdgeFactor {
    pub fn is_fixed(&self) -> bool {
        self.reward.is_empty()
    }

    pub fn fixed(&self) -> Fixed<'_> {
        Fixed(&self.base)
    }

    /// At γ^{t-1} = `discount`.
    pub fn discounted(&self, discount: f64) -> Discounted<'_> {
        Discounted { base: &self.base, reward: &self.reward, discount }
    }
}

/// Evaluates a body with the kinds of factors as types: edges at one discount, states at another.
macro_rules! with_factors {
    ($edges:expr, $edge_discount:expr, $states:expr, $state_discount:expr, |$e:ident, $s:ident| $body:expr) => {
        with_factors!(@ $e $s $body;
            $edges.is_one, $edges.is_fixed(), $states.is_fixed();
            $crate::engine::messages::Ones, $edges.fixed(), $edges.discounted($edge_discount);
            $states.fixed(), $states.discounted($state_discount))
    };
    (@ $e:ident $s:ident $body:expr; $one:expr, $fixed:expr, $states_fixed:expr;
        $ones:expr, $edges_fixed:expr, $edges_discounted:expr; $of_fixed:expr, $of_discounted:expr) => {
        match ($one, $fixed, $states_fixed) {
            (true, _, true) => with_factors!(@@ $e $s $body; $ones, $of_fixed),
            (true, _, false) => with_factors!(@@ $e $s $body; $ones, $of_discounted),
            (false, true, true) => with_factors!(@@ $e $s $body; $edges_fixed, $of_fixed),
            (false, true, false) => with_factors!(@@ $e $s $body; $edges_fixed, $of_discounted),
            (false, false, _) => with_factors!(@@ $e $s $body; $edges_discounted, $of_discounted),
        }
    };
    (@@ $e:ident $s:ident $body:expr; $edges:expr, $states:expr) => {{
        let ($e, $s) = ($edges, $states);
        $body
    }};
}
pub(crate) use with_factors;

/// Σ over the neighbours of the eight rows of a slice.
#[inline(always)]
pub(crate) fn neighbour_sum<N: Number, W: At<N>>(slices: &Slices, slice: usize, weight: W, vector: &[f64]) -> N::Eight {
    let columns = slices.first[slice] as usize..slices.first[slice + 1] as usize;
    let mut sum = N::zero();
    for (column, places) in columns.clone().zip(&slices.neighbour[columns]) {
        sum = N::add(sum, N::mul(weight.at(column), N::gather(vector, places)));
    }
    sum
}

/// What one backward step reads.
pub(crate) struct Backward<'a, N: Number, W, E> {
    pub children: &'a Slices,
    /// m_t of each slot.
    pub edges: W,
    /// e^{γ^{t-1} R(s)} of each place.
    pub states: E,
    /// g_{t+1}.
    pub after: &'a [f64],
    /// stop_t of states that have children.
    pub stop: N::Eight,
    /// The scale of t + 1 over the scale of t.
    pub ratio: f64,
    /// Whether to divide the work among threads.
    pub share: bool,
}

impl<N: Number, W: At<N>, E: At<N>> Backward<'_, N, W, E> {
    /// Writes b_t and g_t of the states that have children.
    pub fn step(&self, b: &mut [f64], g: &mut [f64]) -> Range {
        let block = CHUNK * LANES * N::WIDTH;
        if !self.share {
            return self.chunk(0, b, g);
        }
        let chunks = b.chunks_mut(block).zip(g.chunks_mut(block)).enumerate();
        let ranges = parallel::map(chunks, |(chunk, (b, g))| self.chunk(chunk * CHUNK, b, g));
        ranges.into_iter().fold(Range::NOTHING, Range::join)
    }

    fn chunk(&self, first: usize, b: &mut [f64], g: &mut [f64]) -> Range {
        backward_chunk(self, first, b, g)
    }
}

#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
fn backward_chunk<N: Number, W: At<N>, E: At<N>>(
    step: &Backward<'_, N, W, E>,
    first: usize,
    b: &mut [f64],
    g: &mut [f64],
) -> Range {
    let block = LANES * N::WIDTH;
    let mut watch = Extremes::NOTHING;
    let after = step.after[first * block..].chunks_exact(block);
    let rows = b.chunks_exact_mut(block).zip(g.chunks_exact_mut(block)).zip(after);
    for (offset, ((b, g), after)) in rows.enumerate() {
        let slice = first + offset;
        let sum = neighbour_sum::<N, W>(step.children, slice, step.edges, step.after);
        let value = N::normalise(N::add(step.stop, N::rescale(sum, step.ratio)));
        N::watch(value, &mut watch);
        N::store(value, b);
        N::store(N::normalise(N::mul(step.states.at(slice), value)), g);
        watch.compare(g, after);
    }
    watch.range()
}

/// What one forward step reads.
pub(crate) struct Forward<'a, W, E> {
    pub parents: &'a Slices,
    /// m_t of each slot.
    pub edges: W,
    /// e^{γ^t R(s')} of each place.
    pub states: E,
    /// a_t.
    pub before: &'a [f64],
    /// b_{t+1}.
    pub b: &'a [f64],
    /// The scale of t + 1 over the scale of t.
    pub ratio: f64,
    /// γ^t: the weight of p_{t+1}(s').
    pub state_weight: f64,
    /// γ^{t-1}: the weight of p_t(s, a, s').
    pub edge_weight: f64,
    /// Whether to divide the work among threads.
    pub share: bool,
}

/// What one forward step writes.
pub(crate) struct Visits<'a> {
    /// a_{t+1}.
    pub after: &'a mut [f64],
    /// Σ γ^{t-1} p_t(s) by places.
    pub state: &'a mut [f64],
    /// Σ γ^{t-1} p_t(s, a, s') by slots; empty if it is not needed.
    pub edge: &'a mut [f64],
}

impl<'a, W, E> Forward<'a, W, E> {
    /// Writes a_{t+1} and adds to the visits. Returns Σ_s p_{t+1}(s) = P(length > t).
    pub fn step<N: Number>(&self, visits: Visits<'_>) -> f64
    where
        W: At<N>,
        E: At<N>,
    {
        let Visits { after, state, edge } = visits;
        if !self.share {
            return forward_chunk::<N, W, E>(self, 0, after, state, edge);
        }
        let block = CHUNK * LANES * N::WIDTH;
        let chunks = after.chunks_mut(block).zip(state.chunks_mut(CHUNK * LANES)).zip(self.edge_chunks(edge)).enumerate();
        let masses = parallel::map(chunks, |(chunk, ((after, state), edge))| {
            forward_chunk::<N, W, E>(self, chunk * CHUNK, after, state, edge)
        });
        masses.iter().sum()
    }

    /// Divides the slots of the edges into the same chunks as the rows.
    fn edge_chunks<'e>(&self, mut edge: &'e mut [f64]) -> Vec<&'e mut [f64]> {
        let first = &self.parents.first;
        let bounds = (0..self.parents.len()).step_by(CHUNK);
        bounds
            .map(|start| {
                let end = (start + CHUNK).min(self.parents.len());
                let slots = if edge.is_empty() { 0 } else { (first[end] - first[start]) as usize * LANES };
                edge.split_off_mut(..slots).expect("the slots of a chunk")
            })
            .collect()
    }
}

#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
fn forward_chunk<N: Number, W: At<N>, E: At<N>>(
    step: &Forward<'_, W, E>,
    first: usize,
    after: &mut [f64],
    state: &mut [f64],
    edge: &mut [f64],
) -> f64 {
    let mut mass = [0.0; LANES];
    let first_column = step.parents.first[first] as usize;
    let rows = after.chunks_exact_mut(LANES * N::WIDTH).zip(state.chunks_exact_mut(LANES));
    for (offset, (after, state)) in rows.enumerate() {
        let slice = first + offset;
        let b = N::read(step.b, slice);
        let factor = step.states.at(slice);
        let sum = neighbour_sum::<N, W>(step.parents, slice, step.edges, step.before);
        // Zero where no continuation leads to an end: otherwise the weight of such a path might grow without bound.
        let value = N::where_alive(N::normalise(N::rescale(N::mul(factor, sum), step.ratio)), b);
        N::store(value, after);
        let p = N::to_f64(N::mul(value, b));
        for lane in 0..LANES {
            mass[lane] += p[lane];
            state[lane] += step.state_weight * p[lane];
        }
        if !edge.is_empty() {
            let g = N::normalise(N::rescale(N::mul(factor, b), step.ratio));
            edge_visits::<N, W, E>(step, slice, first_column, g, edge);
        }
    }
    mass.iter().sum()
}

/// Adds γ^{t-1} p_t(s, a, s') = γ^{t-1} a_t(s) m_t(s, a, s') g_{t+1}(s') to the slots of a slice.
#[inline(always)]
fn edge_visits<N: Number, W: At<N>, E>(
    step: &Forward<'_, W, E>,
    slice: usize,
    first_column: usize,
    g: N::Eight,
    edge: &mut [f64],
) {
    let columns = step.parents.first[slice] as usize..step.parents.first[slice + 1] as usize;
    for (column, places) in columns.clone().zip(&step.parents.neighbour[columns]) {
        let term = N::mul(step.edges.at(column), N::gather(step.before, places));
        let p = N::to_f64(N::normalise(N::mul(N::normalise(term), g)));
        let visits = &mut edge[(column - first_column) * LANES..][..LANES];
        for lane in 0..LANES {
            visits[lane] += step.edge_weight * p[lane];
        }
    }
}
