//! States on the command line: one, or weights over all of them.

use std::path::Path;

use revealed::Given;
use revealed_formats::{Problem, load_over_states};

use crate::terminal::Failure;
use crate::terminal::notes::note;

/// A state, or a file with a weight for each state, as (state, probability) without zeros. `option` is the name of
/// the option in messages.
pub fn states(text: &str, option: &'static str, n_states: usize) -> Result<Vec<(usize, f64)>, Failure> {
    match text.parse::<usize>() {
        Ok(number) => Ok(vec![(state(number, option, n_states)?, 1.0)]),
        Err(_) if Path::new(text).is_file() => {
            let weights = load_over_states(text, option, n_states)?;
            let largest = weights.iter().copied().fold(0.0, f64::max);
            // By the largest first: the sum of large numbers may overflow.
            let total: f64 = weights.iter().map(|weight| weight / largest).sum();
            Ok(weights.iter().map(|weight| weight / largest / total).enumerate().filter(|row| row.1 > 0.0).collect())
        }
        Err(_) => Err(Failure::new(format!(
            "{option} {text}: this is neither a state (0 to {}) nor a file with a JSON array of {n_states} weights",
            n_states - 1
        ))),
    }
}

/// Rejects a state that does not exist.
pub fn state(state: usize, option: &'static str, n_states: usize) -> Result<usize, Failure> {
    if state < n_states {
        return Ok(state);
    }
    Err(Failure::new(format!("{option} {state}: there are {n_states} states, give one of 0 to {}", n_states - 1)))
}

/// Parses an option that takes one state and no weights.
pub fn one_state(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| "give the number of one state; only `revealed path` takes a file of weights over last states".to_string())
}

/// The state that has all the weight, if one has.
pub fn only_state(start: &[(usize, f64)]) -> Option<usize> {
    if let &[(state, _)] = start { Some(state) } else { None }
}

/// Says so if no path of the problem begins in this first state: the answer is then conditioned on a path that does.
pub fn note_start(problem: &Problem, first: Option<usize>) {
    if let Some(state) = first.filter(|&state| problem.mdp.start_probability(state) == 0.0) {
        note(format!(
            "no path of the problem begins in state {state} (its start probability is 0): the answer is given that one does"
        ));
    }
}

/// The same for what is known of a path.
pub fn note_given(problem: &Problem, given: &Given) {
    match &given.prefix {
        Some(prefix) => note_start(problem, prefix.states.first().copied()),
        None => note_start(problem, given.start.as_deref().and_then(only_state)),
    }
}
