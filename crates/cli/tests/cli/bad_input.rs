//! Content that is wrong gets one clear line, exit code 1, and nothing is lost.

use serde_json::{Value, json};

use crate::helpers::{Place, fixtures};

pub const LEARN: &str = "learn problem.json demos.jsonl -o model.json";

/// A sound place whose problem is broken by `edit`.
fn broken(edit: impl FnOnce(&mut Value)) -> Place {
    let place = fixtures::place();
    let mut problem = fixtures::fork();
    edit(&mut problem);
    place.write_json("problem.json", &problem);
    place
}

/// Every command that reads the problem refuses it, and `check` says the same among its faults.
#[track_caller]
fn bad_problem(edit: impl FnOnce(&mut Value), words: &[&str]) {
    let place = broken(edit);
    place.refuses(LEARN, words);
    place.refuses("likelihood problem.json demos.jsonl --theta theta.json", words);
    place.refuses("marginals problem.json model.json", words);
    place.refuses("sample problem.json model.json -n 1 -o new.jsonl", words);
    let ran = place.run("check problem.json --json").ended(1);
    let said = format!("{}{}", ran.stdout.replace("\\\"", "\""), ran.stderr);
    for word in words {
        assert!(said.contains(word), "{word:?} is not in {ran:#?}");
    }
}

/// `path` in the document becomes `value`.
fn set<'a>(path: &'a str, value: Value) -> impl FnOnce(&mut Value) + 'a {
    move |document| *document.pointer_mut(path).unwrap_or_else(|| panic!("there is no {path}")) = value
}

#[test]
fn transition_probabilities_that_are_none() {
    let sum = ["problem.json", "state 0, action 2", "sum to 0.875", "expected 1"];
    bad_problem(set("/transitions/p", json!([1.0, 1.0, 0.25, 0.125, 0.5])), &sum);
    bad_problem(set("/transitions/p/4", json!(0.5001)), &["state 0, action 2", "sum to 1.0001", "expected 1"]);
    let negative = ["problem.json", "transitions row 3", "p is -0.25", "0 or more"];
    bad_problem(set("/transitions/p", json!([1.0, 1.0, 1.0, -0.25, 0.25])), &negative);
}

#[test]
fn numbers_that_json_does_not_have() {
    for (number, words) in [
        ("NaN", "NaN and Infinity are not numbers here"),
        ("Infinity", "NaN and Infinity are not numbers here"),
        ("1e999", "give a finite number"),
    ] {
        for (value, place_of) in [("0.25", "line 1"), ("1.0", "line 1")] {
            let place = fixtures::place();
            place.write("problem.json", fixtures::fork().to_string().replacen(value, number, 1));
            place.refuses(LEARN, &["problem.json", place_of, "column", words]);
            place.refuses("check problem.json", &["problem.json", place_of, "column", words]);
        }
    }
    let place = fixtures::place();
    place.write("theta.json", "[0.0, NaN, 0.0]");
    let line = "likelihood problem.json demos.jsonl --theta theta.json";
    place.refuses(line, &["theta.json", "line 1 column 7", "give a finite one"]);
    bad_problem(set("/transitions/p/0", Value::Null), &["problem.json", "transitions.p row 0", "null", "a number"]);
    bad_problem(set("/transitions/p/0", json!("1")), &["problem.json", "transitions.p row 0", "\"1\"", "a number"]);
}

