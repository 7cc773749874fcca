//! Planning in plain loops.

use crate::planning::{AtTerminal, Paid, Planning, Policy};
use crate::world::{Mdp, Reward};

/// Q(s, a) of a choice, given the values of the states, directly from the definition.
fn action_value(mdp: &Mdp, reward: &Reward, planning: &Planning, values: &[f64], choice: usize) -> f64 {
    let of_state = |state: usize, when: Paid| if planning.paid == when { reward.state[state] } else { 0.0 };
    let mut sum = of_state(mdp.state_of(choice), Paid::InState);
    for transition in mdp.outcomes(choice) {
        let to = mdp.to()[transition] as usize;
        let pays = reward.of_transition(transition) + of_state(to, Paid::OnArrival);
        sum += mdp.probability()[transition] * (pays + planning.discount(mdp) * values[to]);
    }
    sum
}

fn terminal_value(mdp: &Mdp, reward: &Reward, planning: &Planning, state: usize) -> f64 {
    match (planning.at_terminal, planning.paid) {
        (AtTerminal::KeepsPaying, _) => reward.state[state] / (1.0 - planning.discount(mdp)),
        (AtTerminal::Ends, Paid::InState) => reward.state[state],
        (AtTerminal::Ends, Paid::OnArrival) => 0.0,
    }
}

/// V* by value iteration: `steps` sweeps over all states, from 0.
pub fn value_iteration(mdp: &Mdp, reward: &Reward, planning: &Planning, steps: usize) -> Vec<f64> {
    let mut values = vec![0.0; mdp.n_states()];
    for _ in 0..steps {
        let new = |state: usize| {
            let of_choices = mdp.choices(state).map(|choice| action_value(mdp, reward, planning, &values, choice));
            of_choices.reduce(f64::max).unwrap_or_else(|| terminal_value(mdp, reward, planning, state))
        };
        values = (0..mdp.n_states()).map(new).collect();
    }
    values
}

/// v of a policy, by Gaussian elimination on the dense linear equations (I - γ P) v = r.
pub fn policy_values(mdp: &Mdp, reward: &Reward, planning: &Planning, policy: &Policy) -> Vec<f64> {
    let n = mdp.n_states();
    let zeros = vec![0.0; n];
    let mut rows = vec![vec![0.0; n + 1]; n];
    for (state, row) in rows.iter_mut().enumerate() {
        row[state] = 1.0;
        if mdp.is_terminal(state) {
            row[n] = terminal_value(mdp, reward, planning, state);
        }
        for choice in mdp.choices(state) {
            row[n] += policy.probability(choice) * action_value(mdp, reward, planning, &zeros, choice);
            for transition in mdp.outcomes(choice) {
                let weight = policy.probability(choice) * mdp.probability()[transition];
                row[mdp.to()[transition] as usize] -= planning.discount(mdp) * weight;
            }
        }
    }
    eliminate(rows)
}

/// Solves linear equations with partial pivoting. The right-hand side is the last column.
fn eliminate(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for column in 0..n {
        let pivot = (column..n).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs())).unwrap_or(column);
        rows.swap(column, pivot);
        let pivot = rows[column].clone();
        for (at, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != column) {
            let factor = row[column] / pivot[column];
            debug_assert!(factor.is_finite(), "row {at}");
            row.iter_mut().zip(&pivot).for_each(|(entry, of_pivot)| *entry -= factor * of_pivot);
        }
    }
    rows.iter().enumerate().map(|(at, row)| row[n] / row[at]).collect()
}
