//! The likeliest paths that visit no state twice, where likeliest paths are shortest paths: J. Y. Yen's algorithm, in
//! E. L. Lawler's order.
//!
//! The paths that share the beginning of a known path and deviate from it at a given state form a set. The best path of
//! each set is found by A* (P. E. Hart, N. J. Nilsson, B. Raphael). Its heuristic is the cost of the best continuation
//! when loops are allowed.

use std::collections::BinaryHeap;

use super::best_first::{Choice, Enumerated, Walk, WantedPaths};
use super::queue::Queue;
use super::shortest::{Open, Shortest};
use crate::Error;
use crate::cancel::Cancel;

/// A candidate path: the best of those that begin with its first t states and whose next step is not in `banned`.
#[derive(Debug)]
struct Candidate {
    walk: Walk,
    /// log f + R of its first state.
    paid: f64,
    t: usize,
    banned: Vec<Option<usize>>,
}

/// The likeliest loopless paths.
///
/// # Errors
/// [`Error::Stopped`].
pub(crate) fn loopless(shortest: &Shortest<'_>, wanted: &WantedPaths) -> Result<Enumerated, Error> {
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
            Cancel::check()?;
            banned.push(walk.transitions.get(t - 1).copied());
            spurs.push(&mut queue, paid, &walk, t, std::mem::take(&mut banned));
        }
        if walk.states.len() <= wanted.longest {
            walks.push(walk);
        }
    }
    let finished = walks.len() == wanted.k || queue.is_exhausted();
    Ok(Enumerated { walks, finished })
}

/// The search for spur paths, with its arrays.
struct Spurs<'a> {
    shortest: &'a Shortest<'a>,
    /// The cost and the number of steps from the state where the search began.
    label: Vec<(f64, u32)>,
    /// The transition by which a state was reached.
    by: Vec<u32>,
    /// The states whose labels are set.
    touched: Vec<usize>,
    on_prefix: Vec<bool>,
    /// The number of states in which paths end.
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

    /// Adds to the queue the best path that begins with the first `t` states of `walk` and whose next step is not
    /// banned.
    fn push(&mut self, queue: &mut Queue<Candidate>, paid: f64, walk: &Walk, t: usize, banned: Vec<Option<usize>>) {
        let (prefix, steps) = (&walk.states[..t], &walk.transitions[..t - 1]);
        // If every last state is on the prefix, and ending here is banned, the search would visit everything and find
        // nothing.
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

    /// The cheapest continuation from a state that visits no state of the prefix: its cost and its transitions.
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
                return Some((cost + self.shortest.end_cost(state)?, self.path_to(from, state)));
            }
            self.shortest.choices(state, &mut choices);
            for choice in choices.iter().filter(|choice| state != from || !banned.contains(&choice.step.map(|step| step.0))) {
                // The value of a choice is that of the best continuation, with or without loops.
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

    /// The transitions by which the search reached a state.
    fn path_to(&self, from: usize, to: usize) -> Vec<usize> {
        let (mut path, mut state) = (Vec::new(), to);
        while state != from {
            path.push(self.by[state] as usize);
            state = self.shortest.mdp().from()[self.by[state] as usize] as usize;
        }
        path.reverse();
        path
    }
}

/// A state to continue from, or to end in.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reached {
    open: Open,
    end: bool,
}
