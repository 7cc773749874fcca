//! `learn --history` and the questions to its models, whose states are those of the problem.

use serde_json::{Value, json};

use crate::helpers::{Place, close, number, numbers};

const STATES: usize = 6;

/// On a ring, walkers go on as they came, all but one.
fn ring() -> Place {
    let place = Place::new();
    let rows: Vec<[usize; 3]> =
        (0..STATES).flat_map(|s| [[s, 0, (s + 1) % STATES], [s, 1, (s + STATES - 1) % STATES]]).collect();
    let column = |of: usize| rows.iter().map(|row| row[of]).collect::<Vec<usize>>();
    let all: Vec<usize> = (0..STATES).collect();
    place.write_json(
        "problem.json",
        &json!({
            "format": "revealed-problem/1", "n_states": STATES, "n_actions": 2, "discount": 1.0,
            "start": {"state": all, "p": vec![1.0 / STATES as f64; STATES]},
            "transitions": {"from": column(0), "action": column(1), "to": column(2), "p": vec![1.0; rows.len()]},
            "n_features": 1, "features": {"names": ["in 0"], "state": {"state": [0], "feature": [0], "value": [1.0]}},
        }),
    );
    let walk = |first: usize, by: usize| {
        let states: Vec<usize> = (0..5).map(|t| (first + t * by) % STATES).collect();
        json!({"states": states, "actions": vec![usize::from(by > 1); 4]}).to_string()
    };
    let back = json!({"states": [2, 3, 2, 3, 4], "actions": [0, 1, 0, 0]}).to_string();
    let walks: Vec<String> = (0..STATES).flat_map(|s| [walk(s, 1), walk(s, STATES - 1)]).chain([back]).collect();
    place.write("demos.jsonl", walks.join("\n"));
    place
}

fn policy(place: &Place, prefix: &str) -> Vec<f64> {
    let found = place.run(&format!("policy problem.json model.json --prefix {prefix} --json")).json();
    found["policy"].as_array().unwrap().iter().map(|row| numbers(row)[1]).collect()
}

#[test]
fn the_past_decides_and_states_stay_what_they_are() {
    let place = ring();
    let learned =
        place.run("learn problem.json demos.jsonl -o model.json --inference causal --history 2 --l2 0.01 --json").json();
    let model: Value = place.read_json("model.json");
    assert_eq!((&model["history"]["order"], &model["history"]["shrinkage"]), (&json!(2), &json!(3.0)));
    assert_eq!(model["names"].as_array().unwrap().len(), model["theta"].as_array().unwrap().len());
    assert_eq!(model["horizon"], json!(5));
    // From 0 to 1, and from 2 to 1.
    assert!(policy(&place, "0,0,1")[0] > 0.8 && policy(&place, "2,1,1")[1] > 0.8);
    close(&[policy(&place, "1").iter().sum::<f64>()], &[1.0], 1e-12);

    let again = place.run("likelihood problem.json demos.jsonl --model model.json --json").json();
    close(&[number(&again["log_likelihood"])], &[number(&learned["log_likelihood"])], 1e-12);
    let scored = place.run("score problem.json model.json demos.jsonl --json").json();
    close(&[number(&scored["log_likelihood"])], &[number(&learned["log_likelihood"])], 1e-9);

    let at = place.run("marginals problem.json model.json --t 3 --from 0 --json").json();
    let at = numbers(&at["state"]);
    assert_eq!(at.len(), STATES);
    close(&[at.iter().sum::<f64>()], &[1.0], 1e-12);
    assert!(at[2] > 0.35 && at[4] > 0.35, "{at:?}");
    place.run("sample problem.json model.json -n 50 --seed 1 -o drawn.jsonl").ended(0);
    place.run("check problem.json drawn.jsonl").ended(0);
    let plain = place.run("learn problem.json demos.jsonl -o plain.json --inference causal --l2 0.01 --json").json();
    assert!(number(&learned["log_likelihood"]) > number(&plain["log_likelihood"]) + 1.0);
}

