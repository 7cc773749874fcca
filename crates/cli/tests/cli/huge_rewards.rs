//! Rewards so large that their digits are lost: an error, and no number.

use serde_json::{Value, json};

use crate::helpers::Place;

/// One state with three actions that stay there.
fn stay() -> Value {
    json!({
        "format": "revealed-problem/1", "n_states": 1, "n_actions": 3, "n_features": 1,
        "start": {"state": [0], "p": [1]}, "terminal": [],
        "transitions": {"from": [0, 0, 0], "action": [0, 1, 2], "to": [0, 0, 0], "p": [1, 1, 1]},
        "features": {"state": {"state": [0], "feature": [0], "value": [1]}},
    })
}

/// Two ways from 0 or 3 to 1 and 2. The features are large where paths begin and end.
fn two_ways() -> Value {
    json!({
        "format": "revealed-problem/1", "n_states": 4, "n_actions": 3, "n_features": 2, "discount": 0.1791358327160616,
        "start": {"state": [2, 0, 3, 1], "p": [0.0, 0.16219150412876332, 0.20223144263270065, 0.6355770532385361]},
        "terminal": [1, 2],
        "transitions": {
            "from": [0, 0, 0, 3, 3, 3], "action": [0, 1, 2, 0, 1, 2], "to": [1, 2, 1, 0, 1, 2],
            "p": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        },
        "features": {
            "state": {
                "state": [0, 1, 2, 3], "feature": [1, 0, 0, 1],
                "value": [0.8778231933845136, 1.3381012257276814, -1.0, 1.2985011053266537],
            },
            "state_action": {
                "state": [0, 0, 0, 0, 3, 3], "action": [0, 1, 2, 2, 0, 1], "feature": [1, 1, 0, 1, 0, 1],
                "value": [0.96, -0.096, 0.74, 0.2, 1.0, -0.25],
            },
        },
    })
}

fn place(problem: &Value, theta: &Value, horizon: usize) -> Place {
    let place = Place::new();
    place.write_json("p.json", problem);
    place.write_json("m.json", &json!({"format": "revealed-model/1", "theta": theta, "horizon": horizon, "ends": "anywhere"}));
    place
}

const WORDS: [&str; 3] = ["the reward of", "scale the features or theta down", "bounds on theta"];

#[test]
fn a_policy_that_nothing_is_known_of() {
    let huge = place(&stay(), &json!([-1e17]), 2);
    for line in ["policy p.json m.json", "lengths p.json m.json", "marginals p.json m.json"] {
        huge.refuses(line, &["state 0 is -1e17", WORDS[1], WORDS[2]]);
    }
    // Large rewards whose digits suffice are answered.
    let large = place(&stay(), &json!([-1e9]), 2);
    let found = large.run("policy p.json m.json --json").json();
    assert_eq!(found["policy"]["mean_length"], json!(1.0), "{found}");
}

#[test]
fn lengths_to_a_goal_from_several_starts() {
    let huge = place(&two_ways(), &json!([1e17, -1e17]), 5);
    huge.refuses("lengths p.json m.json --ends goal --to 1 --json", &WORDS);
    huge.refuses("marginals p.json m.json --ends goal --to 1", &WORDS);
    let large = place(&two_ways(), &json!([1e6, -1e6]), 5);
    let found = large.run("lengths p.json m.json --ends goal --to 1 --json").json();
    let p: Vec<f64> = found["length"].as_array().expect("a list").iter().filter_map(|pair| pair[1].as_f64()).collect();
    assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9 && p.iter().all(|p| (0.0..=1.0).contains(p)), "{found}");
}
