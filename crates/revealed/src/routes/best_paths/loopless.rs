//! The likeliest paths that visit no state twice, where shortest paths are likeliest: J. Y. Yen's search, in E. L. Lawler's order.
//!
//! The paths that begin as a known one does, and leave it at a certain place, are a set of their own; the best of each such set is
//! found by A* (P. E. Hart, N. J. Nilsson, B. Raphael) with what the best way without the ban on loops would cost.

use std::collections::BinaryHeap;

use super::best_first::{Choice, Enumerated, Walk, WantedPaths};
use super::queue::Queue;
use super::shortest::{Open, Shortest};

/// A known path, the best of those that begin with its first t states and do none of `banned` in the t-th.
#[derive(Debug)]
struct Candidate {
    walk: Walk,
    /// log f + R of its first state.
    paid: f64,
    t: usize,
    banned: Vec<Option<usize>>,
}

/// The likeliest loopless paths.
pub(crate) fn loopless(shortest: &Shortest<'_>, wanted: &WantedPaths) -> Enumerated {
    let mut spurs = Spurs::new(shortest);
    let mut queue = Queue::new();
    for (state, paid) in shortest.first() {
        let begin = Walk { states: vec![state], transitions: Vec::new() };
        spurs.push(&mut queue, paid, &begin, 1, Vec::new());
    }
    let (mut walks, mut seen) = (Vec::new(), 0);
    while walks.len() < wanted.k && seen < wanted.walks {
        queue.keep(wanted.walks - seen);
        let Some((_, Candidate { walk, paid, t: from, mut banned })) = queue.pop() else { break };
        seen += 1;
        for t in from..=walk.states.len().min(wanted.longest) {
            banned.push(walk.transitions.get(t - 1).copied());
            spurs.push(&mut queue, paid, &walk, t, std::mem::take(&mut banned));
        }
        if walk.states.len() <= wanted.longest {
            walks.push(walk);
        }
    }
    let finished = walks.len() == wanted.k || queue.is_exhausted();
    Enumerated { walks, finished }
}

/// The search for the best way on, with its arrays.
struct Spurs<'a> {
    shortest: &'a Shortest<'a>,
    /// The cost and the steps from where the search began.
    label: Vec<(f64, u32)>,
    /// The transition by which a state was reached.
    by: Vec<u32>,
    /// The states whose labels are set.
    touched: Vec<usize>,
    on_prefix: Vec<bool>,
    /// How many states paths end in.
    n_ends: usize,
}

impl<'a> Spurs<'a> {
    fn new(shortest: &'a Shortest<'a>) -> Self {
        let n_states = shortest.mdp().n_states();
        Spurs {
            shortest,
            label: vec![(f64::INFINITY, 0); n_states],
            by: vec![0; n_states],
            touched: Vec::new(),
            on_prefix: vec![false; n_states],
            n_ends: (0..n_states).filter(|&state| shortest.end_cost(state).is_some()).count(),
        }
    }

    /// Puts the best path into the queue that begins with the first `t` states of `walk` and then does nothing that is banned.
    fn push(&mut self, queue: &mut Queue<Candidate>, paid: f64, walk: &Walk, t: usize, banned: Vec<Option<usize>>) {
        let (prefix, steps) = (&walk.states[..t], &walk.transitions[..t - 1]);
        // Without a place to end that is left, the search would go everywhere to find nothing.
        let used = prefix.iter().filter(|&&state| self.shortest.end_cost(state).is_some()).count();
        if used == self.n_ends && banned.contains(&None) {
            return;
        }
        prefix.iter().for_each(|&state| self.on_prefix[state] = true);
        let found = self.search(prefix[t - 1], &banned);
        prefix.iter().for_each(|&state| self.on_prefix[state] = false);
        if let Some((cost, rest)) = found {
            let mdp = self.shortest.mdp();
            let mut walk = Walk { states: prefix.to_vec(), transitions: steps.to_vec() };
            walk.states.extend(rest.iter().map(|&transition| mdp.to()[transition] as usize));
            walk.transitions.extend(rest);
            let score = paid - self.shortest.cost(steps) - cost;
            queue.push(score, walk.states.len(), Candidate { walk, paid, t, banned });
        }
    }

    /// The cheapest way on from a state that meets no state of the prefix: its cost and its transitions.
    fn search(&mut self, from: usize, banned: &[Option<usize>]) -> Option<(f64, Vec<usize>)> {
        self.touched.drain(..).for_each(|state| self.label[state] = (f64::INFINITY, 0));
        let mut choices: Vec<Choice> = Vec::new();
        let mut open = BinaryHeap::from([Reached { open: Open::new(0.0, 0, from), end: false }]);
        self.touched.push(from);
        self.label[from] = (0.0, 0);
        while let Some(Reached { open: Open { state, .. }, end }) = open.pop() {
            let state = state as usize;
            let (cost, steps) = self.label[state];
            if end {
                return Some((cost + self.shortest.end_cost(state)?, self.way(from, state)));
            }
            self.shortest.choices(state, &mut choices);
            for choice in choices.iter().filter(|choice| state != from || !banned.contains(&choice.step.map(|step| step.0))) {
                // A choice counts all that may follow, loops or not.
                let rank = |state| Open::new(cost - choice.value, steps + choice.states as u32, state);
                let Some((transition, to)) = choice.step else {
                    open.push(Reached { open: rank(state), end: true });
                    continue;
                };
                let reached = (cost + self.shortest.cost(&[transition]), steps + 1);
                if !self.on_prefix[to] && reached < self.label[to] {
                    self.label[to] = reached;
                    self.by[to] = transition as u32;
                    self.touched.push(to);
                    open.push(Reached { open: rank(to), end: false });
                }
            }
        }
        None
    }

    /// The transitions by which the search came to a state.
    fn way(&self, from: usize, to: usize) -> Vec<usize> {
        let (mut way, mut state) = (Vec::new(), to);
        while state != from {
            way.push(self.by[state] as usize);
            state = self.shortest.mdp().from()[self.by[state] as usize] as usize;
        }
        way.reverse();
        way
    }
}

/// A state to go on from, or to end in.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reached {
    open: Open,
    end: bool,
}
