//! The Bellman operator: the value of each choice, given the values of the states.
//!
//! The chunks of states do not depend on the number of threads, and only minima and maxima are reduced over chunks. So
//! the result does not depend on the number of threads.

use std::collections::VecDeque;

use crate::Error;
use crate::numeric::parallel;
use crate::planning::Paid;
use crate::world::parents::Parents;
use crate::world::{Mdp, Reward};

/// States per chunk of work. The values of a `Chain` depend on it, to rounding.
pub(crate) const CHUNK: usize = 4096;
/// With fewer states than this, a second thread costs more than it saves.
const WORTH_SHARING: usize = 4 * CHUNK;
/// Choices are never tied if their values differ by more than this fraction of the better one.
const TIE: f64 = 1e-9;

/// Whether a sweep over this many states is large enough to divide among threads.
pub(crate) fn worth_sharing(n_states: usize) -> bool {
    n_states >= WORTH_SHARING
}

/// The order in which a sweep visits the states of a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Direction {
    Up,
    Down,
}

impl Direction {
    pub fn turned(self) -> Direction {
        if self == Direction::Up { Direction::Down } else { Direction::Up }
    }
}

/// How far one application of an operator moved the values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    /// The smallest change of a state. At most 0 if there are terminal states, which do not change.
    pub least: f64,
    /// The largest change of a state. At least 0 if there are terminal states.
    pub most: f64,
    /// The largest absolute value.
    pub largest: f64,
}

impl Change {
    pub const NOTHING: Change = Change { least: f64::INFINITY, most: f64::NEG_INFINITY, largest: 0.0 };

    pub fn join(self, other: Change) -> Change {
        Change { least: self.least.min(other.least), most: self.most.max(other.most), largest: self.largest.max(other.largest) }
    }

    pub fn see(&mut self, old: f64, new: f64) {
        *self = self.join(Change { least: new - old, most: new - old, largest: new.abs() });
    }

    /// The largest absolute change.
    pub fn size(&self) -> f64 {
        self.most.max(-self.least)
    }
}

/// The operator V ↦ max_a r(s, a) + γ Σ_s' T(s'|s, a) V(s'). It does not change terminal states.
pub(crate) struct Bellman<'a> {
    pub mdp: &'a Mdp,
    /// γ.
    pub discount: f64,
    /// r(s, a): the expected immediate reward of a choice.
    pub reward: Vec<f64>,
    /// The operator shrinks differences of values at least by this factor. If it is 1 or more, there is no error bound.
    pub modulus: f64,
    /// The largest number of outcomes of a choice.
    widest: usize,
}

impl<'a> Bellman<'a> {
    pub fn new(mdp: &'a Mdp, reward: &Reward, discount: f64, paid: Paid) -> Self {
        let pays = |choice: usize| {
            let of = |transition: usize| {
                let arrival = if paid == Paid::OnArrival { reward.state[mdp.to()[transition] as usize] } else { 0.0 };
                mdp.probability()[transition] * (reward.of_transition(transition) + arrival)
            };
            let state = if paid == Paid::InState { reward.state[mdp.state_of(choice)] } else { 0.0 };
            state + mdp.outcomes(choice).map(of).sum::<f64>()
        };
        Bellman {
            mdp,
            discount,
            reward: (0..mdp.n_choices()).map(pays).collect(),
            modulus: modulus(mdp, discount),
            widest: (0..mdp.n_choices()).map(|choice| mdp.outcomes(choice).len()).max().unwrap_or(0),
        }
    }

    /// Q(s, a).
    pub fn action_value(&self, values: &[f64], choice: usize) -> f64 {
        self.value_of(choice, |state| values[state as usize])
    }

    #[inline(always)]
    fn value_of(&self, choice: usize, value: impl Fn(u32) -> f64) -> f64 {
        let outcomes = self.mdp.outcomes(choice);
        let terms = self.mdp.to()[outcomes.clone()].iter().zip(&self.mdp.probability()[outcomes]);
        self.reward[choice] + self.discount * terms.map(|(&to, &p)| p * value(to)).sum::<f64>()
    }

