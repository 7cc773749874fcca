//! Names from files cannot command the terminal, or pretend to be a message.

use serde_json::json;

use crate::helpers::{Place, Ran, fixtures};

/// Clears the screen, rings, forges a line, sets a colour by a C1 control character, and reverses text.
const NAMES: [&str; 3] = ["clear\u{1b}[2J\u{7}", "two\nerror: forged", "c1\u{9b}31m\u{202e}"];

fn hostile_place() -> Place {
    let place = Place::new();
    let mut problem = fixtures::fork();
    problem["features"]["names"] = json!(NAMES);
    place.write_json("problem.json", &problem);
    place.write("demos.jsonl", fixtures::fork_demos());
    place.write("theta.json", "[0.5, -1.0, 0.25]");
    place
}

#[track_caller]
fn is_safe(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let hidden = |character: char| (character.is_control() && character != '\n') || character == '\u{202e}';
        assert!(!text.contains(hidden), "{ran:#?}");
        assert!(!text.lines().any(|line| line.starts_with("error: forged")), "{ran:#?}");
    }
}

#[test]
fn names_of_features_are_shown_escaped() {
    let place = hostile_place();
    let learned = place.run("learn problem.json demos.jsonl -o model.json --bounds -10,10 --summary").ended(0);
    is_safe(&learned);
    assert!(learned.stdout.contains("clear\\u{1b}[2J\\u{7}"), "{learned:#?}");
    assert!(learned.stdout.contains("two\\u{a}error: forged"), "{learned:#?}");
    for line in [
        "summary problem.json demos.jsonl model.json",
        "likelihood problem.json demos.jsonl --theta theta.json",
        "check problem.json demos.jsonl",
        "evaluate problem.json model.json --demos demos.jsonl",
        "compare problem.json demos.jsonl --folds 2",
        "cross-validate problem.json demos.jsonl --folds 2",
        "learn problem.json demos.jsonl -o new.json --bounds -10,10 --json",
    ] {
        is_safe(&place.run(line));
    }
}

#[test]
fn json_on_stdout_keeps_the_names() {
    let place = hostile_place();
    let ran = place.run("learn problem.json demos.jsonl -o model.json --bounds -10,10 --json");
    is_safe(&ran);
    assert_eq!(ran.json()["names"], json!(NAMES));
    assert_eq!(place.read_json("model.json")["names"], json!(NAMES));
}

#[test]
fn ids_and_paths_in_messages_are_shown_escaped() {
    let place = hostile_place();
    place.write("bad.jsonl", "{\"states\": [0, 9], \"actions\": [0], \"id\": \"\\u001b[2J\\nerror: forged\"}\n");
    let ran = place.run("learn problem.json bad.jsonl -o model.json").ended(1);
    is_safe(&ran);
    assert!(ran.stderr.contains("\\u{1b}[2J\\u{a}error: forged"), "{ran:#?}");
    let ran = place.shell("revealed check \"$(printf 'no\\033[2J.json')\"").ended(1);
    is_safe(&ran);
    assert!(ran.stderr.contains("no\\u{1b}[2J.json"), "{ran:#?}");
}
