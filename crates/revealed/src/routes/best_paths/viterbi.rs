//! The value of the best continuation at each time and state: A. J. Viterbi's recursion, backwards.
//!
//! ```text
//! v_t(s) = max( log g(s) where a path may end,
//!               max_{(a,s')} log T π0 + γ^{t-1} (R(s,a) + R(s,a,s')) + γ^t R(s') + v_{t+1}(s') )
//! ```
//!
//! This is eq:beta-recurrence-padded with a maximum instead of the sum, in logarithms. A maximum loses no digits.

use super::best_first::Choice;
use super::endpoints::Endpoints;
use super::reach::Reach;
use crate::Error;
use crate::cancel::Pace;
use crate::model::PathModel;
use crate::numeric::parallel;
use crate::routes::PathQuery;

/// If the values take more bytes than this and one path is wanted, computing them twice is faster than storing all.
const COMFORTABLE: usize = 250_000_000;
/// With fewer states than this, one thread is faster than several.
pub(super) const SHARED: usize = 8192;
/// The states that a thread takes at once.
const PART: usize = SHARED / 4;

/// v_t for every t, stored or recomputed as memory allows. Only states on a path between the endpoints are numbered,
/// the nearest first, so that the states that can be reached at t are the first ones.
#[derive(Debug)]
pub(crate) struct Viterbi {
    horizon: usize,
    discount: f64,
    states: Vec<u32>,
    /// log g of each of them, before the horizon and at it.
    ending: [Vec<f64>; 2],
    number_of: Vec<u32>,
    /// At `[n]`, the number of states within n steps.
    within_steps: Vec<usize>,
    first_edge: Vec<u32>,
    edges: Vec<Edge>,
    /// The number of times in a segment.
    stride: usize,
    /// v at the first time of each segment: the checkpoints.
    kept: Vec<Vec<Value>>,
    /// v at each time of one segment, and the number of that segment.
    segment: Vec<Vec<Value>>,
    at: usize,
}

/// A transition between numbered states.
#[derive(Debug, Clone, Copy)]
struct Edge {
    to: u32,
    transition: u32,
    /// log T π0.
    base: f64,
    /// R(s,a) + R(s,a,s') + γ R(s').
    paid: f64,
}

impl Edge {
    /// The log-weight of the edge at γ^{t-1} = `power` and of the best continuation, and the number of states that
    /// follow.
    fn followed_by(&self, power: f64, next: &[Value]) -> (f64, u32) {
        let after = next[self.to as usize];
        (self.base + power * self.paid + after.log_weight, after.states + 1)
    }
}

/// v_t of a state, and the number of states of the best continuation.
#[derive(Debug, Clone, Copy, Default)]
struct Value {
    log_weight: f64,
    states: u32,
}

impl Viterbi {
    /// Computes v from the horizon back to the first states.
    ///
    /// # Errors
    /// [`Error::Memory`] if not even about 2√L vectors fit into the budget.
    pub fn new(model: &PathModel<'_>, endpoints: &Endpoints, reach: &Reach, query: &PathQuery) -> Result<Self, Error> {
        let (mdp, horizon, discount) = (model.mdp(), model.longest(), model.mdp().discount());
        let states: Vec<u32> = reach.between_ends(horizon).map(|state| state as u32).collect();
        let mut number_of = vec![u32::MAX; mdp.n_states()];
        let mut within_steps = Vec::new();
        for (number, &state) in states.iter().enumerate() {
            number_of[state as usize] = number as u32;
            within_steps.resize(reach.after(state as usize), number);
        }
        within_steps.push(states.len());
        let (mut first_edge, mut edges) = (vec![0], Vec::new());
        for &state in &states {
            for transition in mdp.children(state as usize) {
                let (child, base) = (mdp.to()[transition] as usize, mdp.log_base_weight(transition));
                if number_of[child] != u32::MAX && base > f64::NEG_INFINITY {
                    let paid = model.reward().of_transition(transition) + discount * model.reward().state[child];
                    edges.push(Edge { to: number_of[child], transition: transition as u32, base, paid });
                }
            }
            first_edge.push(edges.len() as u32);
        }
        // It matters only whether a time is L; 0 stands for the earlier times.
        let at = |t| states.iter().map(|&state| endpoints.ending(state as usize, t, horizon)).collect();
        let mut viterbi = Viterbi {
            horizon,
            discount,
            ending: [at(0), at(horizon)],
            states,
            number_of,
            within_steps,
            first_edge,
            edges,
            stride: horizon,
            kept: Vec::new(),
            segment: Vec::new(),
            at: 0,
        };
        viterbi.stride = viterbi.stride_within(query.work.memory, query.k == 1 && !query.loopless)?;
        let segments = horizon.div_ceil(viterbi.stride);
        viterbi.kept = vec![Vec::new(); segments];
        for segment in (0..segments).rev() {
            viterbi.fill(segment)?;
            viterbi.kept[segment] = viterbi.segment[0].clone();
        }
        Ok(viterbi)
    }

