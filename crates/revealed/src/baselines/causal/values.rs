//! The soft values V_t: the soft Bellman recursion, and its checkpoints.

use std::ops::Range;

use crate::Error;
use crate::numeric::checkpoints::CheckpointPlan;
use crate::numeric::rows::{fill, worth_sharing};
use crate::world::{Mdp, Reward};

/// log Σ exp of some numbers, as largest + log(sum). The two parts keep the full precision of differences.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogSum {
    pub largest: f64,
    pub sum: f64,
}

impl LogSum {
    fn of(numbers: impl Iterator<Item = f64>) -> LogSum {
        let mut total = LogSum { largest: f64::NEG_INFINITY, sum: 0.0 };
        // -∞ adds nothing, and the difference of two -∞ is not a number.
        for number in numbers.filter(|&number| number > f64::NEG_INFINITY) {
            if total.sum == 0.0 {
                total = LogSum { largest: number, sum: 1.0 };
            } else if number > total.largest {
                total = LogSum { largest: number, sum: total.sum * (total.largest - number).exp() + 1.0 };
            } else {
                total.sum += (number - total.largest).exp();
            }
        }
        total
    }

    pub fn ln(self) -> f64 {
        self.largest + self.sum.ln()
    }
}

/// One step of the recursion, for one reward.
#[derive(Debug)]
pub(super) struct Backup<'a> {
    pub mdp: &'a Mdp,
    pub reward: Reward,
    share: bool,
}

impl<'a> Backup<'a> {
    pub fn new(mdp: &'a Mdp, reward: Reward) -> Self {
        Backup { mdp, reward, share: worth_sharing(mdp.n_transitions()) }
    }

    /// log π0(a|s) + Σ_s' T(s'|s,a) (R(s,a) + R(s,a,s') + γ V(s')), with V of the next step.
    pub fn log_weight(&self, choice: usize, next: &[f64]) -> f64 {
        let mdp = self.mdp;
        let of = |transition: usize| {
            let value = mdp.discount() * next[mdp.to()[transition] as usize];
            mdp.probability()[transition] * (self.reward.of_transition(transition) + value)
        };
        let reference = mdp.reference().map_or(0.0, |reference| reference[choice].ln());
        reference + mdp.outcomes(choice).map(of).sum::<f64>()
    }

    /// log Σ_a e^log_weight of a state that is not terminal.
    pub fn log_sum(&self, state: usize, next: &[f64]) -> LogSum {
        LogSum::of(self.mdp.choices(state).map(|choice| self.log_weight(choice, next)))
    }

    /// log π(a|s).
    pub fn log_policy(&self, choice: usize, next: &[f64]) -> f64 {
        let LogSum { largest, sum } = self.log_sum(self.mdp.state_of(choice), next);
        (self.log_weight(choice, next) - largest) - sum.ln()
    }

    fn value(&self, state: usize, next: &[f64]) -> f64 {
        let after = if self.mdp.is_terminal(state) { 0.0 } else { self.log_sum(state, next).ln() };
        self.reward.state[state] + after
    }

    /// Computes each entry on its own.
    pub fn fill<T: Send>(&self, out: &mut [T], entry: impl Fn(usize) -> T + Sync) {
        fill(self.share, out, entry);
    }
}

/// V_t for t = 1..L. All are kept if the memory allows it. Otherwise V is kept at checkpoints, and one segment at a
/// time is recomputed from the checkpoint after it.
#[derive(Debug)]
pub(super) struct CausalValues {
    horizon: usize,
    stride: usize,
    /// The checkpoints: V at the time just after each segment except the last.
    behind: Vec<Vec<f64>>,
    /// V_t of the times of one segment.
    segment: Vec<Vec<f64>>,
    loaded: Option<usize>,
}

impl CausalValues {
    /// Allocates V of `n_states` states within a memory budget in bytes.
    pub fn new(n_states: usize, horizon: usize, memory: usize) -> Result<CausalValues, Error> {
        let message = n_states * size_of::<f64>();
        let plan = CheckpointPlan::new(horizon, memory / message.max(1));
        if !plan.fits {
            let fits = |room: &usize| CheckpointPlan::new(horizon, *room).fits;
            let room = (1..=horizon).find(fits).unwrap_or(horizon);
            return Err(Error::Memory { budget: memory, least: room * message, n_states });
        }
        let (stride, segments) = (plan.stride, horizon.div_ceil(plan.stride));
        let behind = vec![Vec::new(); segments - 1];
        Ok(CausalValues { horizon, stride, behind, segment: vec![vec![0.0; n_states]; stride], loaded: None })
    }

    /// Computes all of them, from the last to the first.
    pub fn sweep(&mut self, backup: &Backup<'_>) {
        for segment in (0..=self.behind.len()).rev() {
            self.load(backup, segment);
            if segment > 0 {
                self.behind[segment - 1].clone_from(&self.segment[0]);
            }
        }
    }

    /// V_t, after [`sweep`](Self::sweep). Cheap if t increases from call to call.
    pub fn at(&mut self, backup: &Backup<'_>, t: usize) -> &[f64] {
        let segment = (t - 1) / self.stride;
        if self.loaded != Some(segment) {
            self.load(backup, segment);
        }
        &self.segment[t - 1 - segment * self.stride]
    }

    /// The times of a segment.
    fn times(&self, segment: usize) -> Range<usize> {
        segment * self.stride + 1..((segment + 1) * self.stride).min(self.horizon) + 1
    }

    fn load(&mut self, backup: &Backup<'_>, segment: usize) {
        let times = self.times(segment);
        for t in times.clone().rev() {
            let (upto, after) = self.segment.split_at_mut(t - times.start + 1);
            let value = &mut upto[t - times.start];
            match if t + 1 < times.end { after.first() } else { self.behind.get(segment) } {
                Some(next) => backup.fill(value, |state| backup.value(state, next)),
                // V_L = R: there is no action at L.
                None => value.copy_from_slice(&backup.reward.state),
            }
        }
        self.loaded = Some(segment);
    }
}
