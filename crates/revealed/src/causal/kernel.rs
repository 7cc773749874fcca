//! The kernel of the causal model: one step of the soft Bellman recursion, of its derivative, and of the visits.
//!
//! Every entry is computed by itself in a fixed order, so any number of threads gives the same bits.

use std::ops::Range;

use multiversion::multiversion;

use super::layout::{ChoiceLayout, Columns};
use super::successors::Successors;
use crate::engine::network::LANES;
use crate::engine::number::{Lanes, Number, Plain, eight};
use crate::numeric::parallel;
use crate::numeric::scaled::{exp_of_negative, ln_positive};

/// The number of slices that a thread takes at once.
const CHUNK: usize = 512;
/// The number of slices that one loop handles before the next.
const TILE: usize = 16;
/// The blocks of a tile that need no memory of their own.
const TILE_BLOCKS: usize = 96;
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
        let blocks = &self.layout.first_block;
        by_slices(self.share, blocks, 0..inner, &mut value[..inner * LANES], policy, &|slices, value, policy| {
            backup_chunk(self, slices, next, value, policy);
        });
    }

    /// log π0(a|s) + Q_t(s,a) of one choice.
    pub fn of_choice(&self, slot: usize, next: &[f64]) -> f64 {
        match self.is_simple {
            true => self.constant[slot] + self.discount * self.layout.expected_finite(slot, next),
            false => self.constant[slot] + discounted(self.discount, self.layout.expected(slot, next)),
        }
    }
}

/// γ V, where no discount saves from -∞.
#[inline(always)]
fn discounted(discount: f64, value: f64) -> f64 {
    if value == f64::NEG_INFINITY { value } else { discount * value }
}

/// What is done for some slices: with their numbers by places, and by slots.
type SliceWork<'a> = dyn Fn(Range<usize>, &mut [f64], &mut [f64]) + Sync + 'a;

/// Runs `chunk` for parts of the slices, with the places and the slots that belong to them. Slice k has the blocks of
/// slots `first[k]..first[k + 1]`.
fn by_slices(
    share: bool,
    first: &[u32],
    slices: Range<usize>,
    of_place: &mut [f64],
    of_slot: &mut [f64],
    chunk: &SliceWork<'_>,
) {
    if !share || slices.len() <= CHUNK {
        return chunk(slices, of_place, of_slot);
    }
    let middle = slices.start + (slices.len() / 2).next_multiple_of(CHUNK);
    let slots = (first[middle] - first[slices.start]) as usize * LANES;
    let (low_places, high_places) = of_place.split_at_mut(((middle - slices.start) * LANES).min(of_place.len()));
    let (low_slots, high_slots) = of_slot.split_at_mut(slots);
    parallel::join(
        || by_slices(share, first, slices.start..middle, low_places, low_slots, chunk),
        || by_slices(share, first, middle..slices.end, high_places, high_slots, chunk),
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
            sum = add_product(*p, Plain::gather(x, source), sum);
        }
    }
    sum
}

/// a · b + c, rounded once. A processor without this operation computes the same bits, but slowly.
#[inline(always)]
fn add_product(a: Lanes, b: Lanes, c: Lanes) -> Lanes {
    eight(|lane| a[lane].mul_add(b[lane], c[lane]))
}

/// Σ_s' T(s'|s,a) x(s') of the N blocks of a slice, where each successor is read once. `x` is finite.
#[inline(always)]
fn products<const N: usize>(successors: &Successors, slice: usize, x: &[f64]) -> [Lanes; N] {
    let mut sums = [[0.0; LANES]; N];
    for (place, row) in successors.place[successors.columns(slice)].iter().zip(successors.rows::<N>(slice)) {
        let x = Plain::gather(x, place);
        for (sum, p) in sums.iter_mut().zip(row) {
            *sum = add_product(*p, x, *sum);
        }
    }
    sums
}

/// Calls `of_slice::<N>(..)` for the number of blocks of a slice.
macro_rules! by_blocks {
    ($n_blocks:expr, $of_slice:ident ( $($argument:expr),* )) => {
        match $n_blocks {
            1 => $of_slice::<1>($($argument),*),
            2 => $of_slice::<2>($($argument),*),
            3 => $of_slice::<3>($($argument),*),
            4 => $of_slice::<4>($($argument),*),
            5 => $of_slice::<5>($($argument),*),
            6 => $of_slice::<6>($($argument),*),
            n_blocks => unreachable!("{n_blocks} blocks in a slice with a matrix"),
        }
    };
}

