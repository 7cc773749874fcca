//! p_t: what the t-th state, choice and transition of a path are.

use crate::Mdp;

/// The marginal distributions of one time step t. They sum to the probability that a path is that long, not
/// to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marginals {
    /// p_t(s) of each state.
    pub state: Vec<f64>,
    /// p_t(s, a) of each choice.
    pub choice: Vec<f64>,
    /// p_t(s, a, s') of each transition.
    pub transition: Vec<f64>,
}

impl Marginals {
    /// Nothing is ever visited.
    pub fn zeros(mdp: &Mdp) -> Self {
        Marginals {
            state: vec![0.0; mdp.n_states()],
            choice: vec![0.0; mdp.n_choices()],
            transition: vec![0.0; mdp.n_transitions()],
        }
    }
}
