//! Counts of actions after histories: the baseline that needs no model.

use std::collections::HashMap;

/// How often each action followed each window of states, of one length or shorter at the beginning of a sequence.
pub struct Counts<'a> {
    order: usize,
    n_actions: usize,
    of: HashMap<&'a [usize], Vec<f64>>,
}

/// What is added to each count, so that nothing is impossible (Krichevsky and Trofimov 1981).
const ADDED: f64 = 0.5;

impl<'a> Counts<'a> {
    /// Of these sequences of states and actions.
    pub fn new(order: usize, n_actions: usize, sequences: impl Iterator<Item = (&'a [usize], &'a [usize])>) -> Counts<'a> {
        let mut of: HashMap<&[usize], Vec<f64>> = HashMap::new();
        for (states, actions) in sequences {
            for (t, &action) in actions.iter().enumerate() {
                of.entry(window(states, t, order)).or_insert_with(|| vec![0.0; n_actions])[action] += 1.0;
            }
        }
        Counts { order, n_actions, of }
    }

    /// The log-probability of the actions of a sequence.
    pub fn log_likelihood(&self, states: &[usize], actions: &[usize]) -> f64 {
        let of = |(t, &action): (usize, &usize)| {
            let total = ADDED * self.n_actions as f64;
            match self.of.get(window(states, t, self.order)) {
                Some(counts) => ((counts[action] + ADDED) / (counts.iter().sum::<f64>() + total)).ln(),
                None => (ADDED / total).ln(),
            }
        };
        actions.iter().enumerate().map(of).sum()
    }
}

/// The last `order` states at time t, or all that there are.
fn window(states: &[usize], t: usize, order: usize) -> &[usize] {
    &states[(t + 1).saturating_sub(order)..=t]
}