    /// The best choice of a state and its value; the first one if several are tied; `None` in a terminal state.
    #[inline(always)]
    fn best(&self, state: usize, value: impl Fn(u32) -> f64) -> Option<(usize, f64)> {
        let options = self.mdp.choices(state).map(|choice| (choice, self.value_of(choice, &value)));
        options.reduce(|best, option| if option.1 > best.1 { option } else { best })
    }

    /// Writes T V.
    pub fn apply(&self, values: &[f64], next: &mut [f64], best: &mut [u32]) -> Change {
        in_chunks(next, best, |base, next, best| {
            let mut change = Change::NOTHING;
            for (at, (next, best)) in next.iter_mut().zip(best).enumerate() {
                *next = values[base + at];
                if let Some((choice, value)) = self.best(base + at, |state| values[state as usize]) {
                    (*best, *next) = (choice as u32, value);
                }
                change.see(values[base + at], *next);
            }
            change
        })
    }

    /// Writes values that are nearer to V*, and the choices that attain them. Within a chunk new values are used at
    /// once (Gauss-Seidel); other chunks are read as they were before the sweep (Jacobi).
    pub fn sweep(&self, values: &[f64], next: &mut [f64], best: &mut [u32], direction: Direction) -> Change {
        in_chunks(next, best, |base, next, best| {
            next.copy_from_slice(&values[base..base + next.len()]);
            let mut change = Change::NOTHING;
            for at in 0..next.len() {
                let at = if direction == Direction::Up { at } else { next.len() - 1 - at };
                if let Some((choice, value)) = self.best(base + at, |state| read(base, values, next, state)) {
                    change.see(next[at], value);
                    (best[at], next[at]) = (choice as u32, value);
                }
            }
            change
        })
    }

    /// Writes the choice to take in each state: the lowest action among those tied with the best, given that no value
    /// is off by more than `error`. Returns the changes T V - V and T_π V - V, where π takes these choices.
    pub fn choose(&self, values: &[f64], error: f64, chosen: &mut [u32], scratch: &mut [f64]) -> (Change, Change) {
        // Without terminal states, all values share a large common part, which does not depend on the choices.
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)));
        let has_terminal = (0..values.len()).any(|state| self.mdp.is_terminal(state));
        let scale = (!has_terminal).then_some(high - low);
        let rounding = if has_terminal { 0.0 } else { self.rounding(low.abs().max(high.abs())) };
        let of_choices = in_chunks(scratch, chosen, |base, best, chosen| {
            let mut change = Change::NOTHING;
            for (at, (best, chosen)) in best.iter_mut().zip(chosen).enumerate() {
                let choices = self.mdp.choices(base + at);
                let value = |choice| self.action_value(values, choice);
                let most = choices.clone().map(value).reduce(f64::max);
                *best = most.unwrap_or(values[base + at]);
                let least = *best - (TIE * scale.unwrap_or(best.abs())).max(rounding).min(2.0 * error);
                let taken = choices.map(|choice| (choice, value(choice))).find(|&(_, value)| value >= least);
                *chosen = taken.map_or(u32::MAX, |(choice, _)| choice as u32);
                change.see(values[base + at], taken.map_or(*best, |(_, value)| value));
            }
            change
        });
        let mut of_best = Change::NOTHING;
        scratch.iter().zip(values).for_each(|(&best, &value)| of_best.see(value, best));
        (of_best, of_choices)
    }

    /// Among the choices tied with the best, takes one that may lead closer to a terminal state. Without a discount,
    /// the lowest of them may go round in a loop for ever and never collect the reward that its value counts on.
    pub fn choose_paths_that_end(&self, values: &[f64], chosen: &mut [u32]) {
        let is_best = |choice: usize| {
            let (best, value) = (values[self.mdp.state_of(choice)], self.action_value(values, choice));
            value >= best - TIE * best.abs().max(f64::MIN_POSITIVE)
        };
        let mut has_path = vec![false; self.mdp.n_states()];
        towards_ends(self.mdp, |transition| {
            let (state, choice) = (self.mdp.from()[transition] as usize, self.mdp.choice_of()[transition] as usize);
            let taken = !has_path[state] && is_best(choice);
            if taken {
                (has_path[state], chosen[state]) = (true, choice as u32);
            }
            taken
        });
    }

    /// A bound on the effect of rounding on a value: a value is a sum of products, and each adds up to a unit in the
    /// last place.
    pub fn rounding(&self, largest: f64) -> f64 {
        (self.widest + 3) as f64 * f64::EPSILON * largest
    }

    /// Rejects an MDP in which episodes cannot end from a state that pays a reward: without a discount its value is not
    /// finite.
    pub fn check_ends(&self) -> Result<(), Error> {
        let mdp = self.mdp;
        let ending = ending_states(mdp);
        let pays = |state: usize| mdp.choices(state).any(|choice| self.reward[choice] != 0.0);
        match (0..mdp.n_states()).find(|&state| !ending[state] && pays(state)) {
            Some(state) => Err(Error::NeverEnds(state)),
            None => Ok(()),
        }
    }
}