    /// The length of a segment: all times if their values fit into memory, otherwise √L.
    fn stride_within(&self, budget: usize, only_one: bool) -> Result<usize, Error> {
        let for_all = if only_one { budget.min(COMFORTABLE) } else { budget };
        let all = self.within_steps.iter().map(|&states| states as f64).sum::<f64>()
            + self.states.len() as f64 * (self.horizon as f64 - self.within_steps.len() as f64).max(0.0);
        if (all + self.states.len() as f64) * size_of::<Value>() as f64 <= for_all as f64 {
            return Ok(self.horizon);
        }
        let stride = self.horizon.isqrt().max(1);
        let least = (stride + self.horizon.div_ceil(stride)).saturating_mul(self.states.len() * size_of::<Value>());
        if least <= budget { Ok(stride) } else { Err(Error::Memory { budget, least, n_states: self.states.len() }) }
    }

    /// How many states can be reached at t.
    fn reached(&self, t: usize) -> usize {
        self.within_steps.get(t - 1).copied().unwrap_or(self.states.len())
    }

    /// Computes the values of a segment from the first values of the next segment.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    fn fill(&mut self, segment: usize) -> Result<(), Error> {
        let times = 1 + segment * self.stride..(1 + (segment + 1) * self.stride).min(self.horizon + 1);
        let mut values = std::mem::take(&mut self.segment);
        values.resize(times.len(), Vec::new());
        let mut pace = Pace::default();
        for (place, t) in times.enumerate().rev() {
            pace.spend(self.edges.len())?;
            let mut now = std::mem::take(&mut values[place]);
            let next = values.get(place + 1).or_else(|| self.kept.get(segment + 1));
            self.step(t, next, &mut now);
            values[place] = now;
        }
        (self.segment, self.at) = (values, segment);
        Ok(())
    }

    /// v_t from v_{t+1}, which is `None` at the horizon.
    fn step(&self, t: usize, next: Option<&Vec<Value>>, now: &mut Vec<Value>) {
        let (power, ending) = (self.power(t), &self.ending[usize::from(t == self.horizon)]);
        let value = |number: usize| {
            let mut best = Value { log_weight: ending[number], states: 0 };
            if let Some(next) = next {
                for edge in self.edges_of(number) {
                    let (log_weight, states) = edge.followed_by(power, next);
                    if log_weight > best.log_weight || (log_weight == best.log_weight && states < best.states) {
                        best = Value { log_weight, states };
                    }
                }
            }
            best
        };
        now.resize(self.reached(t), Value::default());
        if now.len() < SHARED {
            now.iter_mut().enumerate().for_each(|(number, now)| *now = value(number));
        } else {
            parallel::for_each(now.chunks_mut(PART).enumerate(), |(part, now)| {
                (part * PART..).zip(now).for_each(|(number, now)| *now = value(number));
            });
        }
    }

    fn edges_of(&self, number: usize) -> &[Edge] {
        &self.edges[self.first_edge[number] as usize..self.first_edge[number + 1] as usize]
    }

    /// γ^{t-1}.
    fn power(&self, t: usize) -> f64 {
        self.discount.powi(t as i32 - 1)
    }

    /// The choices in a state at t.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn choices(&mut self, t: usize, state: usize, choices: &mut Vec<Choice>) -> Result<(), Error> {
        choices.clear();
        let number = self.number_of[state];
        if number == u32::MAX {
            return Ok(());
        }
        let ending = self.ending[usize::from(t == self.horizon)][number as usize];
        if ending > f64::NEG_INFINITY {
            choices.push(Choice { step: None, value: ending, states: 0 });
        }
        if t == self.horizon {
            return Ok(());
        }
        // Time t + 1 has index t, in segments of `stride`.
        if t / self.stride != self.at {
            self.fill(t / self.stride)?;
        }
        let (next, power) = (&self.segment[t % self.stride], self.power(t));
        for edge in self.edges_of(number as usize) {
            let (value, states) = edge.followed_by(power, next);
            if value > f64::NEG_INFINITY {
                let to = self.states[edge.to as usize] as usize;
                choices.push(Choice { step: Some((edge.transition as usize, to)), value, states: states as usize });
            }
        }
        Ok(())
    }
}
