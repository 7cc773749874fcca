//! Networks without geography: a number of arcs from each state to states that a congruence draws.

use std::fmt::Write;

use serde_json::json;

use super::Place;

/// The arcs of each state.
const ARCS: usize = 3;

/// Where the arcs of each state lead.
fn arcs(n_states: usize) -> Vec<usize> {
    let mut drawn = 1u64;
    let next = || {
        drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (drawn >> 33) as usize % n_states
    };
    std::iter::repeat_with(next).take(ARCS * n_states).collect()
}

/// A place with a network as `network.json`, and demonstrations of this many states as `demos.jsonl`.
pub fn place(n_states: usize, n_demos: usize, length: usize) -> Place {
    let (place, to) = (Place::new(), arcs(n_states));
    let (from, action): (Vec<usize>, Vec<usize>) = (0..to.len()).map(|arc| (arc / ARCS, arc % ARCS)).unzip();
    let states: Vec<usize> = (0..n_states).collect();
    let problem = json!({
        "n_states": n_states, "n_actions": ARCS, "n_features": 1,
        "start": {"state": [0], "p": [1.0]}, "terminal": [],
        "transitions": {"from": from, "action": action, "to": to, "p": vec![1.0; to.len()]},
        "features": {"state": {"state": states, "feature": vec![0; n_states], "value": vec![1.0; n_states]}},
    });
    place.write_json("network.json", &problem);
    let mut lines = String::new();
    for demo in 0..n_demos {
        let (mut states, mut actions) = (vec![0], Vec::new());
        for step in 1..length {
            let action = (step * step + demo * step + demo) % ARCS;
            states.push(to[states[step - 1] * ARCS + action]);
            actions.push(action);
        }
        let _ = writeln!(lines, "{}", json!({"states": states, "actions": actions}));
    }
    place.write("demos.jsonl", lines);
    place
}
