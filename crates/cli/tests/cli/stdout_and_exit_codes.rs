//! Results on stdout, messages on stderr, and exit codes: the same for every command.

use revealed_formats::Model;
use serde_json::Value;

use crate::helpers::fixtures;

#[test]
fn wrong_usage_is_2_with_nothing_on_stdout() {
    let place = fixtures::place();
    let before = place.files();
    for line in [
        "",
        "lern problem.json demos.jsonl -o new.json",
        "learn problem.json demos.jsonl",
        "learn problem.json -o new.json",
        "learn problem.json demos.jsonl -o new.json --fast",
        "learn problem.json demos.jsonl -o new.json --ends nowhere",
        "learn problem.json demos.jsonl -o new.json --horizon many",
        "learn problem.json demos.jsonl -o new.json --threads -1",
        "learn problem.json demos.jsonl -o new.json --memory lots",
        "learn problem.json demos.jsonl -o new.json --l2 soft",
        "likelihood problem.json demos.jsonl",
        "likelihood problem.json demos.jsonl --theta theta.json --model model.json",
        "marginals problem.json",
        "sample problem.json model.json -n -3 -o new.jsonl",
        "env -o new.json",
        "check",
    ] {
        let ran = place.run(line).ended(2);
        assert_eq!(ran.stdout, "", "{ran:#?}");
        assert!(ran.stderr.contains("--help"), "{ran:#?}");
    }
    assert_eq!(place.files(), before);
    let ran = place.run("likelihood problem.json demos.jsonl").ended(2);
    assert!(ran.stderr.contains("--theta <FILE>") && ran.stderr.contains("--model <MODEL>"), "{ran:#?}");
}

#[test]
fn every_command_prints_one_json_object_and_nothing_else() {
    let place = fixtures::place();
    for line in [
        "learn problem.json demos.jsonl -o new.json --bounds -10,10",
        "likelihood problem.json demos.jsonl --model model.json",
        "marginals problem.json model.json",
        "marginals problem.json model.json --t 2",
        "sample problem.json model.json -n 2 -o new.jsonl",
        "env frozenlake-4x4 -o lake.json",
        "check problem.json demos.jsonl",
        "demo --out demo",
    ] {
        // Wherever the option stands.
        place.run(&format!("{line} --json")).json();
        place.run(&format!("--json {line}")).json();
        let words = place.run(line).ended(0).stdout;
        assert!(!words.is_empty() && serde_json::from_str::<Value>(&words).is_err(), "{words}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure_and_a_full_stdout_is_one() {
    let place = fixtures::place();
    let ran = place.shell("{ revealed check problem.json; echo $? >&2; } | true");
    assert_eq!(ran.stderr, "0\n", "{ran:#?}");
    if std::path::Path::new("/dev/full").exists() {
        let ran = place.shell("revealed learn problem.json demos.jsonl -o new.json --bounds -10,10 > /dev/full");
        ran.refused(&["stdout", "No space left"]);
        Model::load(place.path("new.json")).expect("the model was written before it was printed");
    }
}

#[test]
fn names_that_are_no_text_are_names_all_the_same() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = fixtures::place();
    for (command, name) in [
        ("env frozenlake-4x4 --json -o", &b"\xff.json"[..]),
        ("sample problem.json model.json -n 1 --json -o", b"\xff.jsonl"),
        ("learn problem.json demos.jsonl --bounds -1,1 --json -o", b"\xff.json"),
        ("demo --json --out", b"\xff"),
    ] {
        let mut run = assert_cmd::Command::new(crate::helpers::REVEALED);
        run.current_dir(place.root()).args(command.split_whitespace()).arg(OsStr::from_bytes(name));
        crate::helpers::Ran::from(command, run.output().unwrap()).json();
        assert!(place.root().join(OsStr::from_bytes(name)).exists(), "{command}");
    }
}

/// Options that were renamed are still read: the line fails because of its files and not because of its usage.
#[test]
fn older_names_of_options_still_work() {
    let place = fixtures::place();
    for line in [
        "roads match none.npz none.csv -o new.jsonl --shortest 60 --least-metres 100",
        "roads learn none.npz none.jsonl -o new.json --longest 300",
        "reproduce porto --map none.osm --trips none.csv",
        "roads forecast none.npz none.json --from 1 --goal 2",
    ] {
        place.run(line).refused(&["none."]);
    }
    let line = |option: &str| format!("path problem.json model.json --from 0 {option} 1 --json");
    let [to, goal] = ["--to", "--goal"].map(|option| place.run(&line(option)).json()["states"].clone());
    assert_eq!(to, goal);
}