#[test]
fn indices_out_of_range() {
    for (path, words) in [
        ("/transitions/from/1", ["transitions row 1", "state 7", "there are 3"]),
        ("/transitions/to/4", ["transitions row 4", "state 7", "there are 3"]),
        ("/transitions/action/0", ["transitions row 0", "action 7", "there are 3"]),
        ("/start/state/0", ["start row 0", "state 7", "there are 3"]),
        ("/terminal/1", ["terminal row 1", "state 7", "there are 3"]),
        ("/features/state/state/0", ["features.state row 0", "state 7", "there are 3"]),
        ("/features/state/feature/0", ["features.state row 0", "feature 7", "there are 3"]),
        ("/features/state_action/action/0", ["features.state_action row 0", "action 7", "there are 3"]),
        ("/features/state_action/feature/0", ["features.state_action row 0", "feature 7", "there are 3"]),
        ("/features/transition/transition/0", ["features.transition row 0", "transition 7", "there are 5"]),
        ("/features/transition/feature/0", ["features.transition row 0", "feature 7", "there are 3"]),
    ] {
        bad_problem(set(path, json!(7)), &["problem.json", words[0], words[1], words[2]]);
    }
    let negative = ["problem.json", "transitions.to row 2 is -1", "0 or more"];
    bad_problem(set("/transitions/to/2", json!(-1)), &negative);
    bad_problem(set("/transitions/to/2", json!(1.5)), &["problem.json", "transitions.to row 2 is 1.5", "whole number"]);
}

#[test]
fn tables_that_contradict_themselves() {
    let twice = ["problem.json", "transitions rows 2 and 3", "from state 0 by action 2 to state 1", "into one row"];
    bad_problem(set("/transitions/to/3", json!(1)), &twice);
    bad_problem(set("/start/p/0", json!(0.9)), &["problem.json", "start probabilities sum to 0.9", "expected 1"]);
    bad_problem(set("/start", json!({"state": [], "p": []})), &["problem.json", "start probabilities sum to 0", "expected 1"]);
    bad_problem(set("/start", json!({"state": [0, 0], "p": [0.5, 0.5]})), &["start", "state 0 is listed twice"]);
    let dead_end = ["problem.json", "state 2 offers no action and is not terminal", "transition", "`terminal`"];
    bad_problem(set("/terminal", json!([1])), &dead_end);
    let left = ["problem.json", "transitions row 0", "terminal state 0 leads to state 1", "remove"];
    bad_problem(set("/terminal", json!([0, 1, 2])), &left);
    let uneven = ["problem.json", "transitions", "5 rows", "4", "the same number"];
    bad_problem(set("/transitions/p", json!([1.0, 1.0, 0.5, 0.5])), &uneven);
    bad_problem(set("/features/names", json!(["left"])), &["problem.json", "features.names", "1", "3"]);
    bad_problem(set("/n_states", json!(0)), &["problem.json", "n_states is 0", "between 1 and"]);
    bad_problem(|problem| problem["discount"] = json!(1.5), &["problem.json", "discount is 1.5", "between 0 and 1"]);
    bad_problem(
        |problem| problem["reference"] = json!({"state": [0], "action": [0], "p": [0.5]}),
        &["problem.json", "reference", "state 0", "sum to 0.5", "expected 1"],
    );
    bad_problem(set("/format", json!("revealed-problem/2")), &["problem.json", "revealed-problem/2", "revealed-problem/1"]);
    let missing = |problem: &mut Value| {
        let table = problem["transitions"].as_object_mut().unwrap();
        let column = table.remove("to").unwrap();
        table.insert("too".to_string(), column);
    };
    bad_problem(missing, &["problem.json", "transitions.to is missing", "transitions.too"]);
}

