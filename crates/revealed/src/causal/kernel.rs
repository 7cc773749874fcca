//! The kernel of the causal model: one step of the soft Bellman recursion, of its derivative, and of the visits.
//!
//! Every entry is computed by itself in a fixed order, so any number of threads gives the same bits.

use std::ops::Range;

use multiversion::multiversion;

use super::layout::{ChoiceLayout, Columns};
use crate::engine::network::LANES;
use crate::engine::number::{Lanes, Number, Plain, eight};
use crate::numeric::scaled::{exp_bounded, ln_positive};

/// The number of slices that a thread takes at once.
const CHUNK: usize = 512;
/// The number of slices that one loop handles before the next.
const TILE: usize = 16;
/// With fewer slots than this, one thread is faster than several.
const WORTH_SHARING: usize = 32_768;

/// Whether several threads make a step faster.
pub(crate) fn worth_sharing(layout: &ChoiceLayout) -> bool {
    layout.outcomes.source.len() * LANES >= WORTH_SHARING
}

/// What the recursion reads at every time.
#[derive(Debug)]
pub(crate) struct Backup<'a> {
    pub layout: &'a ChoiceLayout,
    /// log π0(a|s) + Σ_s' T(s'|s,a) (R(s,a) + R(s,a,s')) of each slot; -∞ for padding.
    pub constant: &'a [f64],
    /// R(s) of each place.
    pub reward: &'a [f64],
    /// log stop_t(s) of each place: 0 or -∞.
    pub stop: &'a [f64],
    /// γ.
    pub discount: f64,
    /// Whether no state may end an episode early, and from every state an episode can end as it should: then no number
    /// is infinite.
    pub is_simple: bool,
    /// Whether to divide the work among threads.
    pub share: bool,
}

impl Backup<'_> {
    /// Writes V_t of the states with choices, and π_t of their choices, from V_{t+1}.
    pub fn step(&self, next: &[f64], value: &mut [f64], policy: &mut [f64]) {
        let inner = self.layout.inner_slices;
        let policy = &mut policy[..self.layout.n_slots()];
        by_slices(self.share, self.layout, 0..inner, &mut value[..inner * LANES], policy, &|slices, value, policy| {
            backup_chunk(self, slices, next, value, policy);
        });
    }

    /// log π0(a|s) + Q_t(s,a) of one choice.
    pub fn of_choice(&self, slot: usize, next: &[f64]) -> f64 {
        self.constant[slot] + discounted(self.discount, self.layout.expected(slot, next))
    }
}

/// γ V, where no discount saves from -∞.
#[inline(always)]
fn discounted(discount: f64, value: f64) -> f64 {
    if value == f64::NEG_INFINITY { value } else { discount * value }
}

/// Runs `chunk` for parts of the slices, with the places and the slots that belong to them.
fn by_slices(
    share: bool,
    layout: &ChoiceLayout,
    slices: Range<usize>,
    of_place: &mut [f64],
    of_slot: &mut [f64],
    chunk: &(dyn Fn(Range<usize>, &mut [f64], &mut [f64]) + Sync),
) {
    if !share || slices.len() <= CHUNK {
        return chunk(slices, of_place, of_slot);
    }
    let middle = slices.start + (slices.len() / 2).next_multiple_of(CHUNK);
    let slots = (layout.first_block[middle] - layout.first_block[slices.start]) as usize * LANES;
    let (low_places, high_places) = of_place.split_at_mut(((middle - slices.start) * LANES).min(of_place.len()));
    let (low_slots, high_slots) = of_slot.split_at_mut(slots);
    rayon::join(
        || by_slices(share, layout, slices.start..middle, low_places, low_slots, chunk),
        || by_slices(share, layout, middle..slices.end, high_places, high_slots, chunk),
    );
}

