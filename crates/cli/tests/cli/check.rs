//! `revealed check`: the description of a problem, and every fault.

use serde_json::{Value, json};

use crate::helpers::fixtures;

#[test]
fn check_describes_the_problem() {
    let place = fixtures::place();
    let facts = place.run("check problem.json demos.jsonl --json").json();
    let exact = json!({"ok": true, "faults": [], "n_states": 3, "n_actions": 3, "n_features": 3, "n_transitions": 5,
        "n_terminal": 2, "deterministic": false, "n_demonstrations": 2, "longest": 3, "n_finished": 2});
    for (field, value) in exact.as_object().unwrap() {
        assert_eq!(&facts[field], value, "{field}");
    }
    let words = place.run("check problem.json demos.jsonl").ended(0).stdout;
    for part in ["3 states (2 terminal)", "5 transitions", "stochastic", "2 demonstrations of 2 to 3 states", "no faults"] {
        assert!(words.contains(part), "{part} is not in {words}");
    }
}

#[test]
fn check_lists_everything_that_is_wrong() {
    let place = fixtures::place();
    let mut problem = fixtures::fork();
    problem["transitions"]["p"] = json!([1.0, 0.5, 0.25, 0.25, 0.75]);
    problem["start"]["p"] = json!([0.5]);
    problem["features"]["state"]["feature"] = json!([3]);
    place.write_json("problem.json", &problem);
    let ran = place.run("check problem.json --json").ended(1);
    let facts: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(facts["ok"], json!(false));
    let faults = facts["faults"].to_string();
    for part in ["start probabilities sum to 0.5", "state 0, action 1", "sum to 0.5", "state 0, action 2", "1.25", "feature 3"]
    {
        assert!(faults.contains(part), "{part} is not in {faults}");
    }
    let words = place.run("check problem.json").ended(1).stdout;
    assert!(words.ends_with("4 faults\n") && words.contains("fault: problem.json: state 0, action 1"), "{words}");

    place.write_json("problem.json", &fixtures::fork());
    place.write("demos.jsonl", "{\"states\": [1], \"actions\": []}\n{\"states\": [0, 2], \"actions\": [0]}\n");
    let ran = place.run("check problem.json demos.jsonl --json").ended(1);
    let facts: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(facts["faults"].as_array().unwrap().len(), 2, "{facts}");
    assert!(facts["faults"][1].as_str().unwrap().contains("demos.jsonl: demonstration 1: step 0"), "{facts}");
}
