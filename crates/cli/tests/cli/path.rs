//! `revealed path`: against paths listed by hand, and what is refused.

use serde_json::{Value, json};

use crate::helpers::chain::{self, PATHS, THETA, may_end};
use crate::helpers::fixtures::{self, lake_place};
use crate::helpers::{Place, close, keys, numbers};

const FIELDS: [&str; 6] = ["actions", "log_probability", "log_weight", "n_states", "probability", "states"];

/// A lake without slips, of which every path is as likely as any other; most paths have loops.
fn even_lake(reward: f64) -> Place {
    let place = lake_place("--not-slippery");
    place.write_model("model.json", &[reward; 16], 9, "terminal");
    place
}

/// Paths by hand with their weights f q e^R g, best first.
fn by_hand(f: &[f64], g: &[f64], ends: &str, horizon: usize, reference: bool) -> Vec<(&'static chain::Path, f64)> {
    let score = |path: &chain::Path| {
        f[path.states[0]] * path.q(true, reference) * path.weight(&THETA) * g[path.states[path.states.len() - 1]]
    };
    let mut scored: Vec<_> = PATHS.iter().filter(|path| may_end(path, ends, horizon)).map(|path| (path, score(path))).collect();
    scored.retain(|row| row.1 > 0.0);
    scored.sort_by(|one, other| other.1.total_cmp(&one.1));
    scored
}

