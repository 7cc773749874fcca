//! What the commands that ask a model have in common: which model, from where, to where.

use std::path::Path;

use revealed::{Ends, Method, PathModel, Trajectory};
use revealed_formats::{Model, Problem, load_over_states};

use crate::args;
use crate::failure::Failure;

/// The model with its own horizon and ends, unless others are given.
pub fn path_model<'a>(
    problem: &'a Problem,
    model: &Model,
    horizon: Option<usize>,
    ends: Option<args::Ends>,
) -> Result<PathModel<'a>, Failure> {
    if model.inference == Method::CausalEntropy {
        let message = "the model is one of causal entropy (inference causal): it gives policies and no weights of paths; \
                       `marginals` and `sample` can use it, for this learn with --inference exact";
        return Err(Failure::new(message));
    }
    let reward = problem.features.reward(&problem.mdp, &model.theta)?;
    let ends = ends.map_or(model.ends, Ends::from);
    let paths = PathModel::new(&problem.mdp, reward, horizon.unwrap_or(model.horizon), ends)?;
    note_precision(&paths);
    Ok(paths)
}

/// Says so if rewards are so large that the rounding of a path's reward shows in its probability.
fn note_precision(paths: &PathModel<'_>) {
    let reward = paths.reward();
    let largest = reward.state.iter().chain(&reward.transition).fold(0.0, |largest: f64, r| largest.max(r.abs()));
    let lost = largest * paths.horizon() as f64 * f64::EPSILON;
    if lost > 1e-3 {
        eprintln!(
            "note: a single reward reaches {largest:e}: 64-bit numbers hold the reward of a path of {} states to about {lost:.0e} only, and \
             its probability to that share; scale the features or theta down",
            paths.horizon()
        );
    }
}

/// A path as `s,a,s,a,s`.
pub fn prefix(text: &str) -> Result<Trajectory, Failure> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len().is_multiple_of(2) {
        return Err(Failure::new(format!(
            "the prefix {text:?} has {} numbers: give states and actions in turns, beginning and ending with a state, as in 0,2,1",
            parts.len()
        )));
    }
    let number = |(place, part): (usize, &&str)| {
        part.parse::<usize>().map_err(|_| {
            let what = if place % 2 == 0 { "a state" } else { "an action" };
            Failure::new(format!("the prefix {text:?}: {part:?} is not {what}: give a number from 0 on"))
        })
    };
    let numbers = parts.iter().enumerate().map(number).collect::<Result<Vec<usize>, Failure>>()?;
    let every_second = |first: usize| numbers.iter().copied().skip(first).step_by(2).collect();
    Ok(Trajectory::new(every_second(0), every_second(1)))
}

/// A state, or a file with a weight for each state, as (state, probability) without zeros. `option` is what messages call it.
pub fn states(text: &str, option: &'static str, n_states: usize) -> Result<Vec<(usize, f64)>, Failure> {
    match text.parse::<usize>() {
        Ok(number) => Ok(vec![(state(number, option, n_states)?, 1.0)]),
        Err(_) if Path::new(text).is_file() => {
            let weights = load_over_states(text, option, n_states)?;
            let largest = weights.iter().copied().fold(0.0, f64::max);
            // By the largest first: the sum of large numbers may not be one.
            let total: f64 = weights.iter().map(|weight| weight / largest).sum();
            Ok(weights.iter().map(|weight| weight / largest / total).enumerate().filter(|row| row.1 > 0.0).collect())
        }
        Err(_) => Err(Failure::new(format!(
            "{option} {text}: this is neither a state (0 to {}) nor a file with a JSON array of {n_states} weights",
            n_states - 1
        ))),
    }
}

/// Refuses a state that does not exist.
pub fn state(state: usize, option: &'static str, n_states: usize) -> Result<usize, Failure> {
    if state < n_states {
        return Ok(state);
    }
    Err(Failure::new(format!("{option} {state}: there are {n_states} states, give one of 0 to {}", n_states - 1)))
}

/// Says so if no path of the problem begins with this state: answers are then given that it does.
pub fn note_start(problem: &Problem, state: usize) {
    if problem.mdp.start_probability(state) == 0.0 {
        eprintln!(
            "note: no path of the problem begins in state {state} (its start probability is 0): the answer is given that one does"
        );
    }
}
