//! Enumerated paths.

use revealed::oracle::Path;
use revealed::{Mdp, Trajectory};

/// The action of a transition.
pub fn action_of(mdp: &Mdp, transition: usize) -> usize {
    mdp.action_of(mdp.choice_of()[transition] as usize)
}

/// States and transitions as states and actions.
pub fn trajectory_of(mdp: &Mdp, states: &[usize], transitions: &[usize]) -> Trajectory {
    Trajectory::new(states.to_vec(), transitions.iter().map(|&transition| action_of(mdp, transition)).collect())
}

/// q(τ) e^{R(τ)}.
pub fn weight_of(path: &Path) -> f64 {
    path.log_weight.to_f64().exp()
}

/// The last state.
pub fn last_of(path: &Path) -> usize {
    path.states[path.states.len() - 1]
}

/// Whether a path begins with another.
pub fn begins_with(path: &Path, prefix: &Path) -> bool {
    path.states.starts_with(&prefix.states) && path.transitions.starts_with(&prefix.transitions)
}

/// The paths with their probabilities: shares of the sum of all weights.
pub fn shares(paths: Vec<Path>) -> Vec<(Path, f64)> {
    let weights: Vec<f64> = paths.iter().map(weight_of).collect();
    let total: f64 = weights.iter().sum();
    paths.into_iter().zip(weights).map(|(path, weight)| (path, weight / total)).collect()
}