/// The contraction modulus: γ times the largest sum of a choice's probabilities, which need not be exactly 1.
fn modulus(mdp: &Mdp, discount: f64) -> f64 {
    let sum = |choice| mdp.probability()[mdp.outcomes(choice)].iter().sum::<f64>();
    let most = (0..mdp.n_choices()).map(sum).fold(1.0, f64::max);
    // Three times 1/3 may differ from 1 by a bit. That is rounding, and no reason to change γ.
    if most <= 1.0 + 1e-12 { discount } else { discount * most }
}

/// The states from which some policy may reach a terminal state.
fn ending_states(mdp: &Mdp) -> Vec<bool> {
    let mut ending: Vec<bool> = (0..mdp.n_states()).map(|state| mdp.is_terminal(state)).collect();
    towards_ends(mdp, |transition| !std::mem::replace(&mut ending[mdp.from()[transition] as usize], true));
    ending
}

/// Breadth-first search backwards from the terminal states. `take` is called with each transition into a state that was
/// reached, nearest to a terminal state first; if it returns true, the search continues from where the transition
/// starts.
fn towards_ends(mdp: &Mdp, mut take: impl FnMut(usize) -> bool) {
    let parents = Parents::all(mdp);
    let mut open: VecDeque<usize> = (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state)).collect();
    while let Some(state) = open.pop_front() {
        for &transition in parents.of(state) {
            if take(transition as usize) {
                open.push_back(mdp.from()[transition as usize] as usize);
            }
        }
    }
}

/// The value of a state: the new one within the chunk, the old one elsewhere.
#[inline(always)]
pub(crate) fn read(base: usize, values: &[f64], next: &[f64], state: u32) -> f64 {
    let state = state as usize;
    match next.get(state.wrapping_sub(base)) {
        Some(&value) => value,
        None => values[state],
    }
}

/// Applies a function to fixed chunks of two vectors, on several threads if the vectors are long.
pub(crate) fn in_chunks<T: Send>(
    values: &mut [f64],
    others: &mut [T],
    of_chunk: impl Fn(usize, &mut [f64], &mut [T]) -> Change + Sync,
) -> Change {
    if !worth_sharing(values.len()) {
        let chunks = values.chunks_mut(CHUNK).zip(others.chunks_mut(CHUNK)).enumerate();
        return chunks.map(|(at, (values, others))| of_chunk(at * CHUNK, values, others)).fold(Change::NOTHING, Change::join);
    }
    let chunks = values.chunks_mut(CHUNK).zip(others.chunks_mut(CHUNK)).enumerate();
    let changes = parallel::map(chunks, |(at, (values, others))| of_chunk(at * CHUNK, values, others));
    changes.into_iter().fold(Change::NOTHING, Change::join)
}