#[inline(always)]
fn larger(a: Lanes, b: Lanes) -> Lanes {
    eight(|lane| if a[lane] > b[lane] { a[lane] } else { b[lane] })
}

#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
fn backup_chunk(step: &Backup<'_>, slices: Range<usize>, next: &[f64], value: &mut [f64], policy: &mut [f64]) {
    // Kinds of problems as types, so that the loops have no branch.
    match (step.layout.outcomes.probability.is_empty(), step.is_simple, &step.layout.successors) {
        (true, true, _) => backup_slices::<true>(step, slices, value, policy, sums::<true, true>(step, next)),
        (true, false, _) => backup_slices::<false>(step, slices, value, policy, sums::<true, false>(step, next)),
        (false, true, None) => backup_slices::<true>(step, slices, value, policy, sums::<false, true>(step, next)),
        (false, false, _) => backup_slices::<false>(step, slices, value, policy, sums::<false, false>(step, next)),
        (false, true, Some(successors)) => {
            let weigh = |slice: usize, weights: &mut [Lanes]| {
                by_blocks!(weights.len(), weights_of(step, successors, slice, next, weights))
            };
            backup_slices::<true>(step, slices, value, policy, weigh);
        }
    }
}

/// A function that writes log π0 + Q of the blocks of a slice, and returns their largest numbers.
#[inline(always)]
fn sums<'a, const CERTAIN: bool, const SIMPLE: bool>(
    step: &'a Backup<'_>,
    next: &'a [f64],
) -> impl Fn(usize, &mut [Lanes]) -> Lanes {
    let constant = step.constant.as_chunks::<LANES>().0;
    move |slice, weights| {
        let mut most = if SIMPLE { [f64::NEG_INFINITY; LANES] } else { Plain::read(step.stop, slice) };
        for (block, weight) in (step.layout.first_block[slice] as usize..).zip(weights) {
            let future = sum::<CERTAIN>(&step.layout.outcomes, block, next);
            *weight = match SIMPLE {
                true => eight(|lane| constant[block][lane] + step.discount * future[lane]),
                false => eight(|lane| constant[block][lane] + discounted(step.discount, future[lane])),
            };
            most = larger(most, *weight);
        }
        most
    }
}

/// The same for a slice with a matrix.
#[inline(always)]
fn weights_of<const N: usize>(
    step: &Backup<'_>,
    successors: &Successors,
    slice: usize,
    next: &[f64],
    weights: &mut [Lanes],
) -> Lanes {
    let futures = products::<N>(successors, slice, next);
    let constant = &step.constant.as_chunks::<LANES>().0[step.layout.first_block[slice] as usize..];
    let mut most = [f64::NEG_INFINITY; LANES];
    for ((weight, future), constant) in weights.iter_mut().zip(&futures).zip(constant) {
        *weight = eight(|lane| constant[lane] + step.discount * future[lane]);
        most = larger(most, *weight);
    }
    most
}

/// The slices are processed in tiles, each in three loops: sums over outcomes, exponentials, and logarithms. Each loop
/// has independent iterations, so that the processor can overlap them.
#[inline(always)]
fn backup_slices<const SIMPLE: bool>(
    step: &Backup<'_>,
    slices: Range<usize>,
    value: &mut [f64],
    policy: &mut [f64],
    weigh: impl Fn(usize, &mut [Lanes]) -> Lanes,
) {
    let block = |slice: usize| step.layout.first_block[slice] as usize;
    let first = block(slices.start);
    let policy = policy.as_chunks_mut::<LANES>().0;
    let value = value.as_chunks_mut::<LANES>().0;
    let mut shift = [[0.0; LANES]; TILE];
    // The weights stay in the cache until they are policies: so a tile need not wait for the memory of the one before.
    let (mut few, mut many) = ([[0.0; LANES]; TILE_BLOCKS], Vec::new());
    let mut start = slices.start;
    while start < slices.end {
        let tile = start..slices.end.min(start + TILE);
        let n_blocks = block(tile.end) - block(start);
        many.resize(if n_blocks > TILE_BLOCKS { n_blocks } else { 0 }, [0.0; LANES]);
        let weights = if many.is_empty() { &mut few[..n_blocks] } else { &mut many[..] };
        for (slice, shift) in tile.clone().zip(&mut shift) {
            let most = weigh(slice, &mut weights[block(slice) - block(start)..block(slice + 1) - block(start)]);
            // Without any possible event, all weights are -∞, and any finite number will do.
            *shift = if SIMPLE { most } else { eight(|lane| if most[lane] == f64::NEG_INFINITY { 0.0 } else { most[lane] }) };
        }
        let policy = &mut policy[block(start) - first..block(tile.end) - first];
        finish_tile(
            step,
            &mut Tile { slices: tile.clone(), weights, shift: &shift },
            &mut value[start - slices.start..],
            policy,
        );
        start = tile.end;
    }
}

