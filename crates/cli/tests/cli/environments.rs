//! `revealed env`: the list, the names, and the settings that belong to each environment.

use revealed_formats::Problem;
use serde_json::{Value, json};

use crate::helpers::{Place, close, keys};

/// The names on the list.
fn names(place: &Place) -> Vec<String> {
    let list = place.run("env --list --json").json();
    let entries = list["environments"].as_array().unwrap();
    entries.iter().map(|entry| entry["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn the_list_names_environments_that_can_be_written() {
    let place = Place::new();
    let names = names(&place);
    let expected = ["frozenlake-4x4", "frozenlake-8x8", "frozenlake-random", "taxi", "nchain", "cliffwalking", "linear-chain"];
    assert_eq!(names, expected);
    let words = place.run("env --list").ended(0).stdout;
    for name in &names {
        assert!(words.lines().any(|line| line.starts_with(&format!("{name} "))), "{name} is not in {words}");
        place.run(&format!("env {name} -o problem.json")).ended(0);
        let problem = Problem::load(place.path("problem.json")).unwrap();
        assert_eq!(problem.true_theta.unwrap().len(), problem.features.n_features());
        assert!(problem.layout.is_some());
        place.run("check problem.json").ended(0);
    }
}

#[test]
fn sizes_are_as_documented() {
    let place = Place::new();
    // (command, states, actions, features, transitions, terminal)
    for (line, sizes) in [
        ("taxi", [500, 6, 2976, 2976, 4]),
        ("Taxi-v3 --features state-actions", [500, 6, 2976, 2976, 4]),
        ("taxi-V4 --features kinds", [500, 6, 3, 2976, 4]),
        ("nchain", [5, 2, 10, 20, 0]),
        ("NChain-v0 --n 10", [10, 2, 20, 40, 0]),
        ("n-chain --n 10 --slip 0 --features transitions", [10, 2, 20, 20, 0]),
        ("CliffWalking-v1 --features kinds", [48, 4, 2, 188, 1]),
        ("cliffwalking --not-slippery", [48, 4, 188, 188, 1]),
        ("LinearChain", [4, 1, 4, 3, 1]),
        ("linear-chain --n 7", [7, 1, 7, 6, 1]),
        ("frozenlake-random --size 5 --p-frozen 1 --not-slippery", [25, 4, 25, 96, 1]),
        ("frozenlake-4x4 --slippery", [16, 4, 16, 128, 5]),
    ] {
        let found = place.run(&format!("env {line} -o problem.npz --json")).json();
        let fields = ["n_states", "n_actions", "n_features", "n_transitions", "n_terminal"];
        assert_eq!(fields.map(|field| found[field].clone()), sizes.map(|size| json!(size)), "{line}");
        assert_eq!(keys(&found).len(), 8, "{found}");
    }
}

#[test]
fn settings_reach_the_environment() {
    let place = Place::new();
    place.run("env nchain --n 3 --slip 0.25 --small -4 --large 8 -o chain.json").ended(0);
    let problem = Problem::load(place.path("chain.json")).unwrap();
    // Slips of probability 1/4: forward and back in states 0 and 1, then in state 2, where forward stays and pays 8.
    close(&problem.true_theta.unwrap(), &[-1.0, -3.0, -1.0, -3.0, 6.0 - 1.0, 2.0 - 3.0], 1e-15);

    place.run("env cliffwalking --slippery -o cliff.json").ended(0);
    let cliff = Problem::load(place.path("cliff.json")).unwrap();
    assert!(cliff.mdp.transition(36, 0, 36).is_some(), "up may slip to the left");

    let lake = |line: &str| -> Value {
        place.run(&format!("env frozenlake-random {line} -o lake.json")).ended(0);
        place.read_json("lake.json")
    };
    assert_eq!(lake("--size 6 --seed 1"), lake("--seed 1 --size 6 --p-frozen 0.8"));
    assert_ne!(lake("--size 6 --seed 1"), lake("--size 6 --seed 2"));
    assert_ne!(lake("--size 6 --seed 1"), lake("--size 6 --seed 1 --p-frozen 0.9"));
    assert_eq!(lake("")["layout"]["grid"], json!([8, 8]));
}

#[test]
fn what_cannot_be_is_refused_and_nothing_written() {
    let place = Place::new();
    for (line, words) in [
        ("taxi --n 3", ["--n does not apply to taxi", "--features"]),
        ("taxi --slippery", ["--slippery does not apply to taxi", "--features"]),
        ("frozenlake-4x4 --features kinds", ["--features does not apply to frozenlake-4x4", "--not-slippery"]),
        ("frozenlake-8x8 --size 9", ["--size does not apply to frozenlake-8x8", "--slippery"]),
        ("cliffwalking --slip 0.1", ["--slip does not apply to cliffwalking", "--slippery"]),
        ("cliffwalking --p-frozen 0.1", ["--p-frozen does not apply", "--slippery"]),
        ("cliffwalking --seed 1", ["--seed does not apply", "--slippery"]),
        ("linear-chain --small 1", ["--small does not apply to linear-chain", "it takes --n"]),
        ("linear-chain --large 1", ["--large does not apply to linear-chain", "it takes --n"]),
        ("nchain --not-slippery", ["--not-slippery does not apply to nchain", "--slip"]),
        ("linear-chain --n 1", ["length of the chain is 1", "between 2 and 1000000"]),
        ("nchain --n 0", ["length of the chain is 0", "between 1 and 1000000"]),
        ("nchain --slip 2", ["slip is 2", "between 0 and 1"]),
        ("nchain --large inf", ["large is inf", "finite"]),
        ("frozenlake-random --size 5000", ["size of the lake is 5000", "between 2 and 1000"]),
        ("frozenlake-random --size 30 --p-frozen 0", ["p_frozen is 0", "large enough that a path to the goal exists"]),
        ("Taxi-v2", ["\"Taxi-v2\"", "taxi, nchain"]),
        ("taxi4x4", ["\"taxi4x4\"", "taxi, nchain"]),
    ] {
        place.run(&format!("env {line} -o new.json")).refused(&words);
    }
    for line in ["env", "env taxi", "env -o new.json", "env --list taxi", "env --list --n 3", "env --list -o new.json"] {
        assert_eq!(place.run(line).ended(2).stdout, "");
    }
    place.run("env frozenlake-4x4 --slippery --not-slippery -o new.json").ended(2);
    assert!(place.files().is_empty());
}

#[test]
fn negative_settings_get_the_message_of_the_setting() {
    let place = Place::new();
    for (line, words) in [
        ("env nchain --slip -0.1 -o chain.json", "-0.1"),
        ("env frozenlake-random --p-frozen -1 -o lake.json", "p_frozen"),
        ("env taxi --discount -1 -o taxi.json", "discount is -1"),
    ] {
        place.run(line).refused(&[words]);
    }
    assert!(place.files().is_empty());
}

#[test]
fn env_writes_gymnasiums_lakes() {
    // (name, states, terminal): 4 holes and a goal, 10 holes and a goal.
    for (name, states, terminal) in [("frozenlake-4x4", 16, 5), ("FrozenLake-v1", 16, 5), ("FrozenLake8x8-v1", 64, 11)] {
        for file in ["lake.json", "lake.npz"] {
            let place = Place::new();
            let sizes = place.run(&format!("env {name} -o {file} --discount 0.9 --json")).json();
            let expected =
                ["discount", "n_actions", "n_features", "n_states", "n_terminal", "n_transitions", "name", "problem"];
            assert_eq!(keys(&sizes), expected);
            let problem = Problem::load(place.path(file)).unwrap();
            let exact = json!({"n_states": states, "n_actions": 4, "n_features": states, "n_terminal": terminal,
                "n_transitions": problem.mdp.n_transitions(), "discount": 0.9, "problem": file});
            for (field, value) in exact.as_object().unwrap() {
                assert_eq!(&sizes[field], value, "{name} {field}");
            }
            // Left from the start: against the edge twice, or down; each of three ways has 1/3.
            let stays = problem.mdp.transition(0, 0, 0).unwrap();
            close(&[problem.mdp.probability()[stays]], &[2.0 / 3.0], 1e-15);
            assert_eq!(problem.true_theta.unwrap()[states - 1], 1.0);
        }
    }
    let place = Place::new();
    let sizes = place.run("env frozenlake-4x4 -o lake.json --not-slippery --json").json();
    assert_eq!(sizes["n_transitions"], json!(11 * 4));
}
