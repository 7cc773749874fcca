//! The cost of the shortest path from each state to the last states, without a discount and at any length: E. W.
//! Dijkstra's algorithm.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::best_first::Choice;
use super::endpoints::Endpoints;
use super::reach::Reach;
use crate::Error;
use crate::model::PathModel;
use crate::routes::costs::Costs;
use crate::world::Mdp;
use crate::world::parents::Parents;

/// The cost of the shortest path from each state to the last states, and its number of steps.
#[derive(Debug)]
pub(crate) struct Shortest<'a> {
    model: &'a PathModel<'a>,
    endpoints: &'a Endpoints,
    costs: Costs,
    /// In reduced costs, including −log g and the potential of the last state; infinite if there is no path.
    label: Vec<(f64, u32)>,
}

impl<'a> Shortest<'a> {
    /// Searches backwards from the last states, among the states on paths of at most `longest` states: everywhere, or,
    /// if only one path is wanted, until the first states are reached.
    ///
    /// # Errors
    /// As [`Costs::new`].
    pub fn new(
        model: &'a PathModel<'a>,
        endpoints: &'a Endpoints,
        (parents, reach): (&Parents, &Reach),
        longest: usize,
        only_one: bool,
    ) -> Result<Self, Error> {
        let within: Vec<bool> = (0..model.mdp().n_states()).map(|state| reach.lies_between(state, longest)).collect();
        let costs = Costs::new(model, &within)?;
        let mut shortest = Shortest { model, endpoints, costs, label: vec![(f64::INFINITY, 0); within.len()] };
        shortest.search(parents, &within, only_one);
        Ok(shortest)
    }

    fn search(&mut self, parents: &Parents, within: &[bool], only_one: bool) {
        let mut open = BinaryHeap::new();
        for state in (0..within.len()).filter(|&state| within[state]) {
            if let Some(cost) = self.end_cost(state) {
                self.label[state] = (cost, 0);
                open.push(Open::new(cost, 0, state));
            }
        }
        let mut is_first = vec![false; if only_one { within.len() } else { 0 }];
        let mut missing = self.endpoints.first.iter().filter(|row| within[row.0]).count();
        if only_one {
            self.endpoints.first.iter().for_each(|row| is_first[row.0] = true);
        }
        while let Some(Open { cost, steps, state }) = open.pop() {
            let state = state as usize;
            if (cost, steps) != self.label[state] {
                continue;
            }
            if only_one && std::mem::replace(&mut is_first[state], false) {
                missing -= 1;
                if missing == 0 {
                    break;
                }
            }
            for &transition in parents.of(state) {
                let from = self.model.mdp().from()[transition as usize] as usize;
                let found = (cost + self.costs.reduced[transition as usize], steps + 1);
                if found < self.label[from] && found.0.is_finite() {
                    self.label[from] = found;
                    open.push(Open::new(found.0, found.1, from));
                }
            }
        }
    }

    /// The first states with log f + R and the potential, which the values of choices do not include.
    pub fn first(&self) -> Vec<(usize, f64)> {
        let paid = |state: usize| self.model.reward().state[state] + self.costs.potential[state];
        self.endpoints.first.iter().map(|&(state, log_f)| (state, log_f + paid(state))).collect()
    }

    /// The total reduced cost of some transitions.
    pub fn cost(&self, transitions: &[usize]) -> f64 {
        transitions.iter().map(|&transition| self.costs.reduced[transition]).sum()
    }

    pub fn mdp(&self) -> &Mdp {
        self.model.mdp()
    }

    /// The choices in a state, in reduced costs.
    pub fn choices(&self, state: usize, choices: &mut Vec<Choice>) {
        choices.clear();
        choices.extend(self.end_cost(state).map(|cost| Choice { step: None, value: -cost, states: 0 }));
        let mdp = self.model.mdp();
        for transition in mdp.children(state) {
            let to = mdp.to()[transition] as usize;
            let (cost, steps) = self.label[to];
            let value = -(cost + self.costs.reduced[transition]);
            if value > f64::NEG_INFINITY {
                choices.push(Choice { step: Some((transition, to)), value, states: steps as usize + 1 });
            }
        }
    }

    /// The cost of ending in a state; `None` if no path ends there.
    pub fn end_cost(&self, state: usize) -> Option<f64> {
        let log_g = self.endpoints.last[state];
        (log_g > f64::NEG_INFINITY).then(|| self.costs.potential[state] - log_g)
    }
}

/// A state in the heap: the cheapest first, and of equal costs the one with the fewest steps, so that no path contains
/// a cycle of cost 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    cost: f64,
    steps: u32,
    pub state: u32,
}

impl Open {
    pub fn new(cost: f64, steps: u32, state: usize) -> Open {
        Open { cost, steps, state: state as u32 }
    }

    /// The label that the state had when it was put into the heap.
    pub fn key(&self) -> (f64, u32) {
        (self.cost, self.steps)
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap returns the largest entry first.
        let by_cost = other.cost.total_cmp(&self.cost);
        by_cost.then(other.steps.cmp(&self.steps)).then(other.state.cmp(&self.state))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}
