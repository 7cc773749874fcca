//! Which last states are possible, however unlikely they are: probabilities may underflow.

use super::certain::certain_to_end;
use crate::engine::Horizon;
use crate::engine::path_set::PathSet;
use crate::world::Mdp;

/// Whether an episode from one of the first states may end in each state.
pub(crate) fn possible_ends(mdp: &Mdp, paths: PathSet, first: &[(usize, f64)]) -> Vec<bool> {
    let may_end = |state: usize, t: usize| paths.may_end(mdp.is_terminal(state), state, t);
    let Horizon::AtMost(horizon) = paths.horizon else {
        let endless = mdp.discount() < 1.0 && paths.stop == crate::engine::Stop::Horizon;
        let ends = |state: usize| may_end(state, 1);
        let certain = if endless { vec![true; mdp.n_states()] } else { certain_to_end(mdp, ends) };
        let mut reached = first_states(mdp, first, &certain);
        let mut is_new = true;
        while is_new {
            let next = after(mdp, &reached, &certain);
            is_new = next.iter().zip(&reached).any(|(next, reached)| *next && !*reached);
            reached.iter_mut().zip(next).for_each(|(reached, next)| *reached |= next);
        }
        return reached.iter().enumerate().map(|(state, reached)| *reached && ends(state)).collect();
    };
    let mut certain = vec![(0..mdp.n_states()).map(|state| may_end(state, horizon)).collect::<Vec<bool>>()];
    for t in (1..horizon).rev() {
        let later = &certain[certain.len() - 1];
        let now = |state: usize| may_end(state, t) || mdp.choices(state).any(|choice| is_safe(mdp, choice, later));
        certain.push((0..mdp.n_states()).map(now).collect());
    }
    certain.reverse();
    let mut reached = first_states(mdp, first, &certain[0]);
    let mut possible = vec![false; mdp.n_states()];
    let mut end_at = |t: usize, reached: &[bool]| {
        (0..mdp.n_states()).for_each(|state| possible[state] |= reached[state] && may_end(state, t));
    };
    end_at(1, &reached);
    for (t, certain) in (2..).zip(&certain[1..]) {
        reached = after(mdp, &reached, certain);
        end_at(t, &reached);
    }
    possible
}

/// The first states from which an episode can surely end.
fn first_states(mdp: &Mdp, first: &[(usize, f64)], certain: &[bool]) -> Vec<bool> {
    let mut reached = vec![false; mdp.n_states()];
    first.iter().filter(|row| row.1 > 0.0).for_each(|row| reached[row.0] = certain[row.0]);
    reached
}

/// Whether a choice may be taken: it surely leads to states from which an episode can surely end.
fn is_safe(mdp: &Mdp, choice: usize, certain: &[bool]) -> bool {
    let taken = mdp.reference().is_none_or(|reference| reference[choice] > 0.0);
    let mut outcomes = mdp.outcomes(choice).filter(|&transition| mdp.probability()[transition] > 0.0);
    taken && outcomes.all(|transition| certain[mdp.to()[transition] as usize])
}

/// The states after one step.
fn after(mdp: &Mdp, reached: &[bool], certain: &[bool]) -> Vec<bool> {
    let mut next = vec![false; mdp.n_states()];
    for choice in (0..mdp.n_choices()).filter(|&choice| reached[mdp.state_of(choice)] && is_safe(mdp, choice, certain)) {
        for transition in mdp.outcomes(choice).filter(|&transition| mdp.probability()[transition] > 0.0) {
            next[mdp.to()[transition] as usize] = true;
        }
    }
    next
}
