//! V_t and π_t for t = 1, …, L, within a memory budget.

use std::ops::Range;

use super::recursion::Recursion;
use crate::Error;
use crate::cancel::Pace;
use crate::numeric::checkpoints::CheckpointPlan;

/// π_t for t = 1, …, L - 1, and if they are kept V_t. All of them if the memory allows it. Otherwise V is stored at
/// checkpoints, and one segment of times is computed again from the checkpoint after it.
#[derive(Debug)]
pub(crate) struct FiniteHorizon {
    horizon: usize,
    /// Times per segment.
    stride: usize,
    keep_values: bool,
    /// The checkpoints: V at the time just after each segment except the last.
    behind: Vec<Vec<f64>>,
    /// π_t of the times of one segment, one after the other.
    policy: Vec<f64>,
    /// V_t of these times if it is kept; otherwise two vectors that are used in turn.
    value: Vec<Vec<f64>>,
    loaded: Option<usize>,
    pace: Pace,
}

/// One time of the backward pass.
pub(crate) struct BackwardStep<'a> {
    pub t: usize,
    /// V_t.
    pub value: &'a [f64],
    /// V_{t+1}.
    pub next: &'a [f64],
}

impl FiniteHorizon {
    /// # Errors
    /// If the memory budget, in bytes, is too small.
    pub fn new(recursion: &Recursion, horizon: usize, memory: usize, keep_values: bool) -> Result<FiniteHorizon, Error> {
        let layout = &recursion.layout;
        // A world without choices has no slots.
        let of_time = (layout.n_slots() + if keep_values { layout.padded_places } else { 0 }).max(1) * size_of::<f64>();
        // There is at least one segment, so that every horizon has the same code.
        let times = (horizon - 1).max(1);
        let plan = CheckpointPlan::new(times, memory / of_time);
        if !plan.fits {
            let room = (1..=times).find(|&room| CheckpointPlan::new(times, room).fits).unwrap_or(times);
            return Err(Error::Memory { budget: memory, least: room * of_time, n_states: layout.place_of_state.len() });
        }
        let behind = vec![Vec::new(); times.div_ceil(plan.stride) - 1];
        let (policy, value) = (Vec::new(), Vec::new());
        let (stride, loaded, pace) = (plan.stride, None, Pace::default());
        Ok(FiniteHorizon { horizon, stride, keep_values, behind, policy, value, loaded, pace })
    }

    /// Computes all of them for the current reward, from the last to the first, and shows each time once. Returns V_1.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn sweep(&mut self, recursion: &Recursion, visit: &mut dyn FnMut(&BackwardStep<'_>)) -> Result<Vec<f64>, Error> {
        let values = if self.keep_values { self.stride } else { 2 };
        self.value.resize(values, Vec::new());
        self.value.iter_mut().for_each(|value| value.clone_from(&recursion.last));
        if self.policy.is_empty() {
            self.policy = vec![0.0; self.stride * recursion.layout.n_slots()];
        }
        let mut first = recursion.blank();
        for segment in (0..=self.behind.len()).rev() {
            self.load(recursion, segment, visit)?;
            let times = self.times(segment);
            if !times.is_empty() {
                first.clone_from(&self.value[self.place(times.start, &times)]);
            }
            if segment > 0 {
                self.behind[segment - 1].clone_from(&first);
            }
        }
        Ok(first)
    }

    /// π_t for t < L, after [`sweep`](Self::sweep). Cheap if t increases from call to call.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn policy(&mut self, recursion: &Recursion, t: usize) -> Result<&[f64], Error> {
        let segment = self.segment(recursion, t)?;
        Ok(&self.policy[self.slots(recursion, t - self.times(segment).start)])
    }

    /// V_t for t < L, if values are kept.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn value(&mut self, recursion: &Recursion, t: usize) -> Result<&[f64], Error> {
        debug_assert!(self.keep_values, "values are kept");
        let segment = self.segment(recursion, t)?;
        Ok(&self.value[t - self.times(segment).start])
    }

    /// Loads the segment of a time, and returns its number.
    fn segment(&mut self, recursion: &Recursion, t: usize) -> Result<usize, Error> {
        // Reading is work, too: those who go forward in time ask here.
        self.pace.spend(recursion.layout.padded_slots)?;
        let segment = (t - 1) / self.stride;
        if self.loaded != Some(segment) {
            self.load(recursion, segment, &mut |_| ())?;
        }
        Ok(segment)
    }

    /// The times of a segment.
    fn times(&self, segment: usize) -> Range<usize> {
        segment * self.stride + 1..((segment + 1) * self.stride).min(self.horizon - 1) + 1
    }

    /// Where π_t is stored, for the n-th time of a segment.
    fn slots(&self, recursion: &Recursion, n: usize) -> Range<usize> {
        n * recursion.layout.n_slots()..(n + 1) * recursion.layout.n_slots()
    }

    /// Where V_t is stored.
    fn place(&self, t: usize, times: &Range<usize>) -> usize {
        if self.keep_values { t - times.start } else { t % 2 }
    }

    fn load(&mut self, recursion: &Recursion, segment: usize, visit: &mut dyn FnMut(&BackwardStep<'_>)) -> Result<(), Error> {
        let (times, backup) = (self.times(segment), recursion.backup());
        self.loaded = None;
        for t in times.clone().rev() {
            self.pace.spend(recursion.layout.padded_slots)?;
            let place = self.place(t, &times);
            let mut value = std::mem::take(&mut self.value[place]);
            let next: &[f64] = if t + 1 < times.end {
                &self.value[self.place(t + 1, &times)]
            } else {
                self.behind.get(segment).unwrap_or(&recursion.last)
            };
            let slots = self.slots(recursion, t - times.start);
            backup.step(next, &mut value, &mut self.policy[slots]);
            visit(&BackwardStep { t, value: &value, next });
            self.value[place] = value;
        }
        self.loaded = Some(segment);
        Ok(())
    }
}