#[test]
fn demonstrations_that_are_no_paths() {
    for (line, words) in [
        (r#"{"states": [0, 2], "actions": [0]}"#, ["step 0", "action 0 in state 0 never leads to state 2", "probability 0"]),
        (r#"{"states": [0, 0, 1], "actions": [2, 3]}"#, ["step 1", "state 0 does not offer action 3", ""]),
        (r#"{"states": [0, 1], "actions": []}"#, ["2 states need 1 actions", "there are 0", ""]),
        (r#"{"states": [0, 1], "actions": [0, 0]}"#, ["2 states need 1 actions", "there are 2", ""]),
        (r#"{"states": [1], "actions": []}"#, ["it starts in state 1", "start probability 0", ""]),
        (r#"{"states": [0, 1, 2], "actions": [0, 0]}"#, ["step 1", "goes on after terminal state 1", ""]),
        (r#"{"states": [0, 3], "actions": [0]}"#, ["step 1", "state 3 is out of range", "there are 3"]),
        (r#"{"states": [], "actions": []}"#, ["no states", "at least one", ""]),
        (r#"{"states": [0], "actions": [], "weight": -2}"#, ["weight is -2", "0 or more", ""]),
    ] {
        let place = fixtures::place();
        place.write("demos.jsonl", format!("{}{}\n", fixtures::fork_demos(), line));
        let words = ["demos.jsonl: demonstration 2: ", words[0], words[1], words[2]];
        place.refuses(LEARN, &words);
        place.refuses("likelihood problem.json demos.jsonl --theta theta.json", &words);
        let said = place.run("check problem.json demos.jsonl").ended(1).stdout;
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    }
    let place = fixtures::place();
    place.write("demos.jsonl", r#"{"states": [0, 2], "actions": [0], "id": "trip 9"}"#);
    place.refuses(LEARN, &["demonstration 0 (id trip 9)"]);
}

#[test]
fn demonstrations_outside_the_path_set() {
    let place = fixtures::place();
    for command in [LEARN, "likelihood problem.json demos.jsonl --theta theta.json"] {
        let short = ["demos.jsonl", "demonstration 1 (id second)", "3 states", "horizon 2", "raise the horizon to at least 3"];
        place.refuses(&format!("{command} --horizon 2"), &short);
        place.refuses(&format!("{command} --horizon 0"), &["the horizon is 0", "between 1 and"]);
    }
    place.write("demos.jsonl", "{\"states\": [0, 0], \"actions\": [2]}\n");
    let ending = ["demos.jsonl", "demonstration 0", "after 2 states in state 0", "ends = terminal", "terminal state"];
    place.refuses(&format!("{LEARN} --ends terminal"), &ending);
    let ending = ["demos.jsonl", "demonstration 0", "after 2 states", "ends = horizon", "as many states as the horizon"];
    place.refuses(&format!("{LEARN} --ends horizon --horizon 3"), &ending);
}

#[test]
fn no_demonstrations() {
    let place = fixtures::place();
    for nothing in ["\n", " \n\n\n"] {
        place.write("demos.jsonl", nothing);
        place.refuses(LEARN, &["demos.jsonl", "no demonstrations", "at least one"]);
        place.refuses("check problem.json demos.jsonl", &["demos.jsonl", "no demonstrations", "at least one"]);
    }
    place.write("demos.jsonl", "{\"states\": [0], \"actions\": [], \"weight\": 0}\n");
    place.refuses(LEARN, &["demos.jsonl", "no demonstrations", "at least one"]);
}

#[test]
fn bounds_that_are_none() {
    let place = fixtures::place();
    place.write("crossed.json", "[[-1, 1], [2, -2], [null, null]]");
    place.write("few.json", "[[-1, 1]]");
    place.write("words.json", "{\"lo\": 1}");
    for (bounds, words) in [
        ("3,-3", ["--bounds 3,-3", "lower bound 3", "must not exceed the upper bound -3"]),
        ("crossed.json", ["crossed.json", "feature 1", "lower bound 2"]),
        ("few.json", ["few.json", "1 entries", "expected 3"]),
        ("words.json", ["words.json", "array of [lo, hi]", "line 1 column"]),
        ("-1", ["--bounds -1", "two numbers such as -10,10", "JSON file"]),
        ("-1,nan", ["--bounds -1,nan", "two numbers such as -10,10", "JSON file"]),
        ("inf,inf", ["--bounds inf,inf", "lower bound inf", "feature 0"]),
        ("nowhere.json", ["--bounds nowhere.json", "two numbers such as -10,10", "JSON file"]),
    ] {
        place.refuses(&format!("{LEARN} --bounds {bounds}"), &words);
    }
    place.refuses(&format!("{LEARN} --l2=-1"), &["l2 is -1", "0 or more"]);
    place.refuses(&format!("{LEARN} --l2 nan"), &["l2 is NaN", "finite"]);
    place.refuses(&format!("{LEARN} --threads 0"), &["threads is 0", "between 1 and"]);
}

#[test]
fn theta_that_does_not_fit() {
    let place = fixtures::place();
    let line = "likelihood problem.json demos.jsonl --theta theta.json";
    place.write("theta.json", "[1, 2]");
    place.refuses(line, &["theta.json", "theta has 2 entries, expected 3", "one for each feature"]);
    place.write("theta.json", "{\"theta\": [1, 2, 3]}");
    place.refuses(line, &["theta.json", "an object", "an array"]);
    place.write("theta.json", "[1, \"2\", 3]");
    place.refuses(line, &["theta.json", "theta row 1 is \"2\"", "a number"]);
    place.write("theta.json", "[1e308, 1e308, 1e308]");
    let huge = place.run(line).ended(1);
    assert_eq!((huge.stdout.as_str(), huge.stderr.lines().count()), ("", 1), "{huge:#?}");
}

#[test]
fn models_that_do_not_fit() {
    let place = fixtures::place();
    let lines = [
        "marginals problem.json other.json",
        "sample problem.json other.json -n 1 -o new.jsonl",
        "likelihood problem.json demos.jsonl --model other.json",
    ];
    let sound = json!({"theta": [0.0, 0.0, 0.0], "horizon": 3, "ends": "anywhere"});
    for (field, value, words) in [
        ("theta", json!([1.0]), ["theta has 1 entries", "3 features"]),
        ("theta", json!([]), ["theta", "one number per feature"]),
        ("horizon", json!(0), ["horizon is 0", "1 or more"]),
        ("ends", json!("nowhere"), ["\"nowhere\"", "anywhere, horizon, terminal, goal"]),
        ("format", json!("revealed-model/9"), ["revealed-model/9", "revealed-model/1"]),
        ("names", json!(["one"]), ["names has 1 entries", "theta has 3"]),
    ] {
        let mut model = sound.clone();
        model[field] = value;
        place.write_json("other.json", &model);
        for line in lines {
            place.refuses(line, &["other.json", words[0], words[1]]);
        }
    }
    // A problem is no model, and a model no problem.
    place.refuses("marginals problem.json problem.json", &["problem.json", "revealed-problem/1", "revealed-model/1"]);
    place.refuses("check model.json", &["model.json", "revealed-model/1", "revealed-problem/1"]);
}

#[test]
fn wishes_that_cannot_be_met() {
    let place = fixtures::place();
    let lakes = ["\"lake-9x9\"", "frozenlake-4x4", "frozenlake-8x8"];
    place.refuses("env lake-9x9 -o new.json", &lakes);
    place.refuses("env frozenlake-4x4 -o new.json --discount 2", &["discount is 2", "between 0 and 1"]);
    place.refuses("env frozenlake-4x4 -o new.txt", &["new.txt", "extension .txt", ".json or .npz"]);
    place.refuses("sample problem.json model.json -n 0 -o new.jsonl", &["-n is 0", "at least one"]);
    place.refuses("sample problem.json model.json -n 1 -o new", &["new", "extension none", ".jsonl or .npz"]);
    place.refuses("sample problem.json model.json -n 1 --goal 3 -o new.jsonl", &["--to 3", "3 states", "0 to 2"]);
    place.refuses("learn problem.txt demos.jsonl -o model.json", &["problem.txt", "extension .txt", ".json or .npz"]);
    place.refuses("learn problem.json demos.csv -o model.json", &["demos.csv", "extension .csv", ".jsonl or .npz"]);
    // Terminal states are out of reach within one state, so no path exists.
    place.write_json("short.json", &json!({"theta": [0.0, 0.0, 0.0], "horizon": 1, "ends": "terminal"}));
    place.refuses("marginals problem.json short.json", &["no path", "within 1 states", "raise the horizon"]);
}
