//! The likeliest episodes of a causal model: Viterbi's recursion with the steps of its Markov chain.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::best_first::Choice;
use super::endpoints::Endpoints;
use super::{PathQuery, Walk};
use crate::Error;
use crate::cancel::Pace;
use crate::engine::Horizon;
use crate::model::{Ends, Given, PathDistribution, PathModel};
use crate::numeric::Scaled;
use crate::world::Mdp;
use crate::world::parents::Parents;

/// The chain of a causal model, and the best continuation of each state at each time.
pub(super) struct Episodes<'a> {
    mdp: &'a Mdp,
    /// log(π_t T) of each transition, at t = 1, 2, …; one list if it does not depend on the time.
    steps: Vec<Vec<f64>>,
    /// log σ_t(s) + log g(s).
    endings: Vec<Vec<f64>>,
    /// The logarithm of the probability of the best continuation, and minus the number of states that follow.
    best: Vec<Vec<Best>>,
    is_stationary: bool,
}

/// The larger is better: first the value, then fewer states.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Best(f64, i64);

impl Best {
    const NONE: Best = Best(f64::NEG_INFINITY, 0);

    fn after(self, step: f64) -> Best {
        Best(self.0 + step, self.1 - 1)
    }
}

impl<'a> Episodes<'a> {
    /// # Errors
    /// If the model has goals and not one is named, no such episode exists, or the memory is too small.
    pub fn new(model: &PathModel<'a>, endpoints: &Endpoints, query: &PathQuery) -> Result<Episodes<'a>, Error> {
        let mdp = model.mdp();
        let mut paths = PathDistribution::backward_only(model, &known(model, endpoints)?, &query.work, false)?;
        let of_time = (mdp.n_transitions() + 3 * mdp.n_states()) * size_of::<f64>();
        let times = model.horizon().at_most().unwrap_or(1);
        if times.saturating_mul(of_time) > query.work.memory {
            let (budget, least) = (query.work.memory, times * of_time);
            return Err(Error::Memory { budget, least, n_states: mdp.n_states() });
        }
        let (mut steps, mut endings) = (Vec::new(), Vec::new());
        paths.watch(&mut |view| {
            let ln = |number: Scaled| number.ln();
            if view.t > 1 {
                steps.push((0..mdp.n_transitions()).map(|transition| ln(view.step(transition))).collect::<Vec<f64>>());
            }
            if endings.len() < times {
                let ending = |state: usize| ln(view.stop(state)) + endpoints.last[state];
                endings.push((0..mdp.n_states()).map(ending).collect::<Vec<f64>>());
            }
            let known = model.horizon() == Horizon::Any && !steps.is_empty();
            if known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let is_stationary = model.horizon() == Horizon::Any;
        let best = Vec::new();
        let mut episodes = Episodes { mdp, steps, endings, best, is_stationary };
        episodes.best = if is_stationary { vec![episodes.constant()] } else { episodes.by_time()? };
        Ok(episodes)
    }

    /// Viterbi's recursion.
    fn by_time(&self) -> Result<Vec<Vec<Best>>, Error> {
        let (mut best, mut pace): (Vec<Vec<Best>>, Pace) = Default::default();
        for t in (0..self.endings.len()).rev() {
            pace.spend(self.mdp.n_transitions())?;
            let mut here: Vec<Best> = self.endings[t].iter().map(|&ending| Best(ending, 0)).collect();
            if let Some(next) = best.last() {
                for (transition, &step) in self.steps[t].iter().enumerate() {
                    let onward = next[self.mdp.to()[transition] as usize].after(step);
                    let best = &mut here[self.mdp.from()[transition] as usize];
                    *best = if onward > *best { onward } else { *best };
                }
            }
            best.push(here);
        }
        best.reverse();
        Ok(best)
    }

    /// Dijkstra's algorithm: no step has a probability above 1.
    fn constant(&self) -> Vec<Best> {
        let parents = Parents::taken(self.mdp);
        let mut best = vec![Best::NONE; self.mdp.n_states()];
        let mut open = BinaryHeap::new();
        let key = |Best(value, states): Best| (Ordered(value), states);
        for (state, &ending) in self.endings[0].iter().enumerate().filter(|row| *row.1 > f64::NEG_INFINITY) {
            best[state] = Best(ending, 0);
            open.push((key(best[state]), Reverse(state)));
        }
        while let Some(((Ordered(value), states), Reverse(state))) = open.pop() {
            if best[state] > Best(value, states) {
                continue;
            }
            for &transition in parents.of(state) {
                let from = self.mdp.from()[transition as usize] as usize;
                let onward = best[state].after(self.steps[0][transition as usize]);
                if onward.0 > f64::NEG_INFINITY && onward > best[from] {
                    best[from] = onward;
                    open.push((key(onward), Reverse(from)));
                }
            }
        }
        best
    }

    /// The place of a time in the lists.
    fn place(&self, t: usize) -> usize {
        if self.is_stationary { 0 } else { t - 1 }
    }

    /// The choices in a state at t.
    pub fn choices(&self, t: usize, state: usize, choices: &mut Vec<Choice>) {
        choices.clear();
        let place = self.place(t);
        let ending = self.endings[place][state];
        if ending > f64::NEG_INFINITY {
            choices.push(Choice { step: None, value: ending, states: 0 });
        }
        let (Some(steps), Some(next)) = (self.steps.get(place), self.best.get(self.place(t + 1))) else { return };
        for transition in self.mdp.children(state) {
            let to = self.mdp.to()[transition] as usize;
            let Best(value, states) = next[to].after(steps[transition]);
            if value > f64::NEG_INFINITY {
                choices.push(Choice { step: Some((transition, to)), value, states: -states as usize });
            }
        }
    }

    /// log p(τ | s_1) of a walk, without g.
    pub fn log_weight(&self, endpoints: &Endpoints, walk: &Walk) -> f64 {
        let last = walk.states[walk.states.len() - 1];
        let steps: f64 = walk.transitions.iter().enumerate().map(|(step, &t)| self.steps[self.place(step + 1)][t]).sum();
        steps + self.endings[self.place(walk.states.len())][last] - endpoints.last[last]
    }
}

/// An `f64` in its total order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The goal, which a model with goals needs: each goal has a policy of its own. First states are not needed.
fn known(model: &PathModel<'_>, endpoints: &Endpoints) -> Result<Given, Error> {
    let n = model.mdp().n_states();
    let anywhere = Given::from_states((0..n).map(|state| (state, 1.0)).collect());
    if model.ends() != Ends::Goal {
        return Ok(anywhere);
    }
    let mut goals = (0..n).filter(|&state| endpoints.last[state] > f64::NEG_INFINITY);
    match (goals.next(), goals.next()) {
        (Some(goal), None) => Ok(anywhere.to(goal)),
        _ => {
            let rule = "each goal has its own policy: name one last state";
            Err(Error::MethodEnds { method: "causal", ends: model.ends().name(), rule })
        }
    }
}
