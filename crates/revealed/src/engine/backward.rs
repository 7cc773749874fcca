//! The backward pass: computes b_L, …, b_1, stores or recomputes them as memory allows, and visits b_1, …, b_L.

use std::marker::PhantomData;
use std::ops::{ControlFlow, Range as Span};

use crate::Error;
use crate::cancel::Pace;
use crate::engine::Stop;
use crate::engine::messages::{At, Backward, with_factors};
use crate::engine::network::LANES;
use crate::engine::number::{Number, Range};
use crate::engine::weights::Weights;
use crate::numeric::checkpoints::CheckpointPlan;
use crate::numeric::scaled::Scaled;

/// Plain numbers are rescaled when the largest leaves [2^-COMFORT, 2^COMFORT]. The range is narrow, so that a forward
/// message underflows only if the probability of the state underflows, too.
const COMFORT: f64 = 20.0;
/// The largest factor that plain numbers support, as a power of two, for the same reason.
const LARGEST_FACTOR: f64 = 40.0;
/// The smallest factor and the smallest message, as powers of two: their product is a normal number.
const SMALLEST_FACTOR: f64 = -500.0;
const SMALLEST_MESSAGE: f64 = -500.0;

/// The largest power of two that a scale may reach.
const LARGEST_SCALE: i32 = 1 << 30;

/// Why a pass has no end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Unfinished {
    /// A number left the range of f64: the pass must start again with wide numbers.
    LeftRange,
    /// [`Error::Stopped`].
    Stopped(Error),
}

/// Why a pass over the messages ended early.
enum Early {
    /// The callback has seen enough.
    Enough,
    Stopped(Error),
}

/// A path set with a horizon L.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoundedPaths {
    pub horizon: usize,
    pub stop: Stop,
}

impl BoundedPaths {
    /// stop_t of states with children and of terminal states, as 0 or 1, except for the goal.
    fn stops(&self, t: usize) -> (bool, bool) {
        match self.stop {
            Stop::Anywhere => (true, true),
            Stop::Horizon => (t == self.horizon, true),
            Stop::Terminal => (false, true),
            Stop::At(_) | Stop::AtHorizon(_) => (false, false),
        }
    }

    /// The goal, if a path may end there at t.
    fn goal_at(&self, t: usize) -> Option<usize> {
        match self.stop {
            Stop::At(goal) => Some(goal),
            Stop::AtHorizon(goal) if t == self.horizon => Some(goal),
            _ => None,
        }
    }
}

/// The arrays of the backward pass, allocated once.
#[derive(Debug)]
pub(crate) struct BackwardArrays<N> {
    slot_len: usize,
    room: usize,
    g: [Vec<f64>; 2],
    scale: Vec<i32>,
    number: PhantomData<N>,
}

impl<N: Number> BackwardArrays<N> {
    pub fn new(weights: &Weights, horizon: usize, room: usize) -> Self {
        let vector = crate::engine::weights::padded_zeros::<N>(&weights.network);
        BackwardArrays {
            slot_len: weights.network.n_places() * N::WIDTH,
            room: room.min(horizon),
            g: [vector.clone(), vector],
            scale: vec![0; horizon + 2],
            number: PhantomData,
        }
    }

    /// A pass that stores its messages in `slots`.
    pub fn with<'a>(&'a mut self, slots: &'a mut Vec<f64>) -> BackwardPass<'a, N> {
        let needed = self.slot_len * (self.room + 2);
        if slots.len() < needed {
            // Not `resize`: the operating system gives zeroed pages without writing them.
            *slots = vec![0.0; needed];
        }
        self.scale.fill(0);
        let BackwardArrays { slot_len, room, ref mut g, ref mut scale, .. } = *self;
        let (pace, number) = (Pace::default(), PhantomData);
        BackwardPass { slots, slot_len, room, g, scale, settled: 0, pace, number }
    }
}

/// A callback that receives t, b_t and the scales, and answers whether to continue.
pub(crate) type Visit<'a> = dyn FnMut(usize, &[f64], &[i32]) -> ControlFlow<()> + 'a;

