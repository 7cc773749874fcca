//! Two problems: one that uses every field, and the smallest.

use revealed_formats::{Layout, ProblemColumns};
use serde_json::{Value, json};

/// Four states, two actions, a terminal state, every kind of feature and a reference policy.
pub fn columns() -> ProblemColumns {
    let mut columns = ProblemColumns::new(4, 2, 3);
    columns.discount = 0.9;
    columns.start.push([0], 0.75);
    columns.start.push([1], 0.25);
    columns.terminal = vec![3];
    columns.transitions.push([0, 0, 1], 1.0);
    columns.transitions.push([0, 1, 2], 0.3);
    columns.transitions.push([0, 1, 3], 0.7);
    columns.transitions.push([1, 0, 2], 1.0);
    columns.transitions.push([2, 0, 3], 1.0);
    columns.state_features.push([1, 0], 0.1);
    columns.state_features.push([2, 0], -2.5);
    columns.state_action_features.push([0, 1, 1], 1.0 / 3.0);
    columns.transition_features.push([2, 2], 1e-300);
    columns.names = ["länge", "toll", "risk"].map(str::to_string).to_vec();
    for (pair, p) in [([0, 0], 0.5), ([0, 1], 0.5), ([1, 0], 1.0), ([2, 0], 1.0)] {
        columns.reference.push(pair, p);
    }
    columns.layout = Some(Layout::Grid { rows: 2, columns: 2 });
    columns.true_theta = Some(vec![-1.0, 0.25, 3.0]);
    columns
}

/// The smallest problem: 0 → 1, which is terminal, or 0 → 0.
pub fn document() -> Value {
    json!({
        "format": "revealed-problem/1",
        "n_states": 2, "n_actions": 2, "n_features": 1,
        "start": {"state": [0], "p": [1.0]},
        "terminal": [1],
        "transitions": {"from": [0, 0], "action": [0, 1], "to": [1, 0], "p": [1.0, 1.0]},
        "features": {"state": {"state": [1], "feature": [0], "value": [1.0]}}
    })
}
