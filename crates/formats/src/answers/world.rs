//! The world, for those who draw it.

use serde_json::{Value, json};

use crate::Layout;
use crate::problems::Problem;

/// What there is to draw: the states, where they are, and the transitions \[s, a, s', p\].
pub(super) fn world(problem: &Problem) -> Value {
    let mdp = &problem.mdp;
    let transition = |place: usize| {
        let choice = mdp.choice_of()[place] as usize;
        json!([mdp.state_of(choice), mdp.action_of(choice), mdp.to()[place], mdp.probability()[place]])
    };
    let layout = problem.layout.as_ref().map(|layout| match layout {
        Layout::Grid { rows, columns } => json!({ "rows": rows, "columns": columns }),
        Layout::Points { x, y } => json!({ "x": x, "y": y }),
    });
    let names: Vec<String> = (0..problem.features.n_features()).map(|k| problem.features.name(k)).collect();
    json!({
        "n_states": mdp.n_states(),
        "n_actions": mdp.n_actions(),
        "n_features": names.len(),
        "n_transitions": mdp.n_transitions(),
        "discount": mdp.discount(),
        "names": names,
        "start": mdp.start(),
        "terminal": (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state)).collect::<Vec<_>>(),
        "transitions": (0..mdp.n_transitions()).map(transition).collect::<Vec<_>>(),
        "has_reference": mdp.reference().is_some(),
        "layout": layout,
        "true_theta": problem.true_theta,
        "digest": problem.digest(),
    })
}