/// b_t for every t. The memory budget limits the number of slots.
pub(crate) struct BackwardPass<'a, N> {
    slots: &'a mut [f64],
    slot_len: usize,
    /// How many of the slots may hold messages. After them come one scratch slot and one slot for `settled`.
    room: usize,
    g: &'a mut [Vec<f64>; 2],
    /// log2 of the scale c_t of plain numbers: what is stored is b_t / c_t.
    scale: &'a mut [i32],
    /// b_t is the same, to the last bit, for every t up to this one; 0 if it keeps changing.
    settled: usize,
    pace: Pace,
    number: PhantomData<N>,
}

impl<N: Number> BackwardPass<'_, N> {
    /// log2 c_t.
    pub fn scale(&self, t: usize) -> i32 {
        self.scale[t]
    }

    /// Computes b_L, …, b_1. Afterwards [`first`](Self::first) is b_1, and [`ascend`](Self::ascend) may run.
    pub fn run(&mut self, weights: &Weights, paths: BoundedPaths) -> Result<(), Unfinished> {
        let sweep = Sweep { weights, paths, first: true };
        let plan = CheckpointPlan::new(paths.horizon, self.room);
        self.sweep(&sweep, 1..paths.horizon + 1, 0..self.room, plan, None)
    }

    /// b_1 after [`run`](Self::run).
    pub fn first(&self, horizon: usize) -> &[f64] {
        let slot = if self.settled > 0 { self.room + 1 } else { self.slot_of_first(horizon) };
        self.slot(slot)
    }

    /// With a plan that does not fit, b_1 is in the scratch slot, because it was computed last.
    fn slot_of_first(&self, horizon: usize) -> usize {
        if CheckpointPlan::new(horizon, self.room).fits { 0 } else { self.room }
    }

    fn slot(&self, slot: usize) -> &[f64] {
        &self.slots[slot * self.slot_len..][..self.slot_len]
    }

    /// Visits b_1, b_2, …, b_L in this order, until the callback answers `Break`.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn ascend(&mut self, weights: &Weights, paths: BoundedPaths, visit: &mut Visit<'_>) -> Result<(), Error> {
        let sweep = Sweep { weights, paths, first: false };
        match self.ascend_segment(&sweep, 1..paths.horizon + 1, 0..self.room, None, true, visit) {
            ControlFlow::Break(Early::Stopped(stopped)) => Err(stopped),
            ControlFlow::Break(Early::Enough) | ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// Visits the message in one slot.
    fn show(&mut self, sweep: &Sweep<'_>, t: usize, slot: usize, visit: &mut Visit<'_>) -> ControlFlow<Early> {
        if let Err(stopped) = self.pace.spend(sweep.work()) {
            return ControlFlow::Break(Early::Stopped(stopped));
        }
        visit(t, self.slot(slot), self.scale).map_break(|()| Early::Enough)
    }

    /// A sweep after the first one, which stayed in range.
    fn sweep_again(
        &mut self,
        sweep: &Sweep<'_>,
        times: Span<usize>,
        room: Span<usize>,
        plan: CheckpointPlan,
        seed: Option<usize>,
    ) -> ControlFlow<Early> {
        match self.sweep(sweep, times, room, plan, seed) {
            Err(Unfinished::Stopped(stopped)) => ControlFlow::Break(Early::Stopped(stopped)),
            swept => {
                debug_assert!(swept.is_ok(), "the first sweep stayed in range");
                ControlFlow::Continue(())
            }
        }
    }

    /// Visits the times of one segment upwards. `seed` is the slot of the message after the segment.
    fn ascend_segment(
        &mut self,
        sweep: &Sweep<'_>,
        times: Span<usize>,
        room: Span<usize>,
        seed: Option<usize>,
        swept: bool,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<Early> {
        if times.end <= self.settled + 1 {
            return times.into_iter().try_for_each(|t| self.show(sweep, t, self.room + 1, visit));
        }
        let plan = CheckpointPlan::new(times.len(), room.len());
        if plan.keeps_nothing() {
            return times.clone().try_for_each(|t| {
                self.sweep_again(sweep, t..times.end, room.clone(), plan, seed)?;
                let slot = if t <= self.settled { self.room + 1 } else { self.room };
                self.show(sweep, t, slot, visit)
            });
        }
        if !swept {
            self.sweep_again(sweep, times.clone(), room.clone(), plan, seed)?;
        }
        let free = room.start..room.end - plan.checkpoints;
        for segment in 0..=plan.checkpoints {
            let first = times.start + segment * plan.stride;
            let part = first..(first + plan.stride).min(times.end);
            if part.is_empty() {
                break;
            }
            let part_seed = if part.end == times.end { seed } else { Some(free.end + segment) };
            if !plan.fits {
                self.ascend_segment(sweep, part, free.clone(), part_seed, false, visit)?;
                continue;
            }
            if segment > 0 {
                let whole = CheckpointPlan { stride: part.len(), checkpoints: 0, fits: true };
                self.sweep_again(sweep, part.clone(), free.clone(), whole, part_seed)?;
            }
            for t in part.clone() {
                let slot = if t <= self.settled { self.room + 1 } else { free.start + (t - part.start) };
                self.show(sweep, t, slot, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Computes the messages of `times` downwards, and stores those of the plan: all of the first stride, and the first
    /// of every later stride.
    fn sweep(
        &mut self,
        sweep: &Sweep<'_>,
        times: Span<usize>,
        room: Span<usize>,
        plan: CheckpointPlan,
        seed: Option<usize>,
    ) -> Result<(), Unfinished> {
        if let Some(seed) = seed {
            let message = &self.slots[seed * self.slot_len..][..self.slot_len];
            sweep.weigh::<N>(times.end, 0, message, &mut self.g[0]);
        }
        for t in times.clone().rev() {
            if t <= self.settled {
                break;
            }
            let (segment, offset) = ((t - times.start) / plan.stride, (t - times.start) % plan.stride);
            let slot = match (segment, offset) {
                (0, offset) if plan.fits => room.start + offset,
                (segment, 0) if segment > 0 => room.end - plan.checkpoints + segment - 1,
                _ => self.room,
            };
            self.pace.spend(sweep.work()).map_err(Unfinished::Stopped)?;
            self.step(sweep, t, slot)?;
        }
        Ok(())
    }

    /// One step, from g_{t+1} in `g[0]` to b_t in a slot and g_t in `g[0]`.
    fn step(&mut self, sweep: &Sweep<'_>, t: usize, slot: usize) -> Result<(), Unfinished> {
        let b = &mut self.slots[slot * self.slot_len..][..self.slot_len];
        let [after, before] = &mut *self.g;
        let ratio_exponent = if t < sweep.paths.horizon { self.scale[t + 1] - self.scale[t] } else { 0 };
        let range = sweep.step::<N>(t, self.scale[t], ratio_exponent, after, b, before);
        self.g.swap(0, 1);
        if !sweep.first {
            return Ok(());
        }
        if N::WIDTH == 1 {
            self.scale[t - 1] = sweep.next_scale(range, self.scale[t])?;
        }
        if sweep.may_settle(t) && !range.changed && ratio_exponent == 0 && self.scale[t - 1] == self.scale[t] {
            self.slots.copy_within(slot * self.slot_len..(slot + 1) * self.slot_len, (self.room + 1) * self.slot_len);
            self.settled = t;
            let scale = self.scale[t];
            self.scale[..t].fill(scale);
        }
        Ok(())
    }
}

/// Everything that a sweep reads.
struct Sweep<'a> {
    weights: &'a Weights,
    paths: BoundedPaths,
    /// Whether this is the sweep that chooses the scales.
    first: bool,
}

impl Sweep<'_> {
    /// The numbers that one step reads, about.
    fn work(&self) -> usize {
        self.weights.network.children.n_slots()
    }

    /// Whether the steps at t and before all apply the same function to the message after them.
    fn may_settle(&self, t: usize) -> bool {
        let constant = t < self.paths.horizon && !matches!(self.paths.stop, Stop::At(_));
        constant && self.weights.of_states.is_fixed() && self.weights.of_children.is_fixed()
    }

    /// g_t = e^{γ^{t-1} R} b_t, from slice `first` on.
    fn weigh<N: Number>(&self, t: usize, first: usize, b: &[f64], g: &mut [f64]) {
        let factor = &self.weights.of_states;
        if factor.is_fixed() {
            weigh::<N, _>(factor.fixed(), first, b, g);
        } else {
            weigh::<N, _>(factor.discounted(self.weights.power(t - 1)), first, b, g);
        }
    }

    fn step<N: Number>(&self, t: usize, scale: i32, ratio_exponent: i32, after: &[f64], b: &mut [f64], g: &mut [f64]) -> Range {
        let one = Scaled { mantissa: 1.0, exponent: f64::from(-scale) };
        let (inner, leaf) = self.paths.stops(t);
        let has_leaves = self.weights.network.children.len() > self.weights.network.inner_slices;
        let stops_somewhere = inner || (leaf && has_leaves) || self.paths.goal_at(t).is_some();
        let [inner, leaf] = [inner, leaf].map(|stops| N::splat(if stops { one } else { Scaled::ZERO }));
        let split = self.weights.network.inner_slices * LANES * N::WIDTH;
        let n = b.len();
        let (b_inner, b_leaf) = b.split_at_mut(split);
        b_leaf.chunks_exact_mut(LANES * N::WIDTH).for_each(|block| N::store(leaf, block));
        let mut range = if t == self.paths.horizon {
            b_inner.chunks_exact_mut(LANES * N::WIDTH).for_each(|block| N::store(inner, block));
            self.weigh::<N>(t, 0, b, &mut g[..n]);
            Range { changed: true, ..Range::NOTHING }
        } else {
            let ratio = 2f64.powi(ratio_exponent);
            let range = self.inner_step::<N>(t, inner, ratio, after, b_inner, &mut g[..split]);
            self.weigh::<N>(t, self.weights.network.inner_slices, b_leaf, &mut g[split..n]);
            range
        };
        if let Some(goal) = self.paths.goal_at(t) {
            let place = self.weights.network.place_of_state[goal] as usize;
            let value = N::get(b, place) + one;
            N::set(b, place, value);
            N::set(g, place, value * self.weights.of_state(t, place));
        }
        if stops_somewhere {
            let stop = one.to_f64();
            range = range.join(Range { least: stop, most: stop, changed: false });
        }
        range
    }

    fn inner_step<N: Number>(
        &self,
        t: usize,
        stop: N::Eight,
        ratio: f64,
        after: &[f64],
        b: &mut [f64],
        g: &mut [f64],
    ) -> Range {
        let Weights { network, of_children, of_states, share, .. } = self.weights;
        let power = self.weights.power(t - 1);
        with_factors!(of_children, power, of_states, power, |edges, states| {
            Backward::<N, _, _> { children: &network.children, edges, states, after, stop, ratio, share: *share }.step(b, g)
        })
    }

    /// The scale of t - 1, given the messages of t; an error if plain numbers do not suffice.
    fn next_scale(&self, range: Range, scale: i32) -> Result<i32, Unfinished> {
        let (edges, states) = (self.weights.edge_span, self.weights.state_span);
        let factors_fit = edges.least + states.least > SMALLEST_FACTOR && edges.most + states.most < LARGEST_FACTOR;
        let (least, most) = (range.least.log2(), range.most.log2());
        if !factors_fit || least < SMALLEST_MESSAGE || !range.most.is_finite() || most > -SMALLEST_MESSAGE {
            return Err(Unfinished::LeftRange);
        }
        let comfortable = range.most == 0.0 || most.abs() <= COMFORT;
        let next = if comfortable { scale } else { scale + most as i32 };
        if next.abs() < LARGEST_SCALE { Ok(next) } else { Err(Unfinished::LeftRange) }
    }
}

/// g = factor · b, from slice `first` on.
fn weigh<N: Number, E: At<N>>(factor: E, first: usize, b: &[f64], g: &mut [f64]) {
    let block = LANES * N::WIDTH;
    for (offset, (b, g)) in b.chunks_exact(block).zip(g.chunks_exact_mut(block)).enumerate() {
        N::store(N::normalise(N::mul(factor.at(first + offset), N::load(b))), g);
    }
}