/// Σ p · x over the columns of one row group.
#[inline(always)]
fn sum<const CERTAIN: bool>(columns: &Columns, group: usize, x: &[f64]) -> Lanes {
    let range = columns.first[group] as usize..columns.first[group + 1] as usize;
    let mut sum = [0.0; LANES];
    if CERTAIN {
        for source in &columns.source[range] {
            sum = Plain::add(sum, Plain::gather(x, source));
        }
    } else {
        for (source, p) in columns.source[range.clone()].iter().zip(&columns.probability[range]) {
            sum = Plain::add(sum, Plain::mul(*p, Plain::gather(x, source)));
        }
    }
    sum
}

#[inline(always)]
fn larger(a: Lanes, b: Lanes) -> Lanes {
    eight(|lane| if a[lane] > b[lane] { a[lane] } else { b[lane] })
}

#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
fn backup_chunk(step: &Backup<'_>, slices: Range<usize>, next: &[f64], value: &mut [f64], policy: &mut [f64]) {
    // Kinds of problems as types, so that the loops have no branch.
    match (step.layout.outcomes.probability.is_empty(), step.is_simple) {
        (true, true) => backup_slices::<true, true>(step, slices, next, value, policy),
        (true, false) => backup_slices::<true, false>(step, slices, next, value, policy),
        (false, true) => backup_slices::<false, true>(step, slices, next, value, policy),
        (false, false) => backup_slices::<false, false>(step, slices, next, value, policy),
    }
}

/// The slices are processed in tiles, each in three loops: sums over outcomes, exponentials, and logarithms. Each loop
/// has independent iterations, so that the processor can overlap them.
#[inline(always)]
fn backup_slices<const CERTAIN: bool, const SIMPLE: bool>(
    step: &Backup<'_>,
    slices: Range<usize>,
    next: &[f64],
    value: &mut [f64],
    policy: &mut [f64],
) {
    let layout = step.layout;
    let first = layout.first_block[slices.start] as usize;
    let policy = policy.as_chunks_mut::<LANES>().0;
    let value = value.as_chunks_mut::<LANES>().0;
    let constant = step.constant.as_chunks::<LANES>().0;
    let blocks = |slice: usize| layout.first_block[slice] as usize - first..layout.first_block[slice + 1] as usize - first;
    let (mut shift, mut total) = ([[0.0; LANES]; TILE], [[0.0; LANES]; TILE]);
    let mut start = slices.start;
    while start < slices.end {
        let tile = start..slices.end.min(start + TILE);
        for (slice, shift) in tile.clone().zip(&mut shift) {
            let mut most = if SIMPLE { [f64::NEG_INFINITY; LANES] } else { Plain::read(step.stop, slice) };
            for block in blocks(slice) {
                let future = sum::<CERTAIN>(&layout.outcomes, first + block, next);
                let weight = match SIMPLE {
                    true => eight(|lane| constant[first + block][lane] + step.discount * future[lane]),
                    false => eight(|lane| constant[first + block][lane] + discounted(step.discount, future[lane])),
                };
                most = larger(most, weight);
                policy[block] = weight;
            }
            // Without any possible event, all weights are -∞, and any finite number will do.
            *shift = if SIMPLE { most } else { eight(|lane| if most[lane] == f64::NEG_INFINITY { 0.0 } else { most[lane] }) };
        }
        for ((slice, shift), total) in tile.clone().zip(&shift).zip(&mut total) {
            *total = match SIMPLE {
                true => [0.0; LANES],
                false => {
                    let stop = Plain::read(step.stop, slice);
                    eight(|lane| exp_bounded(stop[lane] - shift[lane]))
                }
            };
            for block in blocks(slice) {
                let weight = policy[block];
                let weight = eight(|lane| exp_bounded(weight[lane] - shift[lane]));
                policy[block] = weight;
                *total = Plain::add(*total, weight);
            }
        }
        for ((slice, shift), total) in tile.clone().zip(&shift).zip(&total) {
            let share = match SIMPLE {
                true => eight(|lane| 1.0 / total[lane]),
                false => eight(|lane| if total[lane] > 0.0 { 1.0 / total[lane] } else { 0.0 }),
            };
            for block in blocks(slice) {
                policy[block] = Plain::mul(policy[block], share);
            }
            let reward = Plain::read(step.reward, slice);
            value[slice - slices.start] = eight(|lane| reward[lane] + (shift[lane] + ln_positive(total[lane])));
        }
        start = tile.end;
    }
}

