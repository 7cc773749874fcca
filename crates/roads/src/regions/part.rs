//! The world of some of the states.

use revealed::worlds::Layout;
use revealed_formats::{ProblemColumns, Table};

const OUTSIDE: usize = usize::MAX;

/// States of a world by their numbers in a part of it.
pub(super) struct Numbers {
    of: Vec<usize>,
    n: usize,
}

impl Numbers {
    /// Of these states, in this order.
    pub fn new(n_states: usize, states: &[usize]) -> Numbers {
        let mut of = vec![OUTSIDE; n_states];
        states.iter().enumerate().for_each(|(number, &state)| of[state] = number);
        Numbers { of, n: states.len() }
    }

    /// The number of a state; `None` if it is outside.
    pub fn get(&self, state: usize) -> Option<usize> {
        Some(self.of[state]).filter(|&number| number != OUTSIDE)
    }
}

/// The world of these states alone. A choice that may lead outside is dropped, and a state without choices is terminal.
pub(super) fn part_of(whole: &ProblemColumns, numbers: &Numbers) -> ProblemColumns {
    let mut part = ProblemColumns::new(numbers.n, whole.n_actions as usize, whole.n_features as usize);
    part.discount = whole.discount;
    part.names = whole.names.clone();
    part.true_theta = whole.true_theta.clone();

    let mut broken = std::collections::HashSet::new();
    for ([from, action, to], _) in whole.transitions.rows() {
        if numbers.get(from).is_some() && numbers.get(to).is_none() {
            broken.insert((from, action));
        }
    }
    let mut row_of = vec![None; whole.transitions.len()];
    let mut leaves = vec![false; numbers.n];
    for (row, ([from, action, to], p)) in whole.transitions.rows().enumerate() {
        if let (Some(a), Some(b)) = (numbers.get(from), numbers.get(to))
            && !broken.contains(&(from, action))
        {
            row_of[row] = Some(part.transitions.len());
            part.transitions.push([a, action, b], p);
            leaves[a] = true;
        }
    }
    let choices = |rows: &Table<3>, into: &mut Table<3>| {
        for ([state, action, feature], value) in rows.rows() {
            if let Some(number) = numbers.get(state).filter(|_| !broken.contains(&(state, action))) {
                into.push([number, action, feature], value);
            }
        }
    };
    choices(&whole.state_action_features, &mut part.state_action_features);
    for ([state, feature], value) in whole.state_features.rows() {
        if let Some(number) = numbers.get(state) {
            part.state_features.push([number, feature], value);
        }
    }
    for ([row, feature], value) in whole.transition_features.rows() {
        if let Some(row) = row_of[row] {
            part.transition_features.push([row, feature], value);
        }
    }
    for ([state, action], p) in whole.reference.rows() {
        if let Some(number) = numbers.get(state).filter(|_| !broken.contains(&(state, action))) {
            part.reference.push([number, action], p);
        }
    }
    let inside: Vec<([usize; 1], f64)> = whole.start.rows().filter(|([state], _)| numbers.get(*state).is_some()).collect();
    // A region with every start keeps the bits of the whole.
    let known = if inside.len() == whole.start.len() { 1.0 } else { inside.iter().map(|(_, p)| p).sum() };
    for ([state], p) in inside {
        if let Some(number) = numbers.get(state) {
            part.start.push([number], p / known);
        }
    }
    part.terminal = (0..numbers.n).filter(|&state| !leaves[state]).map(|state| state as i64).collect();
    if let Some(Layout::Points { x, y }) = &whole.layout {
        let inside = |column: &[f64]| {
            let mut found = vec![0.0; numbers.n];
            column.iter().enumerate().for_each(|(state, &value)| {
                if let Some(number) = numbers.get(state) {
                    found[number] = value;
                }
            });
            found
        };
        part.layout = Some(Layout::Points { x: inside(x), y: inside(y) });
    }
    part
}
