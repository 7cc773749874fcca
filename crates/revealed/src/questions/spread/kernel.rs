//! One step of the forward message, chunk by chunk.

use multiversion::multiversion;

use crate::engine::messages::{At, neighbour_sum};
use crate::engine::network::{LANES, Slices};
use crate::engine::number::{Extremes, Number, Plain, Range, Wide};
use crate::numeric::scaled::Scaled;

/// What one step reads.
pub(super) struct SpreadStep<'a, W, E> {
    pub parents: &'a Slices,
    /// m_t of each slot.
    pub edges: W,
    /// e^{γ^t R(s')} of each place.
    pub states: E,
    /// x_t.
    pub before: &'a [f64],
    /// The first slice whose states may end paths of t + 1 states.
    pub ending: usize,
}

/// x_{t+1}(s') = `base` + e^{γ^t R(s')} Σ_{(s,a)} m_t(s,a,s') x_t(s) for one chunk (eq:alpha-recurrence). The result is
/// also added to `total` for slices where paths may end.
#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
pub(super) fn chunk_step<N: Number, W: At<N>, E: At<N>>(
    step: &SpreadStep<'_, W, E>,
    first: usize,
    base: &[f64],
    after: &mut [f64],
    total: &mut [f64],
) -> Range {
    let block = LANES * N::WIDTH;
    let mut watch = Extremes::NOTHING;
    for (offset, after) in after.chunks_exact_mut(block).enumerate() {
        let slice = first + offset;
        let sum = neighbour_sum::<N, W>(step.parents, slice, step.edges, step.before);
        let mut value = N::normalise(N::mul(step.states.at(slice), N::normalise(sum)));
        if !base.is_empty() {
            value = N::normalise(N::add(N::load(&base[offset * block..][..block]), value));
        }
        N::store(value, after);
        N::watch(value, &mut watch);
        watch.compare(after, &step.before[slice * block..][..block]);
        if !total.is_empty() && slice >= step.ending {
            let total = &mut total[offset * block..][..block];
            N::store(N::normalise(N::add(N::load(total), value)), total);
        }
    }
    watch.range()
}

/// Σ of numbers times their shares and a scale.
#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
pub(super) fn dot<N: Number>(x: &[f64], shares: &[f64], scale: Scaled) -> f64 {
    let mut sum = [0.0; LANES];
    for (x, shares) in x.chunks_exact(LANES * N::WIDTH).zip(shares.chunks_exact(LANES * Wide::WIDTH)) {
        let share = Wide::mul(Wide::splat(scale), Wide::load(shares));
        sum = Plain::add(sum, Wide::to_f64(Wide::mul(N::widened(N::load(x)), share)));
    }
    sum.iter().sum()
}
