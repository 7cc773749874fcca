//! The heaviest continuation of each state, and the loops that make a sum over paths infinite.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use crate::Error;
use crate::cancel::Pace;
use crate::world::Mdp;

/// Improvements below this share of a label are rounding.
const ROUNDING: f64 = 1e-13;

/// The heaviest path between each state and a source.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heaviest {
    /// h(s): the logarithm of its weight; -∞ if there is none.
    pub log: Vec<f64>,
    /// The sum of the absolute values of the logarithms of its steps: h(s) is known to this times the rounding.
    pub size: Vec<f64>,
    /// The transition with which it begins, and the state that this leads to; `None` at a source.
    pub back: Vec<Option<(usize, usize)>>,
}

/// The heaviest path between each state and a source.
///
/// A label-correcting search, because rewards may be positive. `sources` has the logarithm of the weight of each
/// source, -∞ for other states. `steps` lists the transitions at a state and the states at their other ends.
///
/// If a cycle weighs more than 1, the search never ends, and sooner or later each label of some cycle was set from the
/// next one on it (Cherkassky and Goldberg, 1999). It looks for such a cycle each time that it has changed as many labels
/// as there are states, so that looking costs no more than searching. To wait for a label of more steps than states
/// instead takes minutes in a city.
///
/// # Errors
/// [`Error::Diverges`] with a cycle whose weight exceeds 1; [`Error::Stopped`].
pub(super) fn potentials<'s, S: Iterator<Item = (usize, usize)>>(
    log_weight: &[f64],
    sources: &[f64],
    steps: impl Fn(usize) -> S + 's,
    counts: impl Fn(usize) -> bool,
) -> Result<Heaviest, Error> {
    let n = sources.len();
    let mut labels = Labels { of_state: vec![f64::NEG_INFINITY; n], size: vec![0.0; n], back: vec![None; n] };
    let mut open: VecDeque<usize> = (0..n).filter(|&state| counts(state) && sources[state] > f64::NEG_INFINITY).collect();
    // The heaviest sources first: most labels are then final at once.
    open.make_contiguous().sort_by(|&one, &other| sources[other].total_cmp(&sources[one]));
    let (mut waits, mut changed, mut pace) = (vec![false; n], 0, Pace::default());
    for &state in &open {
        labels.of_state[state] = sources[state];
        labels.size[state] = sources[state].abs();
        waits[state] = true;
    }
    while let Some(state) = open.pop_front() {
        waits[state] = false;
        pace.spend(16)?;
        for (transition, other) in steps(state) {
            if !counts(other) || !labels.improves(other, transition, state, log_weight) {
                continue;
            }
            changed += 1;
            if changed % n == 0
                && let Some(on_cycle) = labels.cycle()
            {
                return Err(labels.gaining_cycle(log_weight, on_cycle));
            }
            if !std::mem::replace(&mut waits[other], true) {
                open.push_back(other);
            }
        }
    }
    Ok(Heaviest { log: labels.of_state, size: labels.size, back: labels.back })
}

/// The labels of the search.
struct Labels {
    of_state: Vec<f64>,
    /// See [`Heaviest`].
    size: Vec<f64>,
    /// The transition and the state from which the label was set; `None` at a source.
    back: Vec<Option<(usize, usize)>>,
}

impl Labels {
    /// Sets the label of a state if a transition between it and `next` improves it.
    fn improves(&mut self, state: usize, transition: usize, next: usize, log_weight: &[f64]) -> bool {
        let found = log_weight[transition] + self.of_state[next];
        // A label of -∞ is improved by every number.
        if found == f64::NEG_INFINITY || found <= self.of_state[state] + ROUNDING * (1.0 + found.abs()) {
            return false;
        }
        self.of_state[state] = found;
        self.size[state] = self.size[next] + log_weight[transition].abs();
        self.back[state] = Some((transition, next));
        true
    }

    /// A state on a cycle of labels of which each was set from the next, if there is one.
    fn cycle(&self) -> Option<usize> {
        // The number of the walk that came by first; 0 if none did.
        let mut walk_at = vec![0; self.back.len()];
        for walk in 1..=self.back.len() {
            let mut here = walk - 1;
            while walk_at[here] == 0 {
                walk_at[here] = walk;
                match self.back[here] {
                    Some((_, next)) => here = next,
                    None => break,
                }
            }
            if walk_at[here] == walk && self.back[here].is_some() {
                return Some(here);
            }
        }
        None
    }

    /// The cycle of labels through a state.
    fn gaining_cycle(&self, log_weight: &[f64], begin: usize) -> Error {
        let onwards = |state: usize| self.back[state].map_or(state, |(_, next)| next);
        let (mut states, mut gain, mut here) = (vec![begin], 0.0, begin);
        loop {
            gain += self.back[here].map_or(0.0, |(transition, _)| log_weight[transition]);
            here = onwards(here);
            if here == begin {
                break;
            }
            states.push(here);
        }
        Error::Diverges { state: begin, states, log_weight: gain, together: gain.exp() }
    }
}

/// A state whose label is final when it is popped.
#[derive(PartialEq)]
struct Labelled {
    cost: f64,
    state: usize,
}

impl Eq for Labelled {}

impl PartialOrd for Labelled {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Labelled {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then_with(|| other.state.cmp(&self.state))
    }
}

/// The error for loops through a state that weigh at least 1 together, although none does alone. It names the heaviest,
/// by Dijkstra's algorithm from the state back to itself. `weights` are those of the transitions, at most 1 each up to
/// rounding.
pub(super) fn heaviest_loop(mdp: &Mdp, weights: &[f64], state: usize, together: f64) -> Error {
    let mut labels: Vec<(f64, Option<usize>)> = vec![(f64::INFINITY, None); mdp.n_states()];
    let mut open = BinaryHeap::from([Labelled { cost: 0.0, state }]);
    let mut begun = false;
    while let Some(Labelled { cost, state: here }) = open.pop() {
        if here == state && std::mem::replace(&mut begun, true) {
            break;
        }
        for transition in mdp.children(here).filter(|&transition| weights[transition] > 0.0) {
            let (to, found) = (mdp.to()[transition] as usize, cost + (-weights[transition].ln()).max(0.0));
            if found < labels[to].0 {
                labels[to] = (found, Some(transition));
                open.push(Labelled { cost: found, state: to });
            }
        }
    }
    let (mut states, mut log_weight, mut here) = (Vec::new(), 0.0, state);
    while let Some(transition) = labels[here].1 {
        log_weight += weights[transition].ln();
        here = mdp.from()[transition] as usize;
        states.push(here);
        if here == state || states.len() > mdp.n_states() {
            break;
        }
    }
    states.reverse();
    Error::Diverges { state, states, log_weight, together }
}
