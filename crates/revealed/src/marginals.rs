//! p_t: where a path is at one time.

use crate::Mdp;

/// The marginals of one time step t (eq:s-marginals, eq:sa-marginals, eq:sas-marginals).
#[derive(Debug, Clone, PartialEq)]
pub struct Marginals {
    /// p_t(s) of each state.
    pub state: Vec<f64>,
    /// p_t(s, a) of each choice.
    pub choice: Vec<f64>,
    /// p_t(s, a, s') of each transition.
    pub transition: Vec<f64>,
}

impl Marginals {
    /// All zero.
    pub fn zeros(mdp: &Mdp) -> Self {
        Marginals {
            state: vec![0.0; mdp.n_states()],
            choice: vec![0.0; mdp.n_choices()],
            transition: vec![0.0; mdp.n_transitions()],
        }
    }
}