/// Writes the flow through each choice: π(a|s) x(s).
pub(crate) fn flows(layout: &ChoiceLayout, share: bool, policy: &[f64], x: &[f64], flow: &mut [f64]) {
    let inner = layout.inner_slices;
    let flow = &mut flow[..layout.n_slots()];
    by_slices(share, layout, 0..inner, &mut [], flow, &|slices, _, flow| flow_chunk(layout, slices, policy, x, flow));
}

#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
fn flow_chunk(layout: &ChoiceLayout, slices: Range<usize>, policy: &[f64], x: &[f64], flow: &mut [f64]) {
    let first = layout.first_block[slices.start] as usize;
    let policy = policy.as_chunks::<LANES>().0;
    let flow = flow.as_chunks_mut::<LANES>().0;
    for slice in slices {
        let blocks = layout.first_block[slice] as usize..layout.first_block[slice + 1] as usize;
        let x = Plain::read(x, slice);
        for block in blocks {
            flow[block - first] = Plain::mul(policy[block], x);
        }
    }
}

/// Writes factor · Σ T(s|s',a) flow(s',a) for every place.
pub(crate) fn arrivals(layout: &ChoiceLayout, share: bool, factor: f64, flow: &[f64], next: &mut [f64]) {
    let all = layout.n_places() / LANES;
    let next = &mut next[..all * LANES];
    by_places(share, 0..all, next, &|slices, next| arrival_chunk(&layout.parents, slices, factor, flow, next));
}

/// Runs `chunk` for parts of the slices.
fn by_places(share: bool, slices: Range<usize>, of_place: &mut [f64], chunk: &(dyn Fn(Range<usize>, &mut [f64]) + Sync)) {
    if !share || slices.len() <= CHUNK {
        return chunk(slices, of_place);
    }
    let middle = slices.start + (slices.len() / 2).next_multiple_of(CHUNK);
    let (low, high) = of_place.split_at_mut((middle - slices.start) * LANES);
    rayon::join(|| by_places(share, slices.start..middle, low, chunk), || by_places(share, middle..slices.end, high, chunk));
}

#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
fn arrival_chunk(parents: &Columns, slices: Range<usize>, factor: f64, flow: &[f64], next: &mut [f64]) {
    for (slice, next) in slices.zip(next.as_chunks_mut::<LANES>().0) {
        let arriving = match parents.probability.is_empty() {
            true => sum::<true>(parents, slice, flow),
            false => sum::<false>(parents, slice, flow),
        };
        *next = eight(|lane| factor * arriving[lane]);
    }
}

/// Writes factor · Σ_a π(a|s) Σ_s' T(s'|s,a) x(s') for every state with choices: the expectation one step ahead.
pub(crate) fn expectations(layout: &ChoiceLayout, share: bool, factor: f64, policy: &[f64], x: &[f64], out: &mut [f64]) {
    let inner = layout.inner_slices;
    by_places(share, 0..inner, &mut out[..inner * LANES], &|slices, out| {
        expectation_chunk(layout, slices, factor, policy, x, out);
    });
}

#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
fn expectation_chunk(layout: &ChoiceLayout, slices: Range<usize>, factor: f64, policy: &[f64], x: &[f64], out: &mut [f64]) {
    let policy = policy.as_chunks::<LANES>().0;
    let certain = layout.outcomes.probability.is_empty();
    for (slice, out) in slices.zip(out.as_chunks_mut::<LANES>().0) {
        let mut expected = [0.0; LANES];
        for block in layout.first_block[slice] as usize..layout.first_block[slice + 1] as usize {
            let future = match certain {
                true => sum::<true>(&layout.outcomes, block, x),
                false => sum::<false>(&layout.outcomes, block, x),
            };
            expected = Plain::add(expected, Plain::mul(policy[block], future));
        }
        *out = eight(|lane| factor * expected[lane]);
    }
}