#[track_caller]
fn check(found: &Value, expected: &[(&'static chain::Path, f64)], reference: bool) {
    let paths = found["paths"].as_array().unwrap();
    let total: f64 = expected.iter().map(|row| row.1).sum();
    assert_eq!(paths.len(), expected.len());
    for (path, (by_hand, score)) in paths.iter().zip(expected) {
        assert_eq!(keys(path), FIELDS);
        assert_eq!((&path["states"], &path["actions"]), (&json!(by_hand.states), &json!(by_hand.actions)));
        assert_eq!(path["n_states"], json!(by_hand.states.len()));
        let weight = by_hand.q(true, reference) * by_hand.weight(&THETA);
        let numbers = ["log_weight", "probability", "log_probability"].map(|field| path[field].as_f64().unwrap());
        close(&numbers, &[weight.ln(), score / total, (score / total).ln()], 1e-12);
    }
    // The best one stands by itself, too.
    FIELDS.iter().for_each(|&field| assert_eq!(found[field], paths[0][field]));
}

#[test]
fn paths_are_those_worked_out_by_hand() {
    for ends in ["anywhere", "horizon", "terminal", "goal"] {
        for (horizon, reference) in [(3, false), (3, true), (2, true)] {
            let place = chain::place(ends, horizon, reference);
            let found = place.run("path chain.json model.json --from 0 --to 2 --k 20 --json").json();
            check(&found, &by_hand(&[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0], ends, horizon, reference), reference);
            let mut fields = FIELDS.to_vec();
            fields.extend(["ends", "horizon", "paths", "search", "seconds"]);
            fields.sort_unstable();
            assert_eq!(keys(&found), fields);
            let told = ["ends", "horizon", "search"].map(|field| found[field].clone());
            assert_eq!(told, [json!(ends), json!(horizon), json!("viterbi")]);

            place.write("f.json", "[0.5, 2, 0]");
            place.write("g.json", "[1, 0.25, 3]");
            let found = place.run("path chain.json model.json --from f.json --to g.json --k 20 --json").json();
            check(&found, &by_hand(&[0.5, 2.0, 0.0], &[1.0, 0.25, 3.0], ends, horizon, reference), reference);
            if ends != "goal" {
                let found = place.run("path chain.json model.json --from 0 --k 20 --json").json();
                check(&found, &by_hand(&[1.0, 0.0, 0.0], &[1.0; 3], ends, horizon, reference), reference);
            }
        }
    }
}

#[test]
fn ends_and_horizon_are_the_models_unless_given() {
    let place = chain::place("terminal", 2, false);
    let line = "path chain.json model.json --from 0 --to 1 --json --ends goal --horizon 3 --k 5";
    check(&place.run(line).json(), &by_hand(&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], "goal", 3, false), false);
    // Without --k there is no list.
    let found = place.run("path chain.json model.json --from 0 --to 2 --json").json();
    assert_eq!((found.get("paths"), &found["horizon"]), (None, &json!(2)));
}

#[test]
fn any_length_is_a_shortest_path_and_has_a_probability_if_the_sum_is_finite() {
    let place = even_lake(-1.0);
    let found = place.run("path lake.json model.json --from 0 --to 15 --horizon none --json").json();
    assert_eq!(
        [&found["search"], &found["n_states"], &found["log_weight"]],
        [&json!("shortest path"), &json!(7), &json!(-7.0)]
    );
    // Each step costs 1, and there are up to four of them: loops pay for themselves.
    assert_eq!(
        [&found["probability"], &found["log_probability"], &found["horizon"]],
        [&Value::Null, &Value::Null, &json!("any")]
    );
    let ran = place.run("path lake.json model.json --from 0 --to 15 --horizon any");
    assert!(ran.stderr.contains("have no probabilities") && ran.stderr.contains("total weight"), "{ran:#?}");
    let costly = even_lake(-3.0);
    let any = costly.run("path lake.json model.json --from 0 --to 15 --horizon any --json").json();
    let long = costly.run("path lake.json model.json --from 0 --to 15 --horizon 400 --json").json();
    close(&[any["probability"].as_f64().unwrap()], &[long["probability"].as_f64().unwrap()], 1e-12);
    // Too short a horizon says what is needed; a longer one finds the same.
    place.refuses("path lake.json model.json --from 0 --to 15 --horizon 6", &["shortest path", "7 states", "at least 7"]);
    let bounded = place.run("path lake.json model.json --from 0 --to 15 --horizon 7 --json").json();
    assert_eq!((&bounded["states"], &bounded["actions"]), (&found["states"], &found["actions"]));
    // Three paths of the fewest states, all of the same weight.
    close(&[bounded["probability"].as_f64().unwrap()], &[1.0 / 3.0], 1e-12);
}

#[test]
fn loopless_paths_visit_no_state_twice() {
    let place = even_lake(-0.5);
    let found = place.run("path lake.json model.json --from 0 --to 15 --k 20 --loopless --horizon none --json").json();
    let paths = found["paths"].as_array().unwrap();
    assert!(paths.len() > 3 && paths.len() < 20, "{found}");
    for path in paths {
        let mut states = numbers(&path["states"]);
        states.sort_by(f64::total_cmp);
        assert!(states.windows(2).all(|pair| pair[0] < pair[1]), "{path}");
    }
}

#[test]
fn people_see_the_path() {
    let place = even_lake(-1.0);
    let ran = place.run("path lake.json model.json --from 0 --to 15 --k 2").ended(0);
    assert_eq!(ran.stderr, "");
    for words in ["likeliest path  7 states, log-weight -7.000000, probability 0.", "2. path", "0 -(", "-> 15\n", "search  "] {
        assert!(ran.stdout.contains(words), "{words:?} is not in {ran:#?}");
    }
    let grid: Vec<&str> = ran.stdout.lines().rev().take(4).collect();
    assert_eq!(grid[3].split_whitespace().next(), Some("1"), "{ran:#?}");
    assert!(grid[0].ends_with("   7"), "{ran:#?}");
    // A long path is shortened in the middle, and a first state where no path begins is noted.
    place.run("env linear-chain --n 100 -o chain.json").ended(0);
    place.write_json("zero.json", &json!({"theta": vec![0.0; 100], "horizon": 100, "ends": "anywhere"}));
    let ran = place.run("path chain.json zero.json --from 10 --to 99").ended(0);
    let line = "10 -(0)-> 11 ";
    assert!(ran.stdout.contains(line) && ran.stdout.contains("… 50 more states … -(0)-> 80"), "{ran:#?}");
    assert!(ran.stderr.starts_with("note: no path of the problem begins in state 10"), "{ran:#?}");
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let place = fixtures::place();
    place.write("short.json", "[1, 2]");
    place.write("zero.json", "[0, 0, 0]");
    place.write_json("gains.json", &json!({"theta": [0.0, 2.0, 2.0], "horizon": 4, "ends": "goal"}));
    place.write_json("goal.json", &json!({"theta": [0.0, 0.0, 0.0], "horizon": 4, "ends": "goal"}));
    place.write_json("exact.json", &json!({"theta": [0.0, 0.0, 0.0], "horizon": 4, "ends": "horizon"}));
    let path = |rest: &str| format!("path problem.json {rest}");
    for (line, words) in [
        ("goal.json --from 3 --to 1", &["--from 3", "3 states", "0 to 2"][..]),
        ("goal.json --from 0 --to nowhere", &["--to nowhere", "neither a state", "JSON array of 3 weights"]),
        ("goal.json --from short.json --to 1", &["short.json", "2 entries", "3 states"]),
        ("goal.json --from 0 --to zero.json", &["zero.json", "0 for every state"]),
        ("goal.json --from 0", &["ends = goal", "--to"]),
        ("goal.json --from 1 --to 2", &["no path leads from state 1 to state 2"]),
        ("goal.json --from 0 --to 1 --k 0", &["k is 0", "between 1 and"]),
        ("goal.json --from 0 --to 1 --horizon 0", &["the horizon is 0", "between 1 and"]),
        ("goal.json --from 0 --to 1 --horizon 1", &["shortest path from state 0 to state 1 has 2 states", "horizon 1"]),
        ("goal.json --from 0 --to 0 --ends terminal", &["no path of this model ends in state 0", "ends = goal"]),
        ("exact.json --from 0 --to 0 --horizon none", &["any length", "ends = horizon", "give a horizon"]),
        ("gains.json --from 0 --to 1 --horizon none", &["no likeliest path of any length", "states 0", "give a horizon"]),
        ("goal.json --from 0 --to 0 --ends horizon --memory 1", &["memory budget of 1 bytes"]),
        ("goal.json --from 0 --to 1 --threads 0", &["threads is 0", "between 1 and"]),
        ("nothing.json --from 0 --to 1", &["nothing.json"]),
    ] {
        place.refuses(&path(line), words);
    }
    let discounted = chain::place("goal", 3, false);
    discounted.refuses("path chain.json model.json --from 0 --to 2 --horizon none", &["discount of 0.5", "horizon"]);
    for line in
        ["goal.json --to 1", "goal.json --from 0 --horizon few", "goal.json --from 0 --pairs p", "goal.json --from 0 -o p"]
    {
        assert_eq!(place.run(&path(line)).ended(2).stdout, "", "{line}");
    }
}