/// Some slices, with log π0 + Q of their blocks and the largest of each state.
struct Tile<'a> {
    slices: Range<usize>,
    weights: &'a mut [Lanes],
    shift: &'a [Lanes; TILE],
}

/// Writes the policies and the values of a tile. This is arithmetic alone: here the widest registers help. They do not
/// where numbers are read at arbitrary places.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx2+fma+bmi1+bmi2", "x86_64+avx2+fma+bmi1+bmi2"))]
fn finish_tile(step: &Backup<'_>, tile: &mut Tile<'_>, value: &mut [Lanes], policy: &mut [Lanes]) {
    match step.is_simple {
        true => finish_slices::<true>(step, tile, value, policy),
        false => finish_slices::<false>(step, tile, value, policy),
    }
}

#[inline(always)]
fn finish_slices<const SIMPLE: bool>(step: &Backup<'_>, tile: &mut Tile<'_>, value: &mut [Lanes], policy: &mut [Lanes]) {
    let Tile { slices, weights, shift } = tile;
    let first = &step.layout.first_block[slices.start..=slices.end];
    let blocks = |k: usize| (first[k] - first[0]) as usize..(first[k + 1] - first[0]) as usize;
    let mut total = [[0.0; LANES]; TILE];
    for (((k, slice), shift), total) in slices.clone().enumerate().zip(*shift).zip(&mut total) {
        let mut sum = match SIMPLE {
            true => [0.0; LANES],
            false => {
                let stop = Plain::read(step.stop, slice);
                eight(|lane| exp_of_negative(stop[lane] - shift[lane]))
            }
        };
        for weight in &mut weights[blocks(k)] {
            *weight = eight(|lane| exp_of_negative(weight[lane] - shift[lane]));
            sum = Plain::add(sum, *weight);
        }
        *total = sum;
    }
    for ((((k, slice), shift), total), value) in slices.clone().enumerate().zip(*shift).zip(&total).zip(value) {
        let share = match SIMPLE {
            true => eight(|lane| 1.0 / total[lane]),
            false => eight(|lane| if total[lane] > 0.0 { 1.0 / total[lane] } else { 0.0 }),
        };
        for (policy, weight) in policy[blocks(k)].iter_mut().zip(&weights[blocks(k)]) {
            *policy = Plain::mul(*weight, share);
        }
        let reward = Plain::read(step.reward, slice);
        *value = eight(|lane| reward[lane] + (shift[lane] + ln_positive(total[lane])));
    }
}

/// What flows through each choice, and from each state to each successor.
#[derive(Debug)]
pub(crate) struct Flows {
    /// Empty if it is not needed.
    pub of_slot: Vec<f64>,
    /// By slots of the columns of `Successors`, if the layout has them.
    of_successor: Vec<f64>,
}

impl Flows {
    /// Zero. `by_slot` says whether the flow through each choice is needed.
    pub fn new(layout: &ChoiceLayout, by_slot: bool) -> Flows {
        let columns = layout.successors.as_ref().map_or(0, |successors| successors.padded_slots);
        let slots = if by_slot || layout.successors.is_none() { layout.padded_slots } else { 0 };
        Flows { of_slot: vec![0.0; slots], of_successor: vec![0.0; columns] }
    }

