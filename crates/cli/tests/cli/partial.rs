//! Demonstrations that are seen in part: `learn`, `summary`, `likelihood` and `complete`.

use std::fs;

use serde_json::{Value, json};

use crate::helpers::chain::{self, PATHS, Path, THETA};
use crate::helpers::{Place, close};

fn weight(path: &Path) -> f64 {
    path.q(false, false) * path.weight(&THETA)
}

/// Of the paths of at most three states: those that have three and begin in 0, and those from 0 to 2 by any states.
fn glimpses(place: &Place) -> Vec<Box<dyn Fn(&Path) -> bool>> {
    place.write(
        "seen.jsonl",
        "{\"states\": [0, null, null], \"actions\": [null, null]}\n{\"states\": [0, \"...\", 2], \"actions\": null}\n",
    );
    vec![
        Box::new(|path| path.states.len() == 3 && path.states[0] == 0),
        Box::new(|path| path.states.len() > 1 && path.states[0] == 0 && path.states.last() == Some(&2)),
    ]
}

#[test]
fn the_likelihood_is_that_of_the_paths_that_agree() {
    let place = chain::place("anywhere", 3, false);
    let agree = glimpses(&place);
    let z: f64 = PATHS.iter().map(weight).sum();
    let log = |agree: &dyn Fn(&Path) -> bool| (PATHS.iter().filter(|path| agree(path)).map(weight).sum::<f64>() / z).ln();
    let expected = (log(&agree[0]) + log(&agree[1])) / 2.0;
    let answer: Value = place.run("likelihood chain.json seen.jsonl --model model.json --json").json();
    close(&[answer["log_likelihood"].as_f64().unwrap()], &[expected], 1e-12);
}

#[test]
fn completions_are_of_the_paths_that_agree() {
    let place = chain::place("anywhere", 3, false);
    let agree = glimpses(&place);
    place.run("complete chain.json model.json seen.jsonl -o whole.jsonl").ended(0);
    let lines = fs::read_to_string(place.path("whole.jsonl")).unwrap();
    for (line, agree) in lines.lines().zip(&agree) {
        let found: Value = serde_json::from_str(line).unwrap();
        let best = PATHS.iter().filter(|path| agree(path)).max_by(|one, other| weight(one).total_cmp(&weight(other))).unwrap();
        assert_eq!((&found["states"], &found["actions"]), (&json!(best.states), &json!(best.actions)));
    }
    place.run("complete chain.json model.json seen.jsonl --posterior -o known.jsonl").ended(0);
    let known = fs::read_to_string(place.path("known.jsonl")).unwrap();
    let first: Value = serde_json::from_str(known.lines().next().unwrap()).unwrap();
    let total: f64 = PATHS.iter().filter(|path| agree[0](path)).map(weight).sum();
    let at_1: f64 = PATHS.iter().filter(|path| agree[0](path) && path.states[1] == 1).map(weight).sum();
    let states = first["steps"][1]["states"].as_array().unwrap();
    let known = states.iter().find(|row| row[0] == json!(1)).unwrap()[1].as_f64().unwrap();
    close(&[known], &[at_1 / total], 1e-12);
    let ran = place.run("complete chain.json model.json seen.jsonl --samples 50 --seed 4 -o drawn.jsonl").ended(0);
    assert!(ran.stdout.contains("2 demonstrations"), "{ran:#?}");
    let drawn = fs::read_to_string(place.path("drawn.jsonl")).unwrap();
    assert_eq!(drawn.lines().count(), 100);
    place.run("complete chain.json model.json seen.jsonl --samples 50 --seed 4 -o again.jsonl").ended(0);
    assert_eq!(drawn, fs::read_to_string(place.path("again.jsonl")).unwrap());
}

#[test]
fn learning_in_part_and_its_errors() {
    let place = chain::place("anywhere", 3, false);
    place.run("sample chain.json model.json -n 60 --seed 1 -o whole.jsonl").ended(0);
    let whole = fs::read_to_string(place.path("whole.jsonl")).unwrap();
    let hide = |(number, line): (usize, &str)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let actions = line["actions"].as_array_mut().unwrap();
        if number % 2 == 0 && !actions.is_empty() {
            actions[0] = Value::Null;
        }
        line.to_string() + "\n"
    };
    place.write("seen.jsonl", &whole.lines().enumerate().map(hide).collect::<String>());
    let ran = place.run("learn chain.json seen.jsonl -o learned.json --horizon 3 --l2 0.01 --starts 3 --summary").ended(0);
    assert!(ran.stdout.contains("standard error") || ran.stdout.contains("std"), "{ran:#?}");
    let model: Value = serde_json::from_str(&fs::read_to_string(place.path("learned.json")).unwrap()).unwrap();
    assert_eq!(model["converged"], json!(true));
    assert!(model["notes"].to_string().contains("of 3 searches ended at this optimum"), "{model}");
    place.run("summary chain.json learned.json seen.jsonl").ended(0);
    let failed = place.run("learn chain.json seen.jsonl -o other.json --inference causal-dual").ended(1);
    assert!(failed.stderr.contains("needs demonstrations that were seen whole"), "{failed:#?}");
    let failed = place.run("score chain.json learned.json seen.jsonl").ended(1);
    assert!(failed.stderr.contains("seen in part"), "{failed:#?}");
    let failed = place.run("learn chain.json whole.jsonl -o other.json --starts 2").ended(2);
    assert!(failed.stderr.contains("--starts is for"), "{failed:#?}");
    let failed = place.run("complete chain.json learned.json whole.jsonl -o other.jsonl").ended(1);
    assert!(failed.stderr.contains("nothing to complete"), "{failed:#?}");
    place.write("gap.jsonl", "{\"states\": [0, \"...\"], \"actions\": null}\n");
    let failed = place.run("learn chain.json gap.jsonl -o other.json").ended(1);
    assert!(failed.stderr.contains("gaps of unknown length"), "{failed:#?}");
}
