//! The transitions into each state.

use crate::world::Mdp;

/// The transitions into each state, in increasing order.
#[derive(Debug, Clone)]
pub(crate) struct Parents {
    first: Vec<u32>,
    transition: Vec<u32>,
}

impl Parents {
    /// Every transition.
    pub fn all(mdp: &Mdp) -> Parents {
        Parents::of_transitions(mdp, |_| true)
    }

    /// Only the transitions that the reference policy may take.
    pub fn taken(mdp: &Mdp) -> Parents {
        Parents::of_transitions(mdp, |transition| mdp.reference_probability(transition) > 0.0)
    }

    fn of_transitions(mdp: &Mdp, counts: impl Fn(usize) -> bool) -> Parents {
        let counted = || (0..mdp.n_transitions()).filter(|&transition| counts(transition));
        let mut first = vec![0; mdp.n_states() + 2];
        // The counts are stored two entries ahead, so that filling moves each beginning to its final entry.
        counted().for_each(|transition| first[mdp.to()[transition] as usize + 2] += 1);
        for state in 2..first.len() {
            first[state] += first[state - 1];
        }
        let mut transitions = vec![0; first[first.len() - 1] as usize];
        for transition in counted() {
            let place = &mut first[mdp.to()[transition] as usize + 1];
            transitions[*place as usize] = transition as u32;
            *place += 1;
        }
        Parents { first, transition: transitions }
    }

    /// The transitions into a state.
    pub fn of(&self, state: usize) -> &[u32] {
        &self.transition[self.first[state] as usize..self.first[state + 1] as usize]
    }
}