    /// Adds to the flow through one choice.
    pub fn add(&mut self, layout: &ChoiceLayout, choice: usize, weight: f64) {
        let slot = layout.slot_of_choice[choice] as usize;
        if !self.of_slot.is_empty() {
            self.of_slot[slot] += weight;
        }
        if let Some(successors) = &layout.successors {
            let (slice, block) = layout.block(slot);
            successors
                .of_choice(slice, layout.n_blocks(slice), block, slot % LANES, |at, p| self.of_successor[at] += weight * p);
        }
    }
}

/// Writes the flow through each choice: π(a|s) x(s).
pub(crate) fn flows(layout: &ChoiceLayout, share: bool, policy: &[f64], x: &[f64], flows: &mut Flows) {
    let inner = layout.inner_slices;
    let Flows { of_slot, of_successor } = flows;
    if !of_slot.is_empty() {
        let (blocks, flow) = (&layout.first_block, &mut of_slot[..layout.n_slots()]);
        by_slices(share, blocks, 0..inner, &mut [], flow, &|slices, _, flow| flow_chunk(layout, slices, policy, x, flow));
    }
    if let Some(successors) = &layout.successors {
        let flow = &mut of_successor[..successors.place.len() * LANES];
        by_slices(share, &successors.first, 0..inner, &mut [], flow, &|slices, _, flow| {
            onward_chunk(layout, successors, slices, policy, x, flow);
        });
    }
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

/// Writes Σ_a T(s'|s,a) π(a|s) x(s) for every state and each of its successors.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx2+fma+bmi1+bmi2", "x86_64+avx2+fma+bmi1+bmi2"))]
fn onward_chunk(
    layout: &ChoiceLayout,
    successors: &Successors,
    slices: Range<usize>,
    policy: &[f64],
    x: &[f64],
    onward: &mut [f64],
) {
    let first = successors.first[slices.start] as usize;
    let policy = policy.as_chunks::<LANES>().0;
    let onward = onward.as_chunks_mut::<LANES>().0;
    for slice in slices {
        let columns = successors.columns(slice);
        let policy = &policy[layout.first_block[slice] as usize..layout.first_block[slice + 1] as usize];
        let onward = &mut onward[columns.start - first..columns.end - first];
        by_blocks!(policy.len(), onward_of(successors, slice, policy, Plain::read(x, slice), onward));
    }
}

#[inline(always)]
fn onward_of<const N: usize>(successors: &Successors, slice: usize, policy: &[Lanes], x: Lanes, onward: &mut [Lanes]) {
    let mut flow = [[0.0; LANES]; N];
    for (flow, policy) in flow.iter_mut().zip(policy) {
        *flow = Plain::mul(*policy, x);
    }
    for (onward, row) in onward.iter_mut().zip(successors.rows::<N>(slice)) {
        let mut sum = [0.0; LANES];
        for (p, flow) in row.iter().zip(&flow) {
            sum = add_product(*p, *flow, sum);
        }
        *onward = sum;
    }
}

/// Writes factor · Σ T(s|s',a) flow(s',a) for every place, from the flows.
pub(crate) fn arrivals(layout: &ChoiceLayout, share: bool, factor: f64, flows: &Flows, next: &mut [f64]) {
    let all = layout.n_places() / LANES;
    let flow: &[f64] = if layout.successors.is_some() { &flows.of_successor } else { &flows.of_slot };
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
    parallel::join(|| by_places(share, slices.start..middle, low, chunk), || by_places(share, middle..slices.end, high, chunk));
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
        let blocks = layout.first_block[slice] as usize..layout.first_block[slice + 1] as usize;
        let policy = &policy[blocks.clone()];
        let expected = match &layout.successors {
            Some(successors) => by_blocks!(policy.len(), expectation_of(successors, slice, policy, x)),
            None => {
                let mut expected = [0.0; LANES];
                for (block, policy) in blocks.zip(policy) {
                    let future = match certain {
                        true => sum::<true>(&layout.outcomes, block, x),
                        false => sum::<false>(&layout.outcomes, block, x),
                    };
                    expected = add_product(*policy, future, expected);
                }
                expected
            }
        };
        *out = eight(|lane| factor * expected[lane]);
    }
}

#[inline(always)]
fn expectation_of<const N: usize>(successors: &Successors, slice: usize, policy: &[Lanes], x: &[f64]) -> Lanes {
    let futures = products::<N>(successors, slice, x);
    futures.iter().zip(policy).fold([0.0; LANES], |sum, (future, policy)| add_product(*policy, *future, sum))
}