#[test]
fn paths_to_any_state_have_every_history() {
    let place = ring();
    place.run("learn problem.json demos.jsonl -o model.json --history 2 --ends goal --l2 0.01 --horizon 7").ended(0);
    assert_eq!(place.read_json("model.json")["horizon"], json!(7));
    let learned = number(&place.read_json("model.json")["log_likelihood"]);
    let scored = place.run("score problem.json model.json demos.jsonl --json").json();
    close(&[number(&scored["log_likelihood"])], &[learned], 1e-9);
    let found = place.run("path problem.json model.json --from 0 --to 3 --json").json();
    assert!(found["states"] == json!([0, 1, 2, 3]) || found["states"] == json!([0, 5, 4, 3]), "{found}");
    let found = place.run("destinations problem.json model.json --prefix 0,0,1,0,2 --json").json();
    let rows: Vec<Vec<f64>> = found["posterior"].as_array().unwrap().iter().map(numbers).collect();
    close(&[rows.iter().map(|row| row[1]).sum::<f64>()], &[1.0], 1e-9);
    assert!(rows.iter().all(|row| row[0] < STATES as f64));
    let lengths = place.run("lengths problem.json model.json --from 0 --to 3 --json").json();
    assert_eq!(numbers(&lengths["length"][0])[0], 4.0);
}

#[test]
fn a_table_has_the_windows_of_its_author() {
    let place = ring();
    let states: Vec<[usize; 2]> = (0..STATES).flat_map(|s| [[s, (s + 1) % STATES], [s, (s + STATES - 1) % STATES]]).collect();
    let to: Vec<usize> = states.iter().map(|pair| pair[0]).collect();
    let n = states.len();
    let windows = json!({"states": states, "to": to, "feature": vec![0; n], "value": vec![1.0; n]});
    place.write_json("table.json", &json!({"order": 2, "n_features": 1, "names": ["turns back"], "windows": windows}));
    place.run("learn problem.json demos.jsonl -o model.json --inference causal --history-table table.json").ended(0);
    let model = place.read_json("model.json");
    assert_eq!(model["names"], json!(["in 0", "turns back"]));
    assert!(numbers(&model["theta"])[1] < -1.5, "{}", model["theta"]);

    let mut wrong = place.read_json("table.json");
    wrong["windows"]["value"].as_array_mut().unwrap().pop();
    place.write_json("short.json", &wrong);
    let learn = |table: &str| format!("learn problem.json demos.jsonl -o other.json --history-table {table}");
    place.refuses(&learn("short.json"), &["short.json", "windows.value has 11 entries, but states has 12"]);
    let mut wrong = place.read_json("table.json");
    wrong["windows"]["states"][3] = json!([0, 3]);
    place.write_json("far.json", &wrong);
    place.refuses(&learn("far.json"), &["far.json", "window 3", "no step leads from state 0 to state 3"]);
}

#[test]
fn what_takes_no_history_says_so() {
    let place = ring();
    place.run("learn problem.json demos.jsonl -o model.json --inference causal --history 2 --l2 0.01").ended(0);
    for line in [
        "counterfactual problem.json model.json --close 3",
        "summary problem.json model.json demos.jsonl",
        "evaluate problem.json model.json",
        "policy problem.json model.json",
        "plan problem.json --model model.json",
    ] {
        place.refuses(line, &["model.json: the model has a history"]);
    }
    place.refuses("path problem.json model.json --from 0 --to 3 --loopless", &["paths that visit no state twice"]);
    place.refuses("learn problem.json demos.jsonl -o m.json --history 0", &["the order of the history is 0"]);
    place.refuses(
        "learn problem.json demos.jsonl -o m.json --history 3 --memory 2K",
        &["a history of order 3 makes", "lower order"],
    );
    place.refuses(
        "learn problem.json demos.jsonl problem.json demos.jsonl -o m.json --history 2",
        &["a history needs one world"],
    );
}
