//! Visits of states, choices or transitions, as `revealed marginals` lists them.

use revealed::{MarginalKind, Mdp};
use serde_json::{Value, json};

/// The numbers of the states, or rows \[s, a, p\] or \[s, a, s', p\].
pub fn visits_json(mdp: &Mdp, kind: MarginalKind, visits: &[f64]) -> Value {
    let choice = |number: usize| (mdp.state_of(number), mdp.action_of(number));
    let row = |(place, p): (usize, &f64)| match kind {
        MarginalKind::State => json!(p),
        MarginalKind::StateAction => {
            let (state, action) = choice(place);
            json!([state, action, p])
        }
        MarginalKind::Transition => {
            let (state, action) = choice(mdp.choice_of()[place] as usize);
            json!([state, action, mdp.to()[place], p])
        }
    };
    visits.iter().enumerate().map(row).collect()
}
